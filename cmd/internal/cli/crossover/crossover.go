// Package crossover is the command that compares forks with fresh sub-agents: a
// closed form beside simulated runs.
package crossover

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/crossover"

	"github.com/spf13/cobra"
)

// crossoverOptions are the flags of crossover.
type crossoverOptions struct {
	setting, vary string
	lists         map[string]*string // of axes, by name
	own, reading  string
	task, growth  string
	answer        string
	cold, fourth  bool
	ideal         bool
	svg, png      string
	scenarios     string
	output        string
	given         func(flag string) bool
	words         []flagWord // the flags that say what is compared
}

// flagWord is a flag as it was given, for a line to type.
type flagWord struct{ name, text string }

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &crossoverOptions{lists: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "crossover",
		Short: "compare forks with fresh sub-agents: a closed form beside simulated runs",
		Long: `Compares what children cost as forks, which read their parent's whole prefix at every turn, and as fresh sub-agents,
which must be told or read what they need and write it to the cache. It prints the law, the bills of generated scenarios that were
run, where the two cross, and what moves the runs away from the law.

The law: a fork is cheaper while ` + crossover.Formula + `, with P the parent's prefix, S the child's own system
prompt and tools, R what it must read again, T its turns, w and r what a token costs to write and to read.
It assumes: ` + crossover.Assumptions + `.

One flag may hold several values, as a list (1,2,8) or a range (1..24, 10k..70k:10k): they are the rows. --vary names
what is varied with usual values. Settings:
` + settingsText(),
		Example: `  agentsim crossover
  agentsim crossover --setting long-tool-loops
  agentsim crossover --prefix 120k --know 10k..60k:10k --turns 8 --png know.png
  agentsim crossover --vary siblings --cold --stagger 5s --fourth-mark`,
		Args: ui.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.given = cmd.Flags().Changed
			for _, name := range kept {
				if f := cmd.Flags().Lookup(name); f.Changed {
					o.keep(name, f.Value.String())
				}
			}
			return runCrossover(s, o)
		},
	}
	o.flags(cmd)
	return cmd
}

// kept are the flags that say what is compared, in the order of a line to type.
var kept = []string{"setting", "model", "prefix", "know", "own", "turns", "siblings", "stagger", "reading", "task", "growth", "answer", "cold", "fourth-mark"}

// keep remembers a flag, unless it holds several values, of which another
// comparison would have one.
func (o *crossoverOptions) keep(name, value string) {
	switch {
	case strings.ContainsAny(value, ",:") || strings.Contains(value, ".."), value == "all", value == "false":
	case value == "true":
		o.words = append(o.words, flagWord{name, "--" + name})
	default:
		o.words = append(o.words, flagWord{name, "--" + name + " " + ui.Quote(value)})
	}
}

