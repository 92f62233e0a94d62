package cli

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// inspectOptions are the flags of inspect.
type inspectOptions struct {
	db       string
	call     int64
	misses   bool
	phases   bool
	progress bool
	blocks   bool
	said     string
	output   string
	reprice  []string
}

func newInspect(s *ui.Env) *cobra.Command {
	o := &inspectOptions{}
	cmd := &cobra.Command{
		Use:   "inspect [RUN]",
		Short: "look into a recorded run: its agents, a call, why calls missed the cache",
		Long: `Without a run it lists the recorded ones. With one it prints the tree of its agents; --call N prints one request with
its cached part and why it missed, --misses every request that read less than it could have, --phases when research,
synthesis, implementation and verification went on, --progress how far agents in the background had come. --said AGENT
what one agent said in all its activations, by its id or lineage: what its output file held. RUN is the beginning of a
run's id.`,
		Example: `  agentsim inspect
  agentsim inspect 9c1e
  agentsim inspect 9c1e --misses
  agentsim inspect 9c1e --phases
  agentsim inspect 9c1e --said main/1.1
  agentsim inspect 9c1e --call 41 --blocks
  agentsim inspect 9c1e --reprice provider.inference_geo=us
  agentsim inspect 9c1e --reprice provider.ttl=1h --reprice provider.fourth_mark=true`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd.Flags().Changed("call")); err != nil {
				return err
			}
			return inspect(s, o, args)
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
	f.StringVarP(&o.output, "output", "o", "table", ui.OutputHelp)
	return cmd
}

// check says which flags do not go together; call is whether --call was given.
func (o *inspectOptions) check(call bool) error {
	switch {
	case ui.CheckOutput(o.output) != nil:
		return ui.CheckOutput(o.output)
	case call && o.call < 1:
		return ui.Failf(ui.Usage, "--call %d: calls are numbered from 1", o.call)
	case len(o.reprice) > 0 && (call || o.misses):
		return ui.Failf(ui.Usage, "--reprice: it computes a whole run; leave out --call and --misses")
	case call && o.misses:
		return ui.Failf(ui.Usage, "--call and --misses: give one of them")
	case o.phases && (call || o.misses):
		return ui.Failf(ui.Usage, "--phases: it stands alone, without --call and --misses")
	case o.progress && (call || o.misses || o.phases || o.said != ""):
		return ui.Failf(ui.Usage, "--progress: it goes with no other view of a run")
	case o.said != "" && (call || o.misses || o.phases):
		return ui.Failf(ui.Usage, "--said: it goes with no other view of a run")
	case o.blocks && !call:
		return ui.Failf(ui.Usage, "--blocks: it needs --call N, the request whose blocks are meant")
	}
	return nil
}

func inspect(s *ui.Env, o *inspectOptions, args []string) error {
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	if len(args) == 0 {
		if o.call > 0 || o.misses || o.phases || o.progress || o.said != "" || len(o.reprice) > 0 {
			return ui.Failf(ui.Usage, "name the run, by the beginning of its id; agentsim inspect lists them")
		}
		return inspectRuns(s, db, o)
	}
	info, err := rundb.Find(db, args[0])
	if err != nil {
		return err
	}
	switch {
	case len(o.reprice) > 0:
		return inspectRepriced(s, db, info, o)
	case o.call > 0:
		return inspectCall(s, db, info, o)
	case o.misses:
		return inspectMisses(s, db, info, o)
	case o.phases:
		return inspectPhases(s, db, info, o)
	case o.progress:
		return inspectProgress(s, db, info, o)
	case o.said != "":
		return inspectSaid(s, db, info, o)
	}
	return inspectTree(s, db, info, o)
}

func inspectRuns(s *ui.Env, db *sqlite.DB, o *inspectOptions) error {
	runs, err := db.Runs()
	if err != nil {
		return err
	}
	priced := make([]bool, len(runs))
	for i, r := range runs {
		if priced[i], err = db.Priced(r.ID); err != nil {
			return err
		}
	}
	if o.output != "table" {
		return s.Emit(o.output, runDocuments(runs, priced))
	}
	if len(runs) == 0 {
		s.Printf("%s holds no runs; agentsim run SCENARIO and agentsim import PATH record some\n", o.db)
		return nil
	}
	t := report.NewTable("RUN", "SCENARIO", "VARIANT", " SEED", "POLICY", "LEVEL", "OUTCOME", " CALLS", " COST", " TIME", " TIMES RUN")
	for i, r := range runs {
		seed := strconv.FormatUint(r.Seed, 10)
		if r.Recorded() {
			seed = "–"
		}
		t.Row(ui.Short(r.ID), r.Name, r.Variant, seed, r.Policy, string(r.Level), r.Ending(),
			strconv.FormatInt(r.Calls, 10), bill(r.Cost, priced[i]), report.Time(r.EndedAt.Sub(0)), strconv.Itoa(r.Executions))
	}
	return t.Write(s.Stdout, s.Style())
}

