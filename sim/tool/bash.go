package tool

import (
	"errors"
	"fmt"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/shell"
	"agentsim/sim/vtime"
)

var bashFields = fields{
	{name: "command", required: true, about: "The command line to run."},
	{name: "timeout", typ: integerType, about: "Longest run in milliseconds, at most 600000; 120000 when left out."},
	{name: "description", about: "What the command does, in five to ten words, for whoever watches."},
	{name: "run_in_background", typ: booleanType, about: "Return at once with a task id; the output is read later with TaskOutput."},
}

// Shell is what a command did beyond its output.
type Shell struct {
	Wrote   []string // what it changed in the project: paths, or what else it changed
	Temp    []string // files that it changed below shell.TempDir
	Unknown []string // commands that it called and that are not there
}

// runBash runs a command line in the agent's shell. Files that it shows are not
// read in the sense of Edit: the result marks no version.
func runBash(e *Env, p *llm.Payload) Result {
	var in input
	if err := bashFields.read(p.Raw(), &in); err != nil {
		return badInput("Bash", err)
	}
	timeout, err := bashTimeout(&in)
	if err != nil {
		return badInput("Bash", err)
	}
	s := e.session()
	r := shell.Run(&shell.Env{FS: e.FS, Root: e.Root, Agent: e.Agent, Session: &s.Shell, Repo: e.repo(), Programs: e.Programs, Timeout: timeout}, in[0].text())
	out := Result{Took: r.Took, IsError: r.Exit != 0 || r.Err != nil, Content: llm.NewText(llm.Code, bashResult(&r))}
	if len(r.Wrote)+len(r.Temp)+len(r.Unknown) > 0 {
		out.Shell = &Shell{r.Wrote, r.Temp, r.Unknown}
	}
	return out
}

// bashTimeout checks the input beyond its types and returns how long the
// command may run.
func bashTimeout(in *input) (vtime.Duration, error) {
	switch {
	case strings.TrimSpace(in[0].text()) == "":
		return 0, emptyField("command")
	case in[3].kind == jsonTrue:
		return 0, errors.New("commands cannot run in the background here: leave run_in_background out, and set timeout for one that runs long")
	case in[1].kind == absent:
		return shell.DefaultTimeout, nil
	}
	most := int(shell.MaxTimeout.Milliseconds())
	n := in[1].integerOr(0)
	if n < 1 || n > most {
		return 0, fmt.Errorf("field %q must be from 1 to %d, not %d", "timeout", most, n)
	}
	return vtime.Duration(n) * vtime.Millisecond, nil
}

// bashResult is the result as the model reads it: the exit code where it is not
// 0, the output, and why the command did not run to its end.
func bashResult(r *shell.Result) string {
	text := strings.ToValidUTF8(r.Output, "\uFFFD")
	if r.Exit != 0 {
		text = fmt.Sprintf("Exit code %d\n%s", r.Exit, text)
	}
	if r.Err != nil {
		if text != "" && text[len(text)-1] != '\n' {
			text += "\n"
		}
		text += "bash: " + r.Err.Error()
	}
	if text == "" {
		return "(no output)"
	}
	return text
}

// bashReads reports whether a call of Bash only reads (LOOP-03).
func bashReads(p *llm.Payload) bool {
	var in input
	if err := bashFields.read(p.Raw(), &in); err != nil {
		return false
	}
	return shell.ReadOnly(in[0].text())
}
