// Package inspect is the command that looks into recorded runs: its views are a
// list of runs, the tree of a run's agents, one request, the requests that missed
// the cache, phases, progress, what an agent said, and a run under other prices.
package inspect

import (
	"agentsim/cmd/internal/loading"
	"cmp"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// options are the flags.
type options struct {
	db       string
	call     int64
	misses   bool
	phases   bool
	progress bool
	blocks   bool
	said     string
	output   string
	reprice  []string
	prices   loading.Prices
	limit    int    // of the list of runs; 0 for all
	filter   string // of the list
	view     view   // nil for the tree
	at       string // the flag that names the database
}

// page is how many runs people see where they do not say.
const page = 50

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "inspect [RUN]",
		Short: "look into a recorded run: its agents, a call, why calls missed the cache",
		Long: `Without a run it lists the recorded ones, the one executed last first. With one it prints the tree of its agents; --call N prints one request with
its cached part and why it missed, --misses every request that read less than it could have, --phases when research,
synthesis, implementation and verification went on, --progress how far agents in the background had come. --said AGENT
what one agent said in all its activations, by its id or lineage: what its output file held. RUN is the beginning of a
run's id.`,
		Example: `  agentsim inspect
  agentsim inspect --filter "fork seed=7"
  agentsim inspect 9c1e
  agentsim inspect 9c1e --misses
  agentsim inspect 9c1e --phases
  agentsim inspect 9c1e --said main/1.1
  agentsim inspect 9c1e --call 41 --blocks
  agentsim inspect 9c1e --reprice provider.inference_geo=us
  agentsim inspect 9c1e --reprice provider.ttl=1h --reprice provider.fourth_mark=true`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(o.check(cmd.Flags(), args), o.prices.Read()); err != nil {
				return err
			}
			return run(s, o, args)
		},
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.Int64Var(&o.call, "call", 0, "print the run's request `number`, from 1")
	f.BoolVar(&o.misses, "misses", false, "print the requests that missed the cache, and why")
	f.BoolVar(&o.phases, "phases", false, "print when each phase of delegated work went on, and what it shared with others")
	f.BoolVar(&o.progress, "progress", false, "print how far each agent in the background had come, at each change")
	f.BoolVar(&o.blocks, "blocks", false, "with --call: also print what the request held, block by block")
	f.StringVar(&o.said, "said", "", "print all that an `agent` said, by its id or lineage")
	f.StringArrayVar(&o.reprice, "reprice", nil, "compute a run by another setting of prices or of the cache, as `path=value`; may be repeated")
	o.prices.Add(f)
	f.IntVar(&o.limit, "limit", page, "without a run: list so many `runs`, 0 for all; forms for machines have all unless it is given")
	f.StringVar(&o.filter, "filter", "", "without a run: list those whose id, scenario, variant, policy, seed=N or ending has each of the `words`")
	ui.OutputFlag(f, &o.output)
	return cmd
}

// view adds what a flag asks of a run.
type view func(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, o *options) error

// views are the flags of which one may be given; without one it is the tree.
var views = []struct {
	flag string
	add  view
}{{"call", request}, {"misses", misses}, {"phases", phases}, {"progress", progress}, {"said", said}, {"reprice", repriced}, {"prices", repriced}}

// check says what is wrong with the flags, and finds the view that is asked for.
func (o *options) check(f *pflag.FlagSet, args []string) error {
	var given []string
	for _, v := range views {
		if f.Changed(v.flag) && (v.flag != "prices" || !f.Changed("reprice")) {
			given, o.view = append(given, v.flag), v.add
		}
	}
	if !f.Changed("limit") && o.output != "table" {
		o.limit = 0
	}
	switch call := f.Changed("call"); {
	case len(given) > 1:
		return ui.Failf(ui.Usage, "--%s: give one of them, each is a view of its own", strings.Join(given, " and --"))
	case call && o.call < 1:
		return ui.Failf(ui.Usage, "--call %d: calls are numbered from 1", o.call)
	case o.filter != "" && (len(args) > 0 || o.view != nil):
		return ui.Failf(ui.Usage, "--filter: it is about the list of runs, and not about one")
	case o.limit < 0:
		return ui.Failf(ui.Usage, "--limit %d: write how many runs to list, or 0 for all", o.limit)
	case o.blocks && !call:
		return ui.Failf(ui.Usage, "--blocks: it needs --call N, the request whose blocks are meant")
	}
	return nil
}

func run(s *ui.Env, o *options, args []string) error {
	if len(args) == 0 && o.view != nil {
		return ui.Failf(ui.Usage, "name the run, by the beginning of its id; agentsim inspect lists them")
	}
	o.at = rundb.At(s, o.db)
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	d := &report.Document{}
	if len(args) == 0 {
		err = o.runs(d, db)
	} else {
		err = o.one(d, db, args[0])
	}
	if err != nil {
		return err
	}
	return s.Print(o.output, d)
}

