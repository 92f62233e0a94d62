package crossover

import (
	"strings"

	"agentsim/cmd/internal/forks"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
	"agentsim/sim/recording"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/pflag"
)

// measured compares for the sub-agents of recorded sessions and runs.
func (o *options) measured(s *ui.Env, args []string) error {
	if set := o.shaped(); len(set) > 0 {
		return ui.Failf(ui.Usage, "%s: sizes come from %s; leave it out, or leave the sources out", strings.Join(set, ", "), ui.QuoteAll(args))
	}
	in, simulated := &crossover.Inputs{}, false
	_, err := loading.Sessions(s, args, o.db, func(_ string, x *recording.Session) {
		simulated = simulated || x.Format == sqlite.Simulated
		in.Add(x)
	})
	if err != nil {
		return err
	}
	switch {
	case in.Sessions == 0:
		return loading.NoSession(args)
	case len(in.Children) == 0:
		return ui.Failf(ui.Operating, "%s: %s and no sub-agent that can be compared: name sessions whose agents had sub-agents, with their files", ui.QuoteAll(args), ui.Plural(in.Sessions, "session"))
	}
	p := &forks.Point{In: in, How: "simulated"}
	if simulated {
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

// shaped are the flags that say sizes, as typed.
func (o *options) shaped() (out []string) {
	o.flags.Visit(func(f *pflag.Flag) {
		if f.Name != "output" && f.Name != "db" && f.Name != "color" {
			out = append(out, "--"+f.Name)
		}
	})
	return out
}
