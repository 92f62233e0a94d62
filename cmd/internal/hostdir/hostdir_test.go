package hostdir

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// place is a directory of its own, outside any work tree.
type place struct {
	t   *testing.T
	dir string
}

func newPlace(t *testing.T) place {
	t.Helper()
	return place{t, t.TempDir()}
}

func (p place) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// write puts files there: name, content, name, content.
func (p place) write(pairs ...string) {
	p.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if err := os.MkdirAll(filepath.Dir(p.path(pairs[i])), 0o777); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(p.path(pairs[i]), []byte(pairs[i+1]), 0o666); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p place) link(target, name string) {
	p.t.Helper()
	if err := os.Symlink(target, p.path(name)); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// expect reads the directory and compares names and refusals.
func expect(t *testing.T, dir, files string, refused Refused) {
	t.Helper()
	snap, got, err := Read(dir, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Fields(files), append([]string{}, snap.Paths()...)); d != "" {
		t.Errorf("files: %s", d)
	}
	if d := cmp.Diff(refused, got); d != "" {
		t.Errorf("refused: %s", d)
	}
}

func TestRead(t *testing.T) {
	t.Run("KRN-01 a directory outside git is read whole, contents included", testPlain)
	t.Run("files that git ignores stay out, in the root and in a subfolder", testIgnored)
	t.Run("a folder that is itself ignored is read whole", testIgnoredFolder)
	t.Run("the index decides nothing about what is on disk", testIndex)
	t.Run("nested repositories stay out and are counted", testNested)
	t.Run("a directory of repositories is read as git lists each", testRepositoriesBelow)
	t.Run("the caller's git variables do not count", testEnvironment)
	t.Run("binary files are refused: a NUL byte in the first 8 KiB, or no UTF-8", testBinary)
	t.Run("files over 256 KiB are refused", testLarge)
	t.Run("links that leave the directory are refused, others are followed", testLinks)
	t.Run("odd names and what is no file are refused", testOdd)
	t.Run("a directory past a limit is refused as a whole", testLimits)
	t.Run("git that does not answer is an error that says so", testSlowGit)
	t.Run("REPO-01 a repository's settings start no program: filters, signatures, fetches", testPrograms)
	t.Run("REPO-01 a bare repository is refused, and one beside its work trees is not read", testBare)
	t.Run("a missing directory and a file in its place are errors that say so", testMissing)
}

func testPlain(t *testing.T) {
	p := newPlace(t)
	p.write("b/c.go", "package c\n", "a.md", "# A\n", ".hidden", "h", "empty", "")
	expect(t, p.dir, ".hidden a.md b/c.go empty", Refused{})
	snap, _, err := Read(p.dir+"/b/../", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := snap.Content("b/c.go"); !ok || c != "package c\n" {
		t.Errorf("b/c.go holds %q", c)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.dir, link); err != nil {
		t.Fatal(err)
	}
	expect(t, link, ".hidden a.md b/c.go empty", Refused{})
}

func testIgnored(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.write(".gitignore", "*.log\n/build/\n", "a.go", "a", "x.log", "l", "build/out.go", "o", "sub/b.go", "b", "sub/y.log", "l",
		"sub/.gitignore", "local\n", "sub/local", "l", "sub/deep/local", "l", "sub/deep/c.go", "c")
	expect(t, p.dir, ".gitignore a.go sub/.gitignore sub/b.go sub/deep/c.go", Refused{})
	expect(t, p.path("sub"), ".gitignore b.go deep/c.go", Refused{})
	expect(t, p.path("sub/deep"), "c.go", Refused{})
	p.git("add", "-f", "x.log")
	expect(t, p.dir, ".gitignore a.go sub/.gitignore sub/b.go sub/deep/c.go x.log", Refused{})
}

func testIgnoredFolder(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.write(".gitignore", "/build/\n", "build/out.go", "o", "build/in/er.go", "i")
	expect(t, p.path("build"), "in/er.go out.go", Refused{})
	expect(t, p.path("build/in"), "er.go", Refused{})
}

func testIndex(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	p.write("kept.go", "k", "gone.go", "g", "fresh.go", "f")
	p.git("add", "kept.go", "gone.go")
	p.git("commit", "-q", "-m", "first")
	if err := os.Remove(p.path("gone.go")); err != nil {
		t.Fatal(err)
	}
	expect(t, p.dir, "fresh.go kept.go", Refused{})
}

func testNested(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q")
	inner := place{t, p.path("inner")}
	inner.write("i.go", "i")
	inner.git("init", "-q")
	inner.git("add", ".")
	inner.git("commit", "-q", "-m", "first")
	p.write("a.go", "a")
	expect(t, p.dir, "a.go", Refused{Repositories: 1})
	p.git("add", ".")
	expect(t, p.dir, "a.go", Refused{Repositories: 1})
	expect(t, inner.dir, "i.go", Refused{})
}

func testRepositoriesBelow(t *testing.T) {
	p := newPlace(t)
	inner := place{t, p.path("one/inner")}
	inner.write("i.go", "i", "x.log", "x", ".gitignore", "*.log\n")
	inner.git("init", "-q")
	p.write("a.go", "a", "x.log", "x", "empty/.git/HEAD", "no repository", "empty/b.go", "b", "file/.git", "gitdir: nowhere", "file/c.go", "c")
	expect(t, p.dir, "a.go empty/b.go file/c.go one/inner/.gitignore one/inner/i.go x.log", Refused{})
}

func testEnvironment(t *testing.T) {
	other := newPlace(t)
	other.git("init", "-q")
	p := newPlace(t)
	p.git("init", "-q")
	p.write("a.go", "a", "b.log", "b", ".gitignore", "*.log\n")
	t.Setenv("GIT_DIR", other.path(".git"))
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_INDEX_FILE", other.path("nothing"))
	expect(t, p.dir, ".gitignore a.go", Refused{})
}

func testBinary(t *testing.T) {
	p := newPlace(t)
	p.write("nul", "text\x00text", "late", strings.Repeat("x", sniffed)+"\x00", "latin1", "caf\xe9", "utf8", "café",
		"edge", strings.Repeat("x", sniffed-1)+"\x00")
	expect(t, p.dir, "late utf8", Refused{Binary: 3})
}

func testLarge(t *testing.T) {
	p := newPlace(t)
	const limit = 256 << 10 // as promised, not as the code has it
	p.write("fits", strings.Repeat("x", limit), "big", strings.Repeat("x", limit+1), "bigbinary", "\x00"+strings.Repeat("x", limit))
	expect(t, p.dir, "fits", Refused{TooLarge: 1, Binary: 1})
}

func testLinks(t *testing.T) {
	outside := newPlace(t)
	outside.write("secret", "s", "d/secret", "s")
	for _, inGit := range []bool{false, true} {
		p := newPlace(t)
		if inGit {
			p.git("init", "-q")
		}
		p.write("real/a.go", "a")
		p.link("real/a.go", "inside")
		p.link("real", "insidedir")
		p.link(outside.path("secret"), "out")
		p.link(outside.path("d"), "outdir")
		p.link("../..", "up")
		p.link("nowhere", "dangling")
		p.link("loop", "loop")
		expect(t, p.dir, "inside real/a.go", Refused{OutsideLinks: 5})
	}
}

func testOdd(t *testing.T) {
	p := newPlace(t)
	p.write("a\nb", "x", "c\xff", "x", "fine", "x")
	if err := syscall.Mkfifo(p.path("pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	expect(t, p.dir, "fine", Refused{Names: 2, Unreadable: 1})
	_, refused, err := Read(p.dir, Limits{})
	if err != nil || refused.String() != "2 odd names, 1 unreadable" || refused.Total() != 3 {
		t.Errorf("%s, %d, %v", refused, refused.Total(), err)
	}
	if s := (Refused{}).String(); s != "nothing" {
		t.Errorf("no refusals print as %q", s)
	}
}

func testLimits(t *testing.T) {
	for _, inGit := range []bool{false, true} {
		p := newPlace(t)
		if inGit {
			p.git("init", "-q")
		}
		for i := range 5 {
			p.write(fmt.Sprintf("f%d", i), "0123456789")
		}
		if _, _, err := Read(p.dir, Limits{Files: 5, Bytes: 50, FileBytes: 10}); err != nil {
			t.Errorf("at its limits: %v", err)
		}
		for want, l := range map[string]Limits{"more than 4 files": {Files: 4}, "more than 49 bytes": {Bytes: 49}} {
			if _, _, err := Read(p.dir, l); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), p.dir) {
				t.Errorf("%+v: %v", l, err)
			}
		}
	}
}

func testMissing(t *testing.T) {
	p := newPlace(t)
	p.write("file", "x")
	for name, want := range map[string]string{"nothing": "does not exist", "file": "is a file", "file/below": "cannot be looked at"} {
		_, _, err := Read(p.path(name), Limits{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), p.path(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func testSlowGit(t *testing.T) {
	p := newPlace(t)
	p.write("a.go", "package a\n")
	p.git("init", "-q")
	if err := os.MkdirAll(p.path("nested"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(p.path("nested/.gitignore"), 0o666); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, _, err := Read(p.dir, Limits{GitTime: 200 * time.Millisecond})
	if want := "did not answer within 200ms: is a file of the project a pipe?"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

// testPrograms makes a repository whose settings name a program wherever git takes one
// to read files, to check who signed, and to fetch what is missing.
func testPrograms(t *testing.T) {
	ran := newPlace(t)
	program := func(name string) string {
		ran.write(name+".sh", "#!/bin/sh\ntouch "+ran.path(name)+"\ncat </dev/null\n")
		if err := os.Chmod(ran.path(name+".sh"), 0o777); err != nil {
			t.Fatal(err)
		}
		return ran.path(name + ".sh")
	}
	p := newPlace(t)
	p.git("init", "-q", "--initial-branch", "main")
	p.write("a.go", "a", ".gitattributes", "*.go filter=a=b\n*.md filter=c", "c.md", "c")
	p.git("add", ".")
	p.git("commit", "-q", "-m", "first")
	commit, err := exec.Command("git", "-C", p.dir, "cat-file", "commit", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	head, message, _ := strings.Cut(string(commit), "\n\n")
	p.write("commit", head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n\n"+message)
	signed, err := exec.Command("git", "-C", p.dir, "hash-object", "-t", "commit", "-w", p.path("commit")).Output()
	if err != nil {
		t.Fatal(err)
	}
	p.git("update-ref", "refs/heads/main", strings.TrimSpace(string(signed)))
	for key, value := range map[string]string{ // order: each is a setting of its own
		"filter.a=b.clean": program("equals"), "filter.c.process": program("process"), "filter.c.required": "true", "core.fsmonitor": program("monitor"),
		"log.showSignature": "true", "gpg.program": program("signature"), "core.sshCommand": program("fetch"),
		"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true", "remote.origin.url": "ssh://x/y",
	} {
		p.git("config", key, value)
	}
	p.write("a.go", "b", "c.md", "d")
	g, err := ReadGit(p.dir, Limits{})
	if err != nil || len(g.Commits) != 1 || len(g.Status) != 3 {
		t.Fatalf("%+v, %v", g, err)
	}
	tree, err := exec.Command("git", "-C", p.dir, "rev-parse", "HEAD^{tree}").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.path(".git/objects/" + string(tree[:2]) + "/" + strings.TrimSpace(string(tree[2:])))); err != nil {
		t.Fatal(err)
	}
	_, _ = ReadGit(p.dir, Limits{}) // it may do without the tree, or not
	list, err := filepath.Glob(ran.path("*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		if !strings.HasSuffix(name, ".sh") {
			t.Errorf("%s ran", filepath.Base(name))
		}
	}
}

func testBare(t *testing.T) {
	p := newPlace(t)
	p.git("init", "-q", "--bare", "bare")
	for _, read := range []func() error{
		func() error { _, _, err := Read(p.path("bare"), Limits{}); return err },
		func() error { _, err := ReadGit(p.path("bare/objects"), Limits{}); return err },
	} {
		if err := read(); err == nil || !strings.Contains(err.Error(), "name a directory where its files are checked out") {
			t.Errorf("error %v", err)
		}
	}
	q := newPlace(t)
	q.git("init", "-q", "--bare", "trees/.git")
	q.write("trees/main/a.go", "a", "b.go", "b")
	expect(t, q.dir, "b.go trees/main/a.go", Refused{})
}
