package worktree

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/sim/shell"
	"agentsim/sim/workspace"
)

// TestStories tells the stories of testdata of a project in memory and of one on the
// disk, with the same shell commands; what they answer must be the same. Commands:
//
//	project [none] [empty] [linked=DIR]   the project's files, each a line PATH TEXT
//	add SLUG      make a worktree
//	sh [in=SLUG]  run the input in the project's directory, or in a worktree
//	files [in=SLUG]   list the files and their content
//	end SLUG      end a worktree
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			var both [2]*world
			dir, n := t.TempDir(), 0
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd == "project" {
					n++
					both = [2]*world{{project: newMemory(t, parse(d))}, {project: newDisk(t, filepath.Join(dir, strconv.Itoa(n)), parse(d))}}
				}
				memory, disk := both[0].command(t, d), both[1].command(t, d)
				if memory != disk {
					t.Errorf("%s: in memory:\n%s\non the disk:\n%s", d.Pos, memory, disk)
				}
				return memory
			})
		})
	}
}

// project is a repository with a shell.
type project interface {
	Repository
	run(slug, script string) (output string, exit int)
	files(slug string) string
}

type world struct {
	project project
	trees   map[string]*Worktree
}

func (w *world) command(t *testing.T, d *datadriven.TestData) string {
	slug := ""
	d.MaybeScanArgs(t, "in", &slug)
	switch d.Cmd {
	case "project":
		w.trees = map[string]*Worktree{}
		return ""
	case "add":
		name := d.CmdArgs[0].Key
		tree, err := Make(w.project, name)
		if err != nil {
			return err.Error() + "\n"
		}
		w.trees[name] = tree
		return Path(name) + " on " + Branch(name) + "\n"
	case "sh":
		out, exit := w.project.run(slug, d.Input)
		if exit != 0 {
			out += fmt.Sprintln("exit", exit)
		}
		return out
	case "files":
		return w.project.files(slug)
	case "end":
		name := d.CmdArgs[0].Key
		kept := w.trees[name].End()
		return fmt.Sprintf("kept %v, there %v\n", kept, w.project.Taken(name))
	}
	t.Fatalf("%s: no command %s", d.Pos, d.Cmd)
	return ""
}

// given is what a project begins as.
type given struct {
	files       map[string]string
	linked      []string
	none, empty bool // no repository, or one without a commit
}

func parse(d *datadriven.TestData) given {
	g := given{files: map[string]string{}}
	for line := range strings.Lines(d.Input) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		g.files[name] = strings.ReplaceAll(text, `\`, "\n")
	}
	for _, a := range d.CmdArgs {
		g.none, g.empty = g.none || a.Key == "none", g.empty || a.Key == "empty"
		if a.Key == "linked" {
			g.linked = a.Vals
		}
	}
	return g
}

// memory is a project in memory.
type memory struct {
	Memory
	trees map[string]*Copy
}

func newMemory(t failer, g given) *memory {
	snap, err := workspace.NewSnapshot(g.files)
	if err != nil {
		t.Fatal(err)
	}
	repo := &shell.Repo{None: g.none, Empty: g.empty}
	repo.Ignore(g.linked)
	return &memory{Memory{snap.Open(), repo, g.linked}, map[string]*Copy{}}
}

func (m *memory) Add(slug string) (Tree, error) {
	t, err := m.Memory.Add(slug)
	if err == nil {
		m.trees[slug] = t.(*Copy)
	}
	return t, err
}

func (m *memory) at(slug string) Copy {
	if slug == "" {
		return Copy{m.FS, m.Repo}
	}
	return *m.trees[slug]
}

func (m *memory) run(slug, script string) (string, int) {
	in, root := m.at(slug), "/work/project"
	if slug != "" {
		root += "/" + Path(slug)
	}
	r := shell.Run(&shell.Env{FS: in.FS, Repo: in.Repo, Root: root, Session: &shell.Session{}}, script)
	return r.Output, r.Exit
}

func (m *memory) files(slug string) (out string) {
	fs := m.at(slug).FS
	for _, p := range fs.Paths() {
		text, _ := fs.Content(p)
		out += p + " " + strings.ReplaceAll(text, "\n", `\`) + "\n"
	}
	return out
}

func TestWorktrees(t *testing.T) {
	t.Run("WKT-04 a worktree of which nobody can tell whether it changed is kept, and ends once", testUnknown)
}

// unknown is a tree that has lost its head.
type unknown struct{ asked int }

func (u *unknown) Changed() (bool, error) { u.asked++; return false, errors.New("no head") }
func (u *unknown) Remove() error          { return errors.New("removed") }

func testUnknown(t *testing.T) {
	u := &unknown{}
	w := &Worktree{Slug: "a", Tree: u}
	first, again := w.End(), w.End()
	if !first || !again || u.asked != 1 {
		t.Errorf("kept %v, then %v, asked %d times", first, again, u.asked)
	}
}
