// Package bridge is the command that plays a bridge between a control plane and the
// processes of sessions.
package bridge

import (
	"fmt"
	"os"
	"strings"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim"
	"agentsim/sim/bridge"
	"agentsim/sim/bridge/session"
	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"

	"github.com/spf13/cobra"
)

// options are the flags.
type options struct {
	bridge.Options
	scenario, variant string
	sets, gates       []string
	mode, policy      string
	away, kill        []string
	seed              uint64
	stop              vtime.Duration
	processes, log    bool
	output            string
}

// span is a flag that is a time.
type span struct{ to *vtime.Duration }

func (d span) String() string {
	if d.to == nil {
		return ""
	}
	return d.to.String()
}

func (d span) Type() string { return "duration" }

// Set reads it.
func (d span) Set(text string) (err error) {
	*d.to, err = vtime.ParseDuration(text)
	if err == nil && *d.to < 0 {
		err = fmt.Errorf("write a duration from 0 on")
	}
	return err
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	o.Slots, o.TimeOut, o.Life, o.Link, o.Thinks = bridge.DefaultSlots, bridge.DefaultTimeOut, vtime.Hour, 50*vtime.Millisecond, 20*vtime.Second
	cmd := &cobra.Command{
		Use:   "bridge SCENARIO",
		Short: "play remote control: a control plane, a bridge, and a process for each session",
		Long: `Plays a bridge on virtual time. It registers with a control plane, polls it for sessions, starts a process for each
(agentsim session, on the scenario), carries lines, questions and tokens between the two, and tells how sessions end. What
becomes of the network, the control plane and processes, flags say. How long questions waited for their answers stands
beside the lifetime of the cache, which a conversation that waits longer has to write again.`,
		Example: `  agentsim lab bridge hello --log
  agentsim lab bridge hello --mode same-dir --gate tengu_ccr_bridge_multi_session=true --sessions 40 --away 2s..90s`,
		Args: ui.Exactly(1, "one scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.scenario = args[0]
			return run(s, o)
		},
	}
	f := cmd.Flags()
	ui.ChoiceFlag(f, &o.mode, "mode", "", "how sessions run", bridge.Modes...)
	f.StringArrayVar(&o.gates, "gate", nil, "set a gate, as `name=value`; may be repeated")
	f.IntVar(&o.Sessions, "sessions", 1, "how many sessions users want")
	f.IntVar(&o.Slots, "slots", o.Slots, "how many run at one time")
	f.StringArrayVar(&o.Messages, "message", nil, "a `message` of each user; may be repeated (default: the scenario's first)")
	f.Int64Var(&o.Loss, "loss", 0, "how many of a thousand calls are lost, and as many answers")
	f.Int64Var(&o.Nonsense, "nonsense", 0, "how many of a thousand answers of the control plane make no sense")
	f.StringArrayVar(&o.away, "away", nil, "when the control plane is away, as `from..to`; may be repeated")
	f.StringArrayVar(&o.kill, "kill", nil, "when the first process that runs is killed (kill -9), as `duration`; may be repeated")
	for _, d := range []struct {
		name, usage string
		to          *vtime.Duration
	}{{"link", "how long a message takes one way", &o.Link}, {"answer", "how long users think about a question", &o.Thinks},
		{"token", "how long a session's token holds", &o.Life}, {"refresh", "how long a refresh of it takes", &o.Slow},
		{"timeout", "how long a session may take", &o.TimeOut}, {"stop", "when the bridge is stopped (default: when all sessions are over)", &o.stop}} {
		f.Var(span{d.to}, d.name, d.usage)
	}
	f.BoolVar(&o.processes, "processes", false, "real processes on this machine")
	f.BoolVar(&o.log, "log", false, "print what the bridge does")
	f.StringVar(&o.variant, "variant", "", "the `variant` to run (default: the first)")
	f.StringArrayVar(&o.sets, "set", nil, "override one value, as `path=value`; may be repeated")
	f.Uint64Var(&o.seed, "seed", 1, "what losses and nonsense are drawn from")
	f.StringVar(&o.policy, "policy", "fifo", "who goes first among equals: fifo, random, pct:DEPTH[:CHOICES] or replay:LIST")
	ui.OutputFlag(f, &o.output)
	return cmd
}

