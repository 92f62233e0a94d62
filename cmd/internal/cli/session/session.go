// Package session is the command that runs a scenario's conversation as the process of a
// bridge's session: its user speaks and answers by lines on standard input.
package session

import (
	"errors"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/bridge"
	"agentsim/sim/bridge/session"

	"github.com/spf13/cobra"
)

// streamJSON is the one format of input and output.
const streamJSON = "stream-json"

// options are the flags.
type options struct {
	print    bool
	in, out  string
	id       string
	variant  string
	sets     []string
	scenario string
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "session SCENARIO",
		Short: "run a scenario's conversation by lines of stream-json",
		Long: `Runs the main conversation of a scenario as a process that a bridge starts for a session. The user's messages, answers to
questions and new tokens come as lines on standard input; what agents say and do, questions and results go as lines to
standard output. Time is virtual: "at" says when, in nanoseconds, also of a line that comes. It ends with its input. A message of the user is a line such as
{"type":"user","message":{"role":"user","content":"Is the door open?"}}.`,
		Example: "  agentsim session --print --input-format stream-json --output-format stream-json hello",
		Args:    ui.Exactly(1, "one scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.scenario = args[0]
			return run(s, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.print, "print", false, "print lines, and nothing for a person; required")
	f.StringVar(&o.in, "input-format", "", "the `format` of input: "+streamJSON+"; required")
	f.StringVar(&o.out, "output-format", "", "the `format` of output: "+streamJSON+"; required")
	f.StringVar(&o.id, "session-id", "session", "the `id` that lines bear")
	f.StringVar(&o.variant, "variant", "", "the `variant` to run (default: the first)")
	f.StringArrayVar(&o.sets, "set", nil, "override one value, as `path=value`; may be repeated")
	return cmd
}

func run(s *ui.Env, o *options) error {
	if !o.print || o.in != streamJSON || o.out != streamJSON {
		return ui.Failf(ui.Usage, "a session speaks by lines alone: write --print --input-format %s --output-format %s", streamJSON, streamJSON)
	}
	spec, err := loading.Spec(s, o.scenario, o.variant, o.sets)
	if err != nil {
		return err
	}
	x, err := session.New(spec, o.id, s.Getenv(bridge.TokenVariable))
	if err != nil {
		return ui.Fail(ui.Usage, err)
	}
	err = x.Serve(s.Stdin, s.Stdout)
	if errors.Is(err, session.ErrInput) {
		return ui.Fail(ui.Operating, err)
	}
	return err
}