func inspectTree(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
	agents, err := db.Tree(info.ID)
	if err != nil {
		return err
	}
	priced, err := db.Priced(info.ID)
	if err != nil {
		return err
	}
	if o.output != "table" {
		injections, err := db.Injections(info.ID)
		if err != nil {
			return err
		}
		docs := agentDocuments(agents, &info, priced)
		for i := range docs {
			docs[i].Injections = injectionsOf(injections, docs[i].Lineage)
		}
		return s.Emit(o.output, docs)
	}
	billed, err := rundb.BilledCalls(db, info)
	if err != nil {
		return err
	}
	if err := rundb.Heading(s, db, info); err != nil {
		return err
	}
	lives, err := db.Activations(info.ID)
	if err != nil {
		return err
	}
	ends := endsOf(lives)
	heads := []string{"AGENT", "TYPE", " FROM", " TO", " CALLS", " FAILED", " PROMPT", " READ", " WRITTEN", " OUTPUT", " HIT", " COST", "ENDED"}
	const failed = 5 // its place, where a request failed
	without := !slices.ContainsFunc(agents, func(a sqlite.AgentInfo) bool { return a.Failed > 0 })
	if without {
		heads = slices.Delete(heads, failed, failed+1)
	}
	t := report.NewTable(heads...)
	for _, line := range treeLines(agents) {
		a := line.agent
		u := a.Usage
		calls, cost := strconv.FormatInt(a.Calls, 10), bill(a.Cost, priced)
		if !info.Keeps(a) {
			calls, cost = "–", "–" // none of its calls is recorded
		}
		read, written, hit := report.Quantity(u.Read), report.Quantity(u.Written()), report.Percent(u.Read, u.Prompt())
		if billed == 0 && info.Calls > 0 {
			read, written, hit = "–", "–", "–" // nobody knows what was read
		}
		row := []string{line.indent + a.Lineage, a.Type, report.Time(a.StartedAt.Sub(0)), report.Time(a.EndedAt.Sub(0)), calls, strconv.FormatInt(a.Failed, 10),
			report.Quantity(u.Prompt()), read, written, report.Quantity(u.Output), hit, cost, ended(a, ends[a.Agent])}
		if without {
			row = slices.Delete(row, failed, failed+1)
		}
		t.Row(row...)
	}
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	if err := printInjections(s, db, info.ID); err != nil {
		return err
	}
	return printPhases(s, db, info.ID)
}

// endsOf is how the activations of each agent ended, in order; "" stands for one
// that has not.
func endsOf(lives []sqlite.Activation) map[int32][]string {
	ends := map[int32][]string{}
	for _, l := range lives {
		ends[l.Agent] = append(ends[l.Agent], l.Status)
	}
	return ends
}

// ended is an agent's status with its reason, and in front how its former
// activations ended: killed × 2, completed.
func ended(a *sqlite.AgentInfo, ends []string) string {
	var b strings.Builder
	for i := 0; i < len(ends); {
		n := 1
		for i+n < len(ends) && ends[i+n] == ends[i] {
			n++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(cmp.Or(ends[i], "(not yet)"))
		if n > 1 {
			b.WriteString(" × " + strconv.Itoa(n))
		}
		i += n
	}
	if a.Why != "" {
		b.WriteString(": " + a.Why)
	}
	return b.String()
}

// treeLine is an agent and how far it is indented.
type treeLine struct {
	agent  *sqlite.AgentInfo
	indent string
}

// treeLines puts children below their parents, in the order of the calls and tool
// uses that spawned them; those of which that is not known come after, in the
// order of the record.
func treeLines(agents []sqlite.AgentInfo) (out []treeLine) {
	children := map[int32][]*sqlite.AgentInfo{}
	for i := range agents {
		a := &agents[i]
		children[a.Parent] = append(children[a.Parent], a)
	}
	for _, of := range children { // order: each list is sorted by itself
		slices.SortStableFunc(of, func(a, b *sqlite.AgentInfo) int { return spawnOf(a.Lineage).compare(spawnOf(b.Lineage)) })
	}
	var add func(parent int32, indent string)
	add = func(parent int32, indent string) {
		for _, a := range children[parent] {
			out = append(out, treeLine{a, indent})
			add(a.Agent, indent+"  ")
		}
	}
	add(-1, "")
	return out
}

// spawned is the place that an agent was spawned at, by its lineage.
type spawned struct{ call, use, copy int }

// spawnOf reads main/12.3, the third tool use of main's twelfth call, and of
// several that one use spawned main/12.3~2. Any other name comes last.
func spawnOf(lineage string) spawned {
	last, nth, _ := strings.Cut(lineage[strings.LastIndexByte(lineage, '/')+1:], "~")
	call, use, _ := strings.Cut(last, ".")
	out := spawned{math.MaxInt, math.MaxInt, 0}
	c, err := strconv.Atoi(call)
	u, err2 := strconv.Atoi(use)
	if err == nil && err2 == nil {
		out.call, out.use = c, u
		out.copy, _ = strconv.Atoi(nth) // 0 of the first
	}
	return out
}

func (a spawned) compare(b spawned) int {
	return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.use, b.use), cmp.Compare(a.copy, b.copy))
}
