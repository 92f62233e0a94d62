package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// disk is a project on the disk, in a repository of git.
type disk struct {
	t      failer
	root   string
	linked []string
}

// onDisk is a worktree of it, and the commit that it was made of.
type onDisk struct {
	d          *disk
	slug, head string
}

// failer is a test, or a case of one that is drawn.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newDisk(t failer, dir string, g given) *disk {
	p := &disk{t: t, root: filepath.Join(dir, "project"), linked: g.linked}
	for name, text := range g.files { // order: any will do
		at := filepath.Join(p.root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if g.none {
		return p
	}
	p.must("git init -q --template= -b main && mkdir -p .git/info && git config diff.renames false && git config merge.renames false && git config status.renames false")
	exclude := ".claude/worktrees\n" + strings.Join(g.linked, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(p.root, ".git/info/exclude"), []byte(exclude), 0o644); err != nil {
		t.Fatal(err)
	}
	if !g.empty {
		p.must("git add -A && git commit -q -m 'the project as it was when the run began'")
	}
	return p
}

func (p *disk) dir(slug string) string {
	if slug == "" {
		return p.root
	}
	return filepath.Join(p.root, Path(slug))
}

func (p *disk) run(slug, script string) (string, int) {
	c := exec.Command("bash", "-c", script)
	c.Dir = p.dir(slug)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(p.root), "GIT_CEILING_DIRECTORIES=" + filepath.Dir(p.root),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2025-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2025-01-01T00:00:00Z"}
	out, err := c.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

func (p *disk) must(script string) string {
	out, exit := p.run("", script)
	if exit != 0 {
		p.t.Fatalf("%s: %s", script, out)
	}
	return strings.TrimSpace(out)
}

func (p *disk) files(slug string) (out string) {
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := os.ReadDir(filepath.Join(p.dir(slug), dir))
		if err != nil {
			p.t.Fatal(err)
		}
		for _, e := range entries {
			at := filepath.Join(dir, e.Name())
			info, err := os.Stat(filepath.Join(p.dir(slug), at)) // through links
			switch {
			case err != nil:
				p.t.Fatal(err)
			case e.Name() == ".git" || at == ".claude":
			case info.IsDir():
				walk(at)
			default:
				text, err := os.ReadFile(filepath.Join(p.dir(slug), at))
				if err != nil {
					p.t.Fatal(err)
				}
				out += at + " " + strings.ReplaceAll(string(text), "\n", `\`) + "\n"
			}
		}
	}
	walk("")
	lines := strings.SplitAfter(out, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// Taken implements Repository.
func (p *disk) Taken(slug string) bool {
	_, exit := p.run("", "git show-ref -q --verify refs/heads/"+Branch(slug))
	_, err := os.Lstat(p.dir(slug))
	return exit == 0 || !errors.Is(err, fs.ErrNotExist)
}

// Add implements Repository.
func (p *disk) Add(slug string) (Tree, error) {
	why := ""
	if _, exit := p.run("", "git rev-parse -q --git-dir"); exit != 0 {
		why = "the project is not in a git repository"
	} else if _, exit := p.run("", "git rev-parse -q --verify HEAD"); exit != 0 {
		why = "the git repository has no commit yet to start from"
	} else if p.Taken(slug) {
		why = "there is a branch of that name"
	}
	if why != "" {
		return nil, fmt.Errorf("worktree %q: %s", slug, why)
	}
	head := p.must("git rev-parse HEAD")
	p.must("git worktree add -q -b " + Branch(slug) + " " + Path(slug) + " " + head)
	for _, dir := range p.linked {
		if err := os.Symlink(filepath.Join(p.root, dir), filepath.Join(p.dir(slug), dir)); err != nil {
			return nil, err
		}
	}
	return &onDisk{p, slug, head}, nil
}

// Changed implements Tree.
func (o *onDisk) Changed() (bool, error) {
	status, a := o.d.run(o.slug, "git status --porcelain")
	head, b := o.d.run(o.slug, "git rev-parse HEAD")
	if a != 0 || b != 0 {
		return false, errors.New(status + head)
	}
	return status != "" || strings.TrimSpace(head) != o.head, nil
}

// Remove implements Tree.
func (o *onDisk) Remove() error {
	if out, exit := o.d.run("", "git worktree remove --force "+Path(o.slug)+" && git branch -q -D "+Branch(o.slug)); exit != 0 {
		return errors.New(out)
	}
	return nil
}
