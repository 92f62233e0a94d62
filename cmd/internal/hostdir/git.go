package hostdir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// errBare refuses git's own files: they are no project.
var errBare = errors.New("it is a bare git repository, or lies in a .git directory: name a directory where its files are checked out")

// listing is what git lists below a directory, by names relative to it.
type listing struct {
	files []string
	fresh map[string]bool // those that git does not know yet
}

// gitFiles lists the files below dir that git tracks or would track, where dir lies
// in a work tree. It is nil where dir does not, and where the work tree around it
// ignores dir itself: whoever names such a directory wants its files.
func (l Limits) gitFiles(dir string) (*listing, error) {
	if err := soundRepository(dir); err != nil {
		return nil, err
	}
	out, err := l.git(dir, "rev-parse", "--is-inside-work-tree")
	switch {
	case errors.Is(err, exec.ErrNotFound) && repositoryAbove(dir) != "":
		return nil, errors.New("it lies in a git repository, and git is needed to know which files it ignores: install git")
	case errors.Is(err, exec.ErrNotFound), err != nil && strings.Contains(err.Error(), "not a git repository"):
		return nil, nil
	case err != nil:
		return nil, err
	case strings.TrimSpace(string(out)) != "true":
		return nil, errBare
	}
	var slow *slowError
	if _, err := l.git(dir, "check-ignore", "-q", "."); err == nil || errors.As(err, &slow) {
		return nil, err
	}
	out, err = l.git(dir, "ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	found := &listing{fresh: map[string]bool{}}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if tag, name, ok := strings.Cut(string(line), " "); ok {
			found.files, found.fresh[name] = append(found.files, name), tag == "?"
		}
	}
	slices.Sort(found.files) // a file in a merge conflict is listed several times
	found.files = slices.Compact(found.files)
	return found, nil
}

// slowError is git that does not answer: a file that it reads may be a pipe.
type slowError struct {
	command string
	limit   time.Duration
}

func (e *slowError) Error() string {
	return fmt.Sprintf("git %s did not answer within %s: is a file of the project a pipe?", e.command, e.limit)
}

// git runs git in dir for reading only: no hook of the repository runs, nothing is
// fetched, its owner does not matter, and the caller's GIT_ variables do not count.
func (l Limits) git(dir string, args ...string) ([]byte, error) {
	ctx, done := context.WithTimeout(context.Background(), l.GitTime)
	defer done()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-C", dir}, args...)...)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(append(cmd.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1"), l.settings...)
	var stderr bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &stderr, time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, &slowError{args[0], l.GitTime}
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// repositoryAbove is the .git of the nearest repository that dir lies in, "" for
// none.
func repositoryAbove(dir string) string {
	for {
		name := filepath.Join(dir, ".git")
		if _, err := os.Lstat(name); err == nil {
			return name
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// soundRepository refuses a repository whose own files are none: git would wait
// for the other end of a pipe.
func soundRepository(dir string) error {
	repo := repositoryAbove(dir)
	if repo == "" {
		return nil
	}
	for _, name := range []string{repo, filepath.Join(repo, "HEAD"), filepath.Join(repo, "config"), filepath.Join(repo, "index"), filepath.Join(dir, ".gitignore")} {
		if info, err := os.Stat(name); err == nil && regular(info) != nil {
			return fmt.Errorf("%s: %w", name, regular(info))
		}
	}
	return nil
}