// one says of one run what was asked.
func (o *options) one(d *report.Document, db *sqlite.DB, prefix string) error {
	info, err := rundb.Find(db, prefix)
	switch {
	case err != nil:
		return err
	case o.said != "": // what was said comes without a heading
		return said(d, db, info, o)
	}
	if err := rundb.Head(d, db, info); err != nil {
		return err
	}
	if o.view == nil {
		return tree(d, db, info)
	}
	return o.view(d, db, info, o)
}

// recorded is a run of the list, and whether its prices are known.
type recorded struct {
	sqlite.RunInfo
	priced bool
}

// runs lists the recorded ones.
func (o *options) runs(d *report.Document, db *sqlite.DB) error {
	most := o.limit
	if most == 0 {
		most = -1
	}
	infos, all, err := db.List(sqlite.Listing{Words: o.filter, Most: most})
	if err != nil {
		return err
	}
	list := make([]recorded, len(infos))
	for i, r := range infos {
		list[i].RunInfo = r
		if list[i].priced, err = db.Priced(r.ID); err != nil {
			return err
		}
	}
	switch {
	case len(list) > 0:
	case o.filter != "":
		d.Say("no run of %s has %q", o.db, o.filter)
	default:
		d.Say("%s holds no runs; agentsim run SCENARIO and agentsim import PATH record some", o.db)
	}
	type col = report.Column[recorded]
	columns := []col{
		{Name: "run", Head: "RUN", Of: func(r recorded) report.Value { return report.Text(r.ID).As(ui.Short(r.ID)) }},
		{Name: "name", Head: "SCENARIO", Of: func(r recorded) report.Value { return report.Text(r.Name) }},
		{Name: "variant", Head: "VARIANT", Of: func(r recorded) report.Value { return report.Text(r.Variant) }},
		{Name: "seed", Head: " SEED", Drop: 4, Of: func(r recorded) report.Value { return report.Unsigned(r.Seed).If(!r.Recorded()) }},
		{Name: "policy", Head: "POLICY", Drop: 5, Of: func(r recorded) report.Value { return report.Text(r.Policy) }},
		{Name: "semantics", Of: func(r recorded) report.Value { return report.Count(r.Semantics) }},
		{Name: "level", Head: "LEVEL", Drop: 3, Of: func(r recorded) report.Value { return report.Text(string(r.Said())) }},
		{Name: "outcome", Head: "OUTCOME", Of: func(r recorded) report.Value { return report.Text(r.Ending()) }},
		{Name: "detail", Of: func(r recorded) report.Value { return report.Text(r.Detail).If(r.Detail != "") }},
		{Name: "digest", Of: func(r recorded) report.Value { return report.Text(r.Digest) }},
		{Name: "events", Of: func(r recorded) report.Value { return report.Count(r.Events) }},
		{Name: "calls", Head: " CALLS", Drop: 1, Of: func(r recorded) report.Value { return report.Count(r.Calls) }},
		{Name: "cost", Head: " COST", Unit: report.USD, Of: func(r recorded) report.Value { return dollars(r.Cost).If(r.priced) }},
		{Name: "cost_uncached", Unit: report.USD, Of: func(r recorded) report.Value { return dollars(r.Uncached).If(r.priced) }},
		{Name: "time", Head: " TIME", Unit: report.Seconds, Of: func(r recorded) report.Value { return report.At(r.EndedAt) }},
		{Name: "executions", Head: " TIMES RUN", Drop: 2, Of: func(r recorded) report.Value { return report.Count(r.Executions) }},
		{Name: "last_started", Of: func(r recorded) report.Value { return report.Text(r.StartedAt) }},
	}
	d.Table(report.TableOf("runs", list, append(columns, usage(func(r recorded) llm.Usage { return r.Usage })...)...))
	if more := all - len(list); more > 0 {
		d.Say("\nand %s more, executed earlier; --limit 0 lists all", ui.Count(int64(more)))
	}
	return nil
}

func dollars(picodollars int64) report.Value {
	return report.Dollars(cachemodel.Picodollars(picodollars))
}

// usage are the columns in which machines get what was billed.
func usage[R any](of func(R) llm.Usage) []report.Column[R] {
	part := func(name string, get func(llm.Usage) int64) report.Column[R] {
		return report.Column[R]{Name: name, Of: func(r R) report.Value { return report.Tokens(get(of(r))) }}
	}
	return []report.Column[R]{
		part("tokens_input", func(u llm.Usage) int64 { return u.Input }),
		part("tokens_write_5m", func(u llm.Usage) int64 { return u.Write5m }),
		part("tokens_write_1h", func(u llm.Usage) int64 { return u.Write1h }),
		part("tokens_read", func(u llm.Usage) int64 { return u.Read }),
		part("tokens_output", func(u llm.Usage) int64 { return u.Output }),
	}
}
