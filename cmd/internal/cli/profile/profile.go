// Package profile is the command that measures recorded sessions, and compares what
// scenarios do with them.
package profile

import (
	"io"
	"os"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/profile"
	"agentsim/sim/vtime"

	"github.com/spf13/cobra"
)

// options are the flags of profile and of its merge.
type options struct {
	file, since, db string
	narrow          profile.Options
}

// NewProfile makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := newMeasure(s, o)
	addCheck(s, cmd, o)
	cmd.Use = "profile SOURCE…"
	cmd.Short = "measure how large recorded sessions are: prompts, calls, tools, by role"
	cmd.Long = `Measures recorded sessions (files or directories, every format that import reads), databases of runs and single runs: first
and last prompts, calls, growth, output, mix of tools, sizes and times of results, what children read that their parents
had read, by role and model family. Each figure has 21 quantiles, its number of samples and sessions, and its floor: how
far two halves of the sessions are apart in it.

The file is YAML and holds no text, path or name of a session; tools and types of agents that the client brings keep
their names. What the sources cannot tell is absent, with the reason. Repositories stay apart, since a profile of one does
not fit another; profile merge measures them as one. The same sources give the same file.

--check SCENARIO runs a scenario over seeds, measures its runs the same way and compares them with --against PROFILE: for
each figure recorded and simulated P10, P50 and P90, its floor and two distances (Kolmogorov-Smirnov, and Wasserstein in
the figure's unit), the worst first. It ends with 3 where a figure with a bound is further off than that. With sources it
halves these 20 times instead and compares with each half what the other one gives, beside what the halves are apart.

--coverage forecasts what each recorded session cost from the other half of its repository's sessions, and prints how often
the band from P10 to P90 held, how wide it is, and how much better it is than the plain bills of the other half.`
	cmd.Example = `  agentsim profile ~/.claude/projects -o ours.yaml
  agentsim profile sessions --since 2026-10-01 --type Explore
  agentsim profile show recorded-2026-11
  agentsim profile --check fork-vs-subagent --against ours.yaml`
	merge := newMeasure(s, &options{narrow: profile.Options{Joined: true}})
	merge.Use = "merge SOURCE…"
	merge.Short = "measure sources as one, which profile keeps apart"
	merge.Long = "Measures like profile, with the sessions of all sources as one population. Scenarios draw from such a profile."
	merge.Example = "  agentsim profile merge ~/.claude/projects -o ours.yaml"
	cmd.AddCommand(merge, newShow(s))
	return cmd
}

func newMeasure(s *ui.Env, o *options) *cobra.Command {
	cmd := &cobra.Command{Args: ui.AtLeastOne("the recorded sessions, databases or runs"),
		RunE: func(_ *cobra.Command, args []string) error { return o.measure(s, args) }}
	f := cmd.Flags()
	f.StringVarP(&o.file, "output", "o", "", "the `file` to write; without it the profile is printed")
	f.StringVar(&o.since, "since", "", "only sessions that began on that `day` (2026-10-01) or later")
	f.StringVar(&o.narrow.Type, "type", "", "only agents of this `type`, such as Explore")
	f.StringVar(&o.narrow.Model, "model", "", "only agents whose model's `name` holds this, such as opus")
	rundb.Flag(s, f, &o.db, "the `file` in which runs are looked up")
	return cmd
}

// replaces refuses to write over a file that is no profile.
func (o *options) replaces() error {
	if info, err := os.Stat(o.file); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	if _, err := loading.ReadProfile(o.file); err != nil {
		return ui.Failf(ui.Operating, "-o %s: the file is there already and is no profile; choose another name", ui.Quote(o.file))
	}
	return nil
}

// measure measures sources and writes what they come to.
func (o *options) measure(s *ui.Env, args []string) error {
	if err := o.replaces(); err != nil {
		return err
	}
	m, skipped, err := o.measured(s, args)
	if err != nil {
		return err
	}
	return o.write(s, m.Profile(), skipped)
}

// measured measures sources, and says how many things were skipped.
func (o *options) measured(s *ui.Env, args []string) (m *profile.Measure, skipped int64, err error) {
	if o.since != "" {
		var ok bool
		if o.narrow.Since, ok = vtime.ParseInstant(o.since + "T00:00:00Z"); !ok {
			return nil, 0, ui.Failf(ui.Usage, "--since %s: write a day such as 2026-10-01", o.since)
		}
	}
	m = profile.New(o.narrow)
	skipped, err = loading.Sessions(s, args, o.db, func(source string, x *recording.Session) { m.Add(source, x) })
	if err != nil {
		return nil, 0, err
	}
	if m.Empty() {
		err = ui.Failf(ui.Operating, "%s: no recorded session in a known format%s; agentsim import --help lists the formats", ui.QuoteAll(args), o.narrowed())
	}
	return m, skipped, err
}

// narrowed says what the flags leave.
func (o *options) narrowed() (text string) {
	for _, f := range [...]struct{ flag, value string }{{"--since", o.since}, {"--type", o.narrow.Type}, {"--model", o.narrow.Model}} {
		if f.value != "" {
			text += " with " + f.flag + " " + ui.Quote(f.value)
		}
	}
	return text
}

// write writes a profile to its file and says what it holds, or prints it.
func (o *options) write(s *ui.Env, p *profile.Profile, skipped int64) error {
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, p.Text())
		return err
	}
	if o.file == "" {
		return write(s.Stdout)
	}
	if err := ui.WriteFile("-o", o.file, write); err != nil {
		return err
	}
	d := &report.Document{}
	head(d, p)
	if skipped > 0 {
		d.Label("skipped", ui.Count(skipped)+" lines or files: agentsim import --dry-run lists what")
	}
	d.Label("written", o.file+", without any content; agentsim profile show "+ui.Quote(o.file)+" prints it")
	if len(p.Sources) > 1 {
		d.Label("merge", "agentsim profile merge measures the "+ui.Plural(len(p.Sources), "source")+" as one, which scenarios can draw from")
	}
	return s.Print("table", d)
}
