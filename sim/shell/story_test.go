package shell

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// TestStories tells the stories of testdata. Commands:
//
//	file PATH          put the input into the project
//	program WORDS [exit=N] [took=D]   script a program; the input is its output
//	test WORDS | GLOB | TOOK   script a test that takes lines with BAD for wrong
//	run [timeout=D] [interrupt=N] [tail=N]   run the input as a script; what follows the
//	                   output is said where it is not what is usual; it is
//	                   interrupted when it asks the Nth time
//	show PATH          print a file of the project
//	log                print the write log
//	readonly           say of each line whether it only reads
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			w := &world{files: map[string]string{}, programs: Programs()}
			datadriven.RunTest(t, file, w.command)
		})
	}
}

// world is a project with one agent's shell in it.
type world struct {
	files    map[string]string
	programs []Program
	env      *Env
}

func (w *world) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "file":
		w.files[d.CmdArgs[0].Key] = d.Input + "\n"
		return ""
	case "test":
		return w.test(t, d)
	case "program":
		p := Program{Output: d.Input + "\n"}
		var took string
		for _, a := range d.CmdArgs {
			switch a.Key {
			case "exit":
				d.ScanArgs(t, "exit", &p.Exit)
			case "took":
				d.ScanArgs(t, "took", &took)
			default:
				p.Words = strings.TrimSpace(p.Words + " " + a.Key)
			}
		}
		if took != "" {
			p.Took = duration(t, took)
		}
		w.programs = append([]Program{p}, w.programs...)
		return ""
	case "run":
		return w.run(t, d)
	case "show":
		w.open(t)
		c, ok := w.env.FS.Content(d.CmdArgs[0].Key)
		if !ok {
			return "there is no such file"
		}
		return c
	case "log":
		var b strings.Builder
		for _, l := range w.env.FS.Log() {
			fmt.Fprintf(&b, "%s %q→%q by %d\n", l.Path, l.Before, l.After, l.By)
		}
		return b.String()
	case "readonly":
		var b strings.Builder
		for _, l := range strings.Split(d.Input, "\n") {
			word := "no "
			if ReadOnly(l) {
				word = "yes"
			}
			b.WriteString(word + " " + l + "\n")
		}
		return b.String()
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

func duration(t *testing.T, s string) vtime.Duration {
	d, err := vtime.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// test scripts a test of the project in front of what there is.
func (w *world) test(t *testing.T, d *datadriven.TestData) string {
	var words []string
	for _, a := range d.CmdArgs {
		words = append(words, a.Key)
	}
	parts := strings.Split(strings.Join(words, " "), " | ")
	check := func(_ *workspace.FS, line string) string {
		if strings.Contains(line, "BAD") {
			return strings.TrimSpace(line)
		}
		return ""
	}
	p := Program{Words: parts[0], Took: duration(t, parts[2]), Test: &Test{Files: parts[1], Check: check, Ran: func() {}}}
	w.programs = append([]Program{p}, w.programs...)
	return ""
}

func (w *world) open(t *testing.T) {
	if w.env != nil {
		return
	}
	snap, err := workspace.NewSnapshot(w.files)
	if err != nil {
		t.Fatal(err)
	}
	w.env = &Env{FS: snap.Open(), Root: "/work/project", Agent: 7, Session: &Session{}, Repo: &Repo{}}
}

func (w *world) run(t *testing.T, d *datadriven.TestData) string {
	w.open(t)
	w.env.Programs, w.env.Timeout = w.programs, 0
	if d.HasArg("timeout") {
		var s string
		d.ScanArgs(t, "timeout", &s)
		w.env.Timeout = duration(t, s)
	}
	w.env.Interrupted = nil
	if d.HasArg("interrupt") {
		var n int
		d.ScanArgs(t, "interrupt", &n)
		w.env.Interrupted = func() bool { n--; return n <= 0 }
	}
	r := Run(w.env, d.Input)
	if d.HasArg("tail") {
		var n int
		d.ScanArgs(t, "tail", &n)
		ls := strings.SplitAfter(r.Output, "\n")
		r.Output = "…\n" + strings.Join(ls[max(0, len(ls)-n):], "")
	}
	return told(r, d.HasArg("took"))
}

// told is a result as a story shows it.
func told(r Result, took bool) string {
	var b strings.Builder
	out := strings.ReplaceAll(r.Output, "\t", "→")
	b.WriteString(out)
	if out != "" && !strings.HasSuffix(out, "\n") {
		b.WriteString("⏎\n")
	}
	if r.Exit != 0 {
		fmt.Fprintf(&b, "exit %d\n", r.Exit)
	}
	if r.Err != nil {
		fmt.Fprintf(&b, "error: %v\n", r.Err)
	}
	for _, l := range [...]struct {
		name string
		list []string
	}{{"wrote", r.Wrote}, {"temporary", r.Temp}, {"unknown", r.Unknown}} {
		if n := len(l.list); n > 30 {
			l.list = append(l.list[:2:2], fmt.Sprintf("and %d more", n-2))
		}
		if len(l.list) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", l.name, strings.Join(l.list, ", "))
		}
	}
	if took {
		fmt.Fprintf(&b, "took %v\n", r.Took)
	}
	return b.String()
}
