// Package crossover is the command that compares forks with fresh sub-agents: a
// closed form beside simulated runs.
package crossover

import (
	"errors"
	"slices"
	"strings"

	"agentsim/cmd/internal/forks"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim"
	"agentsim/sim/crossover"
	"agentsim/sim/recording"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// options are the flags of crossover.
type options struct {
	setting, vary string
	texts         map[string]*string // of axes, by name
	cold, fourth  bool
	ideal         bool
	plot          string
	output, db    string
	flags         *pflag.FlagSet
}

// given reports whether a flag stands in the command line.
func (o *options) given(name string) bool { return o.flags.Changed(name) }

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{texts: map[string]*string{}}
	var settings []string
	for _, x := range crossover.Settings() {
		settings = append(settings, "  "+x.Name+": "+x.Why)
	}
	cmd := &cobra.Command{
		Use:   "crossover [SOURCE…]",
		Short: "compare forks with fresh sub-agents: a closed form beside simulated runs",
		Long: `Compares what children cost as forks, which read their parent's whole prefix at every turn, and as fresh sub-agents,
which must be told or read what they need and write it to the cache. It prints the closed form, the bills of generated scenarios that were
run, where the two cross, and what moves the runs away from it.

The closed form: a fork is cheaper while ` + crossover.Formula + `, with P the parent's prefix, S the child's own system
prompt and tools, R what it must read again, T its turns, w and r what a token costs to write and to read.
It assumes: ` + crossover.Assumptions + `.

With sources (recorded sessions, files or directories of every format that import reads; databases; beginnings of ids of runs)
it answers for the sub-agents in them: the bills of generated scenarios of their sizes, a map of which is cheaper by overlap
and by the parent's prompt with your own point on it, where the ranking turns, and what each input rests on. Overlap is what
of a child's reads its parent had read before, which only content tells.

One flag may hold several values, as a list (1,2,8) or a range (1..24, 10k..70k:10k): they are the rows. --vary names
what is varied with usual values. Settings:
` + strings.Join(settings, "\n"),
		Example: `  agentsim crossover
  agentsim crossover ~/.claude/projects/my-repository
  agentsim crossover --setting long-tool-loops
  agentsim crossover --prefix 120k --know 10k..60k:10k --turns 8 --plot know.png
  agentsim crossover --vary siblings --cold --stagger 5s --fourth-mark`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return o.measured(s, args)
			}
			return compare(s, o)
		},
	}
	f := cmd.Flags()
	o.flags = f
	f.StringVar(&o.setting, "setting", "", "start from a named `setting`: short-directives or long-tool-loops")
	f.StringVar(&o.vary, "vary", "", "what the rows are: "+strings.Join(varied(), ", "))
	for _, a := range axes {
		o.texts[a.name] = f.String(a.name, "", a.usage())
	}
	o.texts[models.name] = f.String(models.name, "", "`model` whose rates and minimum hold (default "+crossover.Default().Model+"); all for every one")
	f.BoolVar(&o.cold, "cold", false, "a slow tool lets the parent's cache entry expire before the spawn")
	f.BoolVar(&o.fourth, "fourth-mark", false, "use the fourth cache marker: a fork's first request marks where its parent's ended")
	f.BoolVar(&o.ideal, "ideal", false, "run the idealised world only, in which runs and closed form agree")
	f.StringVar(&o.plot, "plot", "", "also draw the curves into this `file` (.svg or .png)")
	rundb.Flag(s, f, &o.db, "the `file` in which runs are looked up")
	ui.OutputFlag(f, &o.output)
	return cmd
}

// comparison is what was asked for and what came out.
type comparison struct {
	setting *crossover.Setting
	axis    *axis
	places  []place
	rows    []crossover.Row
	why     int // the row that the ladder explains
	ladder  *crossover.Ladder
	extra   []crossover.Row // beside the rows: where the curves cross, for a plot
	runs    int
}

func compare(s *ui.Env, o *options) error {
	if err := ui.CheckPlot(o.plot); err != nil {
		return err
	}
	c, queries, err := o.comparison()
	if err != nil {
		return err
	}
	if err := c.simulate(s, queries); err != nil {
		return err
	}
	if err := ui.WritePlot(o.plot, c.chart()); err != nil {
		return err
	}
	return s.Print(o.output, c.document(o))
}

// simulate runs the rows, the ladder and what a plot needs.
func (c *comparison) simulate(s *ui.Env, queries []crossover.Query) error {
	// The last step is the ladder; how many runs a step takes is not known before.
	stop, bar := harness.Listen(s), ui.NewProgress(s, "comparing", "steps", len(queries)+1)
	defer stop.Stop()
	defer bar.Finish()
	lab := labOf(stop, bar)
	err := interrupted(c.run(lab, queries, bar))
	c.runs = lab.Runs()
	return err
}

// labOf runs scenarios until it is interrupted.
func labOf(stop *harness.Interrupt, bar *ui.Progress) *crossover.Lab {
	lab := crossover.NewLab()
	lab.Run = func(spec *sim.Spec, opt sim.Options) (*sim.Result, error) {
		bar.Add(0)
		res, err := stop.Run(spec, opt)
		if err == nil && harness.Broken(res) != nil {
			return nil, ui.Fail(ui.Broken, harness.Broken(res))
		}
		return res, err
	}
	return lab
}

func interrupted(err error) error {
	if errors.Is(err, crossover.ErrInterrupted) {
		return ui.Failf(ui.Interrupted, "interrupted; nothing was written")
	}
	return err
}