// read completes what the flags say.
func (o *options) read() (err error) {
	o.Key, o.Mode, o.Token, o.Directory, o.Stop = rng.Root(o.seed), bridge.Mode(o.mode), "outer", ".", vtime.Instant(o.stop)
	if o.Policy, err = kernel.PolicyNamed(o.policy, o.Key.Sub("policy")); err != nil {
		return ui.Failf(ui.Usage, "--policy %s: %w", o.policy, err)
	}
	o.Gates = gate.Default()
	for _, g := range o.gates {
		name, value, _ := strings.Cut(g, "=")
		if name != gate.BridgeMultiSession {
			return ui.Failf(ui.Usage, "--gate %s: a bridge reads the gate %s alone", g, gate.BridgeMultiSession)
		}
		if err := o.Gates.Set(name, value); err != nil {
			return ui.Failf(ui.Usage, "--gate %s: %w", g, err)
		}
	}
	for _, text := range o.away {
		from, to, _ := strings.Cut(text, "..")
		a, bad := vtime.ParseDuration(from)
		b, worse := vtime.ParseDuration(to)
		if bad != nil || worse != nil || a < 0 || b < a {
			return ui.Failf(ui.Usage, "--away %s: write from..to, such as 30s..2m", text)
		}
		o.Away = append(o.Away, bridge.Away{From: vtime.Instant(a), To: vtime.Instant(b)})
	}
	for _, text := range o.kill {
		at, err := vtime.ParseDuration(text)
		if err != nil || at < 0 {
			return ui.Failf(ui.Usage, "--kill %s: write when, such as 30s", text)
		}
		o.Kill = append(o.Kill, vtime.Instant(at))
	}
	if o.Sessions < 1 || o.Slots < 1 || o.TimeOut == 0 || o.Life == 0 || min(o.Loss, o.Nonsense) < 0 || max(o.Loss, o.Nonsense) > 1000 {
		return ui.Failf(ui.Usage, "--sessions, --slots, --timeout and --token are 1 or more, --loss and --nonsense from 0 to 1000")
	}
	return nil
}

func run(s *ui.Env, o *options) error {
	if err := o.read(); err != nil {
		return err
	}
	spec, err := loading.Spec(s, o.scenario, o.variant, o.sets)
	if err != nil {
		return err
	}
	start, err := o.start(spec)
	if err != nil {
		return err
	}
	if len(o.Messages) == 0 {
		o.Messages = []string{first(spec)}
	}
	out, err := bridge.Play(o.Options, start)
	if err != nil {
		return ui.Fail(ui.Usage, err)
	}
	return s.Print(o.output, o.document(spec, out))
}

// first is what the scenario's user says first.
func first(spec *sim.Spec) string {
	if u := spec.Scenario.Main.User; u != nil && u.Text != "" {
		return u.Text
	}
	return "Please begin."
}

// start is how sessions are started, which is tried.
func (o *options) start(spec *sim.Spec) (bridge.Start, error) {
	inside := func(id, _, token string) (bridge.Runner, error) { return session.New(spec, id, token) }
	if _, err := inside("", "", ""); err != nil || !o.processes {
		return inside, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, ui.Fail(ui.Operating, err)
	}
	args := []string{"session", "--print", "--input-format", "stream-json", "--output-format", "stream-json", o.scenario}
	args = append(args, ui.Flags("--variant", o.variant)...)
	for _, set := range o.sets {
		args = append(args, "--set", set)
	}
	return starter(program, args...), nil
}

// document is what it came to.
func (o *options) document(spec *sim.Spec, out *bridge.Outcome) *report.Document {
	d := &report.Document{}
	if o.log {
		for _, line := range out.Log {
			d.Say("%s", line)
		}
		d.Say("")
	}
	type col = report.Column[bridge.Row]
	text := func(name string, of func(r *bridge.Row) string) col {
		return col{Name: name, Head: strings.ToUpper(name), Of: func(r bridge.Row) report.Value { return report.Text(of(&r)) }}
	}
	count := func(name string, of func(r *bridge.Row) int) col {
		return col{Name: name, Head: strings.ToUpper(name), Of: func(r bridge.Row) report.Value { return report.Count(of(&r)) }}
	}
	d.Table(report.TableOf("sessions", out.Sessions, text("session", func(r *bridge.Row) string { return r.ID }),
		text("status", func(r *bridge.Row) string {
			if r.Status == "" {
				return "open"
			}
			return string(r.Status)
		}),
		count("processes", func(r *bridge.Row) int { return r.Attempts }), count("heartbeats", func(r *bridge.Row) int { return r.Beats }), count("lines", func(r *bridge.Row) int { return r.Lines }),
		count("questions", func(r *bridge.Row) int { return r.Asked }), count("tokens", func(r *bridge.Row) int { return r.Tokens }),
		count("refused", func(r *bridge.Row) int { return r.Refused }), text("last", func(r *bridge.Row) string { return strings.TrimSpace(r.Last.Kind + " " + r.Last.Summary) })))
	d.Say("")
	d.Label("ended", vtime.Duration(out.End).String())
	if n := len(out.Rounds); n > 0 {
		ttl := spec.Scenario.Provider.TTL.Duration()
		longer := 0
		for _, r := range out.Rounds {
			if r > ttl {
				longer++
			}
		}
		d.Label("questions", fmt.Sprintf("%s answered after %s (median) to %s; %d waited longer than the cache's %s", ui.Count(int64(n)), out.Rounds[n/2], out.Rounds[n-1], longer, ttl))
	}
	return d
}
