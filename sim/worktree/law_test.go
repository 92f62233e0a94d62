package worktree

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// cases is how many projects TestOnDisk makes, each with a process of git or more for
// every step; a thousand take an hour of them.
var cases = flag.Int("cases", 12, "how many projects TestOnDisk makes on the disk")

// TestOnDisk: what random scripts do to files and branches, in a project and its two
// worktrees, a shell and git on a disk answer as it is answered in memory, and leave the
// same files.
func TestOnDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of processes of git")
	}
	all, dir := rapid.SliceOfN(rapid.Custom(drawStep), 30, 30), t.TempDir()
	t.Run("SCN-06 WKT-06 files and git on a disk answer as in memory", func(t *testing.T) {
		for n := range *cases {
			same(t, filepath.Join(dir, fmt.Sprint(n)), all.Example(n))
		}
	})
}

// commands are what random scripts are made of; about says what a letter stands for.
var commands = strings.Split(`echo W > F|echo W >> F|rm F|mv F F|cp F F|touch F|cat F|ls|ls d|grep -rn one d|grep -n one F|grep -c one F|wc -l F|`+
	`head -n 2 F|tail -n 1 F|mkdir -p d/e|rm -r d|find . -name F|`+
	`git add F|git add -A|git add .|git commit -q -m W|git commit -q -a -m W|git commit -m W|git status|git status --short|git diff|git diff F|git diff --stat|git diff --cached|`+
	`git diff HEAD|git diff --name-only|git diff main|git diff main...B|git log --oneline|git log --oneline -n 1|git log --oneline main..HEAD|git branch|`+
	`git merge -q B|git merge B|git merge --abort|git merge B; git status|git add F; git merge B|rm F; git merge B|echo W > F; git merge B|`+
	`echo W >> F && git add -A && git commit -m W|echo W > F; git commit -a -m W|rm F && git commit -a -m W`, "|")

var about = map[string]string{"F": "a.txt b.txt d/c.txt new.txt d/new.txt", "W": "one two three", "B": "main worktree-left worktree-right"}

var letter = regexp.MustCompile(`\b[FWB]\b`)

// step is a command and where it is carried out, "" for the project itself.
type step struct{ tree, command string }

func drawStep(t *rapid.T) step {
	draw := func(words string) string { return rapid.SampledFrom(strings.Split(words, " ")).Draw(t, "word") }
	return step{draw(" left right"), letter.ReplaceAllStringFunc(rapid.SampledFrom(commands).Draw(t, "command"), func(l string) string { return draw(about[l]) })}
}

// named are names of commits, which both give by themselves; bash names its lines.
var named = regexp.MustCompile(`\b[0-9a-f]{7,40}\b|bash: line 1`)

func same(t *testing.T, dir string, steps []step) {
	g := given{files: map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n", "b.txt": "one\n", "d/c.txt": "x\none\n"}}
	m, d, said := newMemory(t, g), newDisk(t, dir, g), ""
	for _, slug := range []string{"left", "right"} {
		for _, p := range []project{m, d} {
			if _, err := Make(p, slug); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range steps {
		said += "\n" + s.tree + "$ " + s.command
		inMemory, exit := m.run(s.tree, s.command)
		out, exit2 := d.run(s.tree, s.command)
		if strings.Contains(out, "\n rename ") { // in memory a file that goes and one that comes
			return
		}
		a, b := comparable(inMemory, s.command), comparable(strings.ReplaceAll(out, d.root, "/work/project"), s.command)
		if a != b || exit != exit2 {
			t.Errorf("%s\nin memory, exit %d:\n%s\non the disk, exit %d:\n%s", said, exit, a, exit2, b)
			return
		}
		if a, b := m.files(s.tree), d.files(s.tree); a != b {
			t.Errorf("%s\nin memory:\n%s\non the disk:\n%s", said, a, b)
			return
		}
	}
}

// comparable is an output without the names of commits; directories of a disk have an
// order of their own.
func comparable(out, command string) string {
	out = named.ReplaceAllStringFunc(out, func(name string) string {
		if name == "bash: line 1" {
			return "bash"
		}
		return "X"
	})
	if strings.HasPrefix(command, "grep") || strings.HasPrefix(command, "find") {
		out = strings.Join(slices.Sorted(strings.Lines(out)), "")
	}
	return out
}
