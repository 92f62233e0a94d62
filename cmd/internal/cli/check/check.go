// Package check is the command that says what stands in front of every agent of a
// repository, and holds it against a baseline.
package check

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/heads"
	"agentsim/sim/recording/profile"

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
	head      string
	output    string
	junit     string
	sarif     string
	prices    loading.Prices
	profile   string
	strict    bool
	turns     int64 // of the main agent; 0 as the profile has it

	limit metrics.Value
}

// defaultBaseline is where a repository's baseline is, inside it.
const defaultBaseline = ".agentsim/check.json"

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{day: heads.DefaultDay}
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "what is in front of every agent of a repository, compared with a baseline",
		Long: `Reads DIR (the present directory) as a client does: CLAUDE.md with its imports and rules, agent definitions, skills, MCP
servers, settings and git's status. It says what is in front of each type of agent, by part in the words of the
client's /context and by file and line, and what that costs a turn (cache read), to begin (cache write) and a day, whose
sessions are as long as recorded ones (--profile). Nothing is written, and nothing but git is started.

With a baseline (DIR/.agentsim/check.json, which --update writes and you commit) it says what grew, shrank, moved or was
reordered, which agent runs on another model, whose change that is, and what it costs all that have it together. It ends
with 3 where what the repository puts in front of an agent, tools that a definition lists included, grew over the
threshold or was reordered, or where its model
or the TTL of its cache entries makes the same head dearer by more than the threshold, where a part that the
baseline has, or the settings that it was made with, are gone since their file, their server or their import no longer
loads, or where something that is new does not load. Without a baseline it ends with 0, and as a gate (--strict, --baseline,
--junit or --sarif) with 7. What the client itself puts there, git's status and prices do not decide, nor does what did not load when the baseline was written, which the verdict counts. A server of which nobody saved
what it has counts by assumed sizes, and the verdict says so.`,
		Example: `  agentsim check
  agentsim check --update
  agentsim check --strict
  agentsim check src/shop --update
  agentsim check src/shop --threshold 5% --sarif check.sarif --junit check.xml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = append(args, ".")[0]
			if cmd.Flags().Changed("turns") && o.turns < 1 {
				return ui.Failf(ui.Usage, "--turns %d: write a number from 1 to %d", o.turns, most)
			}
			return run(s, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.baseline, "baseline", "", "the `file` to compare with (default DIR/"+defaultBaseline+")")
	f.BoolVar(&o.update, "update", false, "write the baseline")
	f.BoolVar(&o.strict, "strict", false, "end with 7 where there is no baseline, as a gate does")
	f.StringVar(&o.threshold, "threshold", "2%", "by how `much` a head may grow")
	f.Int64Var(&o.day.Sessions, "sessions", o.day.Sessions, "how many sessions a day has")
	f.Int64Var(&o.turns, "turns", 0, "how many turns of the main agent a session has, in place of the profile's")
	f.StringVar(&o.profile, "profile", profile.Default, "how long sessions are: a `profile` of the binary by name, or a file of agentsim profile")
	f.StringVar(&o.home, "home", "", "the user's `directory`, whose .claude counts too; not read by default")
	f.StringVar(&o.head, "heads", "", "a `file` with one request as your client sent it: its system prompt and tools in place of this program's")
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
	}{{"sessions", o.day.Sessions}, {"turns", max(o.turns, 1)}} {
		if n.n < 1 || n.n > most {
			return ui.Failf(ui.Usage, "--%s %d: write a number from 1 to %d", n.flag, n.n, most)
		}
	}
	return nil
}

// check is one use of the command.
type check struct {
	o     *options
	files *hostdir.Dir
	name  string // of the baseline
	*loading.Repository
	price  rundb.Pricing
	base   *heads.Heads  // nil for none
	report *heads.Report // of nothing without a baseline

	session  string   // what one of the day has, and how that is known
	recorded []string // what heads of recorded size cost
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
	if err := cmp.Or(c.shape(), c.compare()); err != nil {
		return err
	}
	if o.update {
		return c.write(s)
	}
	if err := errors.Join(s.Print(o.output, c.document()), c.writeFiles()); err != nil {
		return err
	}
	switch {
	case c.base == nil && (o.strict || o.baseline+o.junit+o.sarif != ""):
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
	c.Repository, err = loading.ReadRepository(dir, c.o.home, c.o.head, c.o.prices.Prices, c.price)
	return err
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
	c.report = heads.Compare(base, c.Heads, c.o.day, c.o.limit, c.Problems, func(file string) string {
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
	return ui.QuoteAll(append(append(words, ui.Flags("--home", c.o.home, "--heads", c.o.head, "--prices", c.o.prices.Name, "--baseline", c.o.baseline)...), "--update"))
}
