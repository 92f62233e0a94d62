package tool

import (
	"cmp"
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
	{name: "run_in_background", typ: booleanType, about: "Return at once with a task id; the output is read later from the file that the result names."},
}

// backgroundTimeout bounds a command in the background where nothing else is
// said: such as servers run on, but not for ever.
const backgroundTimeout = 24 * 3600 * vtime.Second

// Shell is what a command did beyond its output.
type Shell struct {
	Background bool   // the call asked for its result to come later
	Exit       int    // of the command
	About      string // what the command does, as the call describes it, else the command

	Wrote   []string // what it changed in the project: paths, or what else it changed
	Temp    []string // files that it changed below shell.TempDir
	Unknown []string // commands, options and syntax that are not there

	Conflicts []shell.Conflict // that its merges came upon
	Merged    []string         // files in which they put both sides
}

// Background is what a call of Bash that is to run in the background does, as it
// describes it; false of any other.
func Background(p *llm.Payload) (about string, is bool) {
	var in input
	if bashFields.read(p.Raw(), &in) != nil || in[3].kind != jsonTrue {
		return "", false
	}
	_, err := bashTimeout(&in)
	return aboutBash(&in), err == nil
}

// aboutBash is what a command does, as the call describes it, else the command.
func aboutBash(in *input) string { return cmp.Or(in[2].text(), in[0].text()) }

// runBash runs a command line in the agent's shell. Where one that is to run in the
// background runs is the agent layer's to arrange. Files that it shows are not
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
	env := shell.Env{FS: e.FS, Root: e.Root, Agent: e.Agent, Session: &s.Shell, Repo: e.repo(), Programs: e.Programs, Timeout: timeout, Wait: e.Wait, Interrupted: e.Interrupted}
	if e.Drawn != nil {
		env.Drawn = func(output string, took vtime.Duration) (string, vtime.Duration) {
			return e.Drawn(p.Raw(), output, took)
		}
	}
	r := shell.Run(&env, in[0].text())
	out := Result{Took: r.Took, IsError: r.Exit != 0 || r.Err != nil, Content: llm.NewText(llm.Code, bashResult(&r))}
	background := in[3].kind == jsonTrue
	if background || len(r.Wrote)+len(r.Temp)+len(r.Unknown)+len(r.Conflicts) > 0 {
		out.Shell = &Shell{Background: background, Exit: r.Exit, About: aboutBash(&in), Wrote: r.Wrote, Temp: r.Temp, Unknown: r.Unknown, Conflicts: r.Conflicts, Merged: r.Merged}
	}
	return out
}

// bashTimeout checks the input beyond its types and returns how long the
// command may run.
func bashTimeout(in *input) (vtime.Duration, error) {
	switch {
	case strings.TrimSpace(in[0].text()) == "":
		return 0, emptyField("command")
	case in[3].kind == jsonTrue && in[1].kind == absent:
		return backgroundTimeout, nil
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