func (c *comparison) run(lab *crossover.Lab, queries []crossover.Query, bar *ui.Progress) error {
	for _, q := range queries {
		row, err := lab.Row(q, c.axis.name != "turns")
		if err != nil {
			return err
		}
		c.rows = append(c.rows, row)
		bar.Add(1)
	}
	c.why = c.explained()
	var err error
	if c.ladder, err = lab.Ladder(c.rows[c.why].Query, true); err != nil || c.axis.name != "turns" {
		return err
	}
	return c.between(lab)
}

// explained is the row that the ladder speaks of: of turns the first at which a
// fork is no longer cheaper by the law, of models the usual one, else the last.
func (c *comparison) explained() int {
	usual := crossover.Default().Model
	for i, r := range c.rows {
		if c.axis.name == "turns" && r.Closed.Fork >= r.Closed.Fresh || c.axis.name == "model" && r.Query.Model == usual {
			return i
		}
	}
	return len(c.rows) - 1
}

// between runs the turns on both sides of a crossing that lies within the rows,
// so that a plot's curves meet where the crossing is.
func (c *comparison) between(lab *crossover.Lab) error {
	first, last := c.rows[0].Query.Turns, c.rows[len(c.rows)-1].Query.Turns
	for _, x := range []crossover.Crossing{c.ladder.ClosedCrossing, c.ladder.Crossing} {
		if x.Verdict != crossover.Crosses {
			continue
		}
		for n := x.Floor(); n <= x.Floor()+1; n++ {
			if n <= first || n >= last || c.has(n) {
				continue
			}
			q := c.rows[0].Query
			q.Turns = n
			row, err := lab.Row(q, false)
			if err != nil {
				return err
			}
			c.extra = append(c.extra, row)
		}
	}
	return nil
}

// has reports whether a number of turns was run.
func (c *comparison) has(turns int64) bool {
	is := func(r crossover.Row) bool { return r.Query.Turns == turns }
	return slices.ContainsFunc(c.rows, is) || slices.ContainsFunc(c.extra, is)
}

// line is the command as given with other flags: those named take the place of
// their likes, and what holds several values, of which another comparison would
// have one, is left out.
func (o *options) line(other string) string {
	text := "agentsim crossover"
	o.flags.VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		several := strings.ContainsAny(value, ",:") || strings.Contains(value, "..") || value == "all"
		switch replaced := strings.Contains(other, "--"+f.Name) || strings.HasSuffix(other, "--vary "+f.Name); {
		case !f.Changed || several || replaced || f.Name == "vary" || f.Name == "plot" || f.Name == "output" || f.Name == "ideal" || value == "false":
		case value == "true":
			text += " --" + f.Name
		default:
			text += " --" + f.Name + " " + ui.Quote(value)
		}
	})
	return strings.TrimSpace(text + " " + other)
}

// measured compares for the sub-agents of recorded sessions and runs.
func (o *options) measured(s *ui.Env, args []string) error {
	if set := o.shaped(); len(set) > 0 {
		return ui.Failf(ui.Usage, "%s: sizes come from %s; leave it out, or leave the sources out", strings.Join(set, ", "), ui.QuoteAll(args))
	}
	in := &crossover.Inputs{}
	var runs []run // the simulated ones
	_, err := loading.Sessions(s, args, o.db, func(source string, x *recording.Session) {
		if x.Format == sqlite.Simulated {
			runs = append(runs, run{source, x.ID})
		}
		in.Add(x)
	})
	if err != nil {
		return err
	}
	p := &forks.Point{In: in, How: "simulated"}
	if err := beside(s, p, runs); err != nil {
		return err
	}
	switch {
	case in.Sessions == 0:
		return loading.NoSession(args)
	case len(in.Children) == 0:
		return ui.Failf(ui.Operating, "%s: %s and no sub-agent that can be compared: name sessions whose agents had sub-agents, with their files", ui.QuoteAll(args), ui.Plural(in.Sessions, "session"))
	}
	in.Sample = len(runs) == 0
	if len(runs) > 0 {
		if err := p.Drawn(nil); err != nil {
			return err
		}
	}
	children := in.Settled()
	stop, bar := harness.Listen(s), ui.NewProgress(s, "comparing", "steps", len(children))
	p.Pair, err = labOf(stop, bar).Simulate(children)
	bar.Finish()
	stop.Stop()
	if err := interrupted(err); err != nil {
		return err
	}
	d := &report.Document{}
	d.Say("crossover    forks against fresh sub-agents · %s of %s", forks.Children(len(children)), ui.Plural(in.Sessions, "session"))
	d.Field("children", report.Count(len(children)))
	d.Field("sessions", report.Count(in.Sessions))
	p.Tell(d)
	return s.Print(o.output, d)
}

// run is where a simulated run is recorded.
type run struct{ db, id string }

// beside adds to runs whose children are all of one kind those that did the same work by
// the other kind, where they are recorded, and says what to type where forks are not.
func beside(s *ui.Env, p *forks.Point, runs []run) error {
	if (p.In.Forks > 0) == (len(p.In.Children) > 0) {
		return nil
	}
	for _, r := range runs {
		db, err := rundb.Open(r.db)
		if err != nil {
			return err
		}
		defer db.Close()
		info, err := db.FindRun(r.id)
		if err != nil {
			return err
		}
		other, x, err := loading.SameWork(db, info)
		switch {
		case err != nil:
			return err
		case x != nil:
			p.In.Add(x)
			p.Of = append(p.Of, ui.Short(other.ID))
		case p.In.Forks == 0 && p.Next == "":
			if p.Next = loading.Forking(info); p.Next != "" {
				p.Next += rundb.At(s, r.db)
			}
		}
	}
	return nil
}

// shaped are the flags that say sizes, as typed.
func (o *options) shaped() (out []string) {
	o.flags.Visit(func(f *pflag.Flag) {
		if f.Name != "output" && f.Name != "db" && f.Name != "color" {
			out = append(out, "--"+f.Name)
		}
	})
	return out
}
