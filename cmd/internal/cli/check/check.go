// Package check is the command that says what stands in front of every agent of a
// repository, and holds it against a baseline.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/heads"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/definition"
	"agentsim/sim/project"

	"github.com/spf13/cobra"
)

// options are the flags of check.
type options struct {
	dir       string
	baseline  string
	update    bool
	threshold string
	day       heads.Day
	home      string
	output    string
	junit     string
	sarif     string
	prices    loading.Prices

	limit metrics.Value
}

// defaultBaseline is where a repository's baseline is, inside it.
const defaultBaseline = ".agentsim/check.json"

// defaultModel is the main agent's where settings name none.
const defaultModel = "claude-sonnet-5-5"

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{day: heads.DefaultDay}
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "what stands in front of every agent of a repository, against a baseline",
		Long: `Reads DIR (the present directory) as a client does: CLAUDE.md with its imports and rules, agent definitions, skills, MCP
servers, settings and git's status. It says what stands in front of each type of agent, by part in the words of the
client's /context and by file and line, and what that costs a turn (cache read), to begin (cache write) and a day. Nothing
is written, and nothing but git is started.

With a baseline (DIR/.agentsim/check.json, which --update writes and you commit) it says what grew, shrank, moved or was
reordered, whose change that is, and what it costs. It ends with 3 where what the repository puts in front of an agent
grew over the threshold or was reordered, and with 7 where there is no baseline. What the client itself puts there, git's
status and prices do not decide; what is assumed is marked so.`,
		Example: `  agentsim check --update
  agentsim check
  agentsim check src/shop --update
  agentsim check src/shop --threshold 5% --sarif check.sarif --junit check.xml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.dir = append(args, ".")[0]
			return run(s, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.baseline, "baseline", "", "the `file` to compare with (default DIR/"+defaultBaseline+")")
	f.BoolVar(&o.update, "update", false, "write the baseline")
	f.StringVar(&o.threshold, "threshold", "2%", "by how `much` a head may grow")
	f.Int64Var(&o.day.Sessions, "sessions", o.day.Sessions, "how many sessions a day has")
	f.Int64Var(&o.day.Turns, "turns", o.day.Turns, "how many turns of the main agent a session has")
	f.StringVar(&o.home, "home", "", "the user's `directory`, whose .claude counts too; not read by default")
	o.prices.Add(f)
	ui.OutputFlag(f, &o.output)
	f.StringVar(&o.junit, "junit", "", "also write JUnit XML into this `file`")
	f.StringVar(&o.sarif, "sarif", "", "also write SARIF 2.1.0 into this `file`")
	return cmd
}

// most is how many sessions or turns are taken.
const most = 1_000_000

func (o *options) check() error {
	v, err := metrics.ParseValue(o.threshold)
	if err != nil || v.Unit != metrics.Ratio || v.Num < 0 {
		return ui.Failf(ui.Usage, "--threshold %s: write a percentage, such as 2%%", o.threshold)
	}
	o.limit = v
	for _, n := range []struct {
		flag string
		n    int64
	}{{"sessions", o.day.Sessions}, {"turns", o.day.Turns}} {
		if n.n < 1 || n.n > most {
			return ui.Failf(ui.Usage, "--%s %d: write a number from 1 to %d", n.flag, n.n, most)
		}
	}
	return nil
}

// check is one use of the command.
type check struct {
	o        *options
	files    *hostdir.Dir
	name     string // of the baseline
	found    *project.Found
	problems []*definition.Problem
	price    rundb.Pricing
	now      *heads.Heads
	base     *heads.Heads  // nil for none
	report   *heads.Report // of nothing without a baseline
	model    string        // why the model is what it is; "" where settings name it
}

func run(s *ui.Env, o *options) error {
	if err := cmp.Or(o.check(), o.prices.Read()); err != nil {
		return err
	}
	c := &check{o: o, name: o.baseline, price: o.prices.Of(""), report: &heads.Report{}}
	if c.name == "" {
		c.name = filepath.ToSlash(filepath.Join(o.dir, filepath.FromSlash(defaultBaseline)))
	}
	if err := c.read(); err != nil {
		return err
	}
	defer c.files.Close()
	if err := c.compare(); err != nil {
		return err
	}
	if o.update {
		return c.write(s)
	}
	if err := errors.Join(s.Print(o.output, c.document()), c.writeFiles()); err != nil {
		return err
	}
	switch {
	case c.base == nil:
		return ui.Failf(ui.NoBaseline, "%s: there is no such baseline; write it with: %s", c.name, c.updating())
	case c.report.Fails():
		return ui.Said(ui.Missed)
	}
	return nil
}

// read reads the repository.
func (c *check) read() (err error) {
	dir := c.o.dir
	if err := loading.CheckDirectory(dir); err != nil {
		return err
	}
	if c.files, err = hostdir.OpenDir(dir); err != nil {
		return ui.Failf(ui.Operating, "%s: %w", dir, err)
	}
	from, done, err := loading.Source(dir, c.o.home, hostdir.Limits{}, nil)
	if err != nil {
		return err
	}
	defer done()
	layout := client.Find(client.Default)
	c.found = project.Read(from, layout, 0)
	model := c.mainModel()
	if profile, err := cachemodel.Lookup(model); err == nil && profile.Window > 0 {
		c.found = project.Read(from, layout, profile.Window)
	}
	return c.heads(model)
}

// aliases are the models that are taken for aliases.
var aliases = map[string]string{"opus": "claude-opus-5-5", "sonnet": defaultModel, "haiku": "claude-haiku-5-5"}

// mainModel is the model of the main agent.
func (c *check) mainModel() string {
	set := c.found.Settings.Model
	model := cmp.Or(aliases[set.Value], set.Value)
	if _, err := cachemodel.Lookup(model); err == nil && model != "" {
		return model
	}
	c.model = "model " + defaultModel + ": no settings name one"
	if set.Value != "" {
		c.model = fmt.Sprintf("model %s: that of %s, %s, has no known prices", defaultModel, set.From, set.Value)
	}
	return defaultModel
}

// heads reads the definitions and puts the heads together.
func (c *check) heads(model string) error {
	files, problems := definition.ReadDeep(c.files)
	sc := scenarios.Defaults()
	sc.Project.Agents.BuiltIns, sc.Provider.Aliases = []string{agent.TypePlan}, aliases
	set, err := sim.Definitions(sc, []definition.Source{{From: agent.FromProject, Files: files, Deep: true}})
	if err != nil {
		return err
	}
	for _, p := range c.found.Problems {
		p.File = strings.TrimPrefix(p.File, filepath.ToSlash(filepath.Clean(c.o.dir))+"/")
	}
	c.problems = append(c.found.Problems, slices.DeleteFunc(slices.Concat(problems, set.Problems), func(p *definition.Problem) bool {
		return slices.ContainsFunc(c.found.Problems, func(x *definition.Problem) bool { return x.File == p.File }) // settings, read twice
	})...)
	c.now = heads.Of(heads.Input{Found: c.found, Definitions: set.Definitions, Model: model, Aliases: aliases, Semantics: sim.Semantics, Price: c.price})
	return nil
}

// maxBaseline is what is read of a baseline.
const maxBaseline = 64 << 20

// compare reads the baseline, where there is one, and compares.
func (c *check) compare() error {
	text, err := hostdir.Text(c.name, maxBaseline)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return ui.Unusable("--baseline", c.name, err)
	}
	base, err := heads.Read(c.name, string(text))
	switch {
	case err != nil && c.o.update: // it is written anew
		return nil
	case err != nil:
		return ui.Fail(ui.Operating, err)
	}
	c.base = base
	c.report = heads.Compare(base, c.now, c.o.limit, func(file string) string {
		text, err := c.files.Read(file, maxBaseline)
		if strings.HasPrefix(file, "../") {
			text, err = hostdir.Text(filepath.Join(c.o.dir, filepath.FromSlash(file)), maxBaseline)
		}
		if err != nil {
			return "" // it has no lines to name
		}
		return string(text)
	})
	return nil
}

// updating is the command line that writes the baseline.
func (c *check) updating() string {
	words := []string{"agentsim", "check"}
	if c.o.dir != "." {
		words = append(words, c.o.dir)
	}
	return ui.QuoteAll(append(append(words, ui.Flags("--home", c.o.home, "--prices", c.o.prices.Name, "--baseline", c.o.baseline)...), "--update"))
}