func settingsText() string {
	var b strings.Builder
	for _, x := range crossover.Settings() {
		fmt.Fprintf(&b, "  %s: %s\n", x.Name, x.Why)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (o *crossoverOptions) flags(cmd *cobra.Command) {
	f, d := cmd.Flags(), crossover.Default()
	f.StringVar(&o.setting, "setting", "", "start from a named `setting`: short-directives or long-tool-loops")
	f.StringVar(&o.vary, "vary", "", "what the rows are: "+axisNames())
	for _, a := range []struct{ name, what string }{
		{"prefix", fmt.Sprintf("`tokens` of the parent's prompt at the spawn, P (default %d)", d.Prefix)},
		{"know", fmt.Sprintf("`tokens` that a child must know, S+R (default %d)", d.Know)},
		{"turns", "`calls` that each child makes, T"},
		{"siblings", fmt.Sprintf("`children` of one answer (default %d)", d.Siblings)},
		{"stagger", "`time` that siblings wait at most for the first one's response to begin (default 0s: none waits)"},
		{"model", "`model` whose rates and minimum hold (default " + d.Model + "); all for every one"},
	} {
		o.lists[a.name] = f.String(a.name, "", a.what)
	}
	f.StringVar(&o.own, "own", "", fmt.Sprintf("`tokens` of --know that are the child's own system prompt and tools, S (default %d)", d.Own))
	f.StringVar(&o.reading, "reading", "", fmt.Sprintf("`turns` over which R arrives (default %d)", d.Reading))
	f.StringVar(&o.task, "task", "", fmt.Sprintf("`tokens` of what a child is told to do (default %d)", d.Task))
	f.StringVar(&o.growth, "growth", "", fmt.Sprintf("`tokens` that each turn adds (default %d)", d.Growth))
	f.StringVar(&o.answer, "answer", "", fmt.Sprintf("`tokens` of output of each call (default %d)", d.Output))
	f.BoolVar(&o.cold, "cold", false, "a slow tool lets the parent's cache entry expire before the spawn")
	f.BoolVar(&o.fourth, "fourth-mark", false, "use the fourth cache marker: a fork's first request marks where its parent's ended")
	f.BoolVar(&o.ideal, "ideal", false, "run the idealised world only, in which runs and law agree")
	f.StringVar(&o.svg, "svg", "", "also draw the curves into this `file`, as SVG")
	f.StringVar(&o.png, "png", "", "also draw the curves into this `file`, as PNG")
	f.StringVar(&o.scenarios, "scenarios", "", "also write the two scenarios behind the explained row into this `directory`")
	ui.OutputFlag(f, &o.output)
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

func runCrossover(s *ui.Env, o *crossoverOptions) error {
	if err := o.pictures(); err != nil {
		return err
	}
	c, base, err := o.comparison()
	if err != nil {
		return err
	}
	queries := make([]crossover.Query, len(c.places))
	for i, p := range c.places {
		queries[i] = base
		p.set(&queries[i])
		if err := checked(&queries[i]); err != nil {
			return err
		}
	}
	if err := simulate(s, c, queries, o); err != nil {
		return err
	}
	return s.Print(o.output, c.document(o))
}

// checked tells a value that cannot stand by its flag.
func checked(q *crossover.Query) error {
	err := q.Check()
	var bad *crossover.Error
	if !errors.As(err, &bad) {
		return err
	}
	flag := bad.Field
	if flag == "output" {
		flag = "answer"
	}
	return ui.Failf(ui.Usage, "--%s: %s", flag, bad.What)
}

// simulate runs the rows, the ladder and what the plots need, and writes files.
func simulate(s *ui.Env, c *comparison, queries []crossover.Query, o *crossoverOptions) error {
	// The last step is the ladder; how many runs a step takes is not known before.
	stop, bar := harness.Listen(s), ui.NewProgress(s, "comparing", "steps", len(queries)+1)
	defer stop.Stop()
	defer bar.Finish()
	lab := crossover.NewLab()
	lab.Run = func(spec *sim.Spec, opt sim.Options) (*sim.Result, error) {
		bar.Add(0)
		res, err := stop.Run(spec, opt)
		if err == nil && harness.Broken(res) != nil {
			return nil, ui.Fail(ui.Broken, harness.Broken(res))
		}
		return res, err
	}
	err := c.run(lab, queries, bar)
	if errors.Is(err, crossover.ErrInterrupted) {
		return ui.Failf(ui.Interrupted, "interrupted; nothing was written")
	}
	if err != nil {
		return err
	}
	c.runs = lab.Runs()
	return c.write(lab, o)
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
		for n := x.At.Floor(); n <= x.At.Floor()+1; n++ {
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

// write writes the files that were asked for.
func (c *comparison) write(lab *crossover.Lab, o *crossoverOptions) error {
	if o.svg != "" || o.png != "" {
		chart := c.chart()
		if err := ui.WriteChart("--svg", o.svg, chart.SVG); err != nil {
			return err
		}
		if err := ui.WriteChart("--png", o.png, chart.PNG); err != nil {
			return err
		}
	}
	if o.scenarios == "" {
		return nil
	}
	forks, subagents, err := lab.Scenarios(c.rows[c.why].Query)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.scenarios, 0o755); err != nil {
		return ui.Failf(ui.Operating, "--scenarios: %w", err)
	}
	for name, text := range map[string][]byte{"fork.yaml": forks, "subagent.yaml": subagents} { // order: each is a file of its own
		err := ui.WriteFile("--scenarios", filepath.Join(o.scenarios, name), func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// profile is the model's of a row; it exists, since the row was run.
func profile(r *crossover.Row) *cachemodel.Profile {
	p, err := cachemodel.Lookup(r.Query.Model)
	if err != nil {
		panic("cli: " + err.Error())
	}
	return p
}
