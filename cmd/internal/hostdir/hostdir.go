// Package hostdir reads a directory of this machine into a snapshot.
//
// Rules:
//   - Only text that belongs to the project gets in: files that git ignores stay
//     out, but for agent definitions and what they name; binary files, big files,
//     odd names and links that leave the directory are refused and counted.
//   - Nothing is written, nothing of the project is executed, and no
//     configuration of the caller's shell can turn git elsewhere.
//   - What is read is bounded; past a bound the whole directory is refused.
package hostdir

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agentsim/sim/workspace"
)

// Limits bound what is read; 0 takes the default.
type Limits struct {
	FileBytes int64 // of one file; a bigger one is refused and counted
	Files     int   // in the directory, refused ones included
	Bytes     int64 // of all files together

	GitTime time.Duration // that one call of git may take

	Under string // only files whose path begins so are read; "" for all

	// Own are files of this program's, absolute, which are no part of the project.
	Own []string

	settings []string // of git, as variables of its environment
}

// The default limits.
const (
	MaxFileBytes = 256 << 10
	MaxFiles     = 50_000
	MaxBytes     = 512 << 20
	MaxGitTime   = 20 * time.Second
)

// sniffed is how many bytes are looked at for a NUL byte, as git does.
const sniffed = 8 << 10

// Refused counts what was left out, beside files that git ignores.
type Refused struct {
	Binary       int // a NUL byte near the beginning, or not UTF-8
	TooLarge     int
	OutsideLinks int // symbolic links that leave the directory or lead nowhere
	Names        int // names with control characters or not in UTF-8
	Unreadable   int // no permission, or neither file nor directory
	Repositories int // repositories nested in the project, submodules included

	Agents []Left // those among them that agents would be made of
}

// Left is a file that was left out, and why.
type Left struct{ Path, Why string }

// counts are the counts with their names, and why one file was counted.
func (r *Refused) counts() []refusal {
	return []refusal{
		{&r.Binary, "binary", "it is binary or not UTF-8"}, {&r.TooLarge, "too large", "it is too large"},
		{&r.OutsideLinks, "links that leave it", "it is a link that leaves the directory"}, {&r.Names, "odd names", "its name is odd"},
		{&r.Unreadable, "unreadable", "it cannot be read, or is no regular file"}, {&r.Repositories, "nested repositories", "it is a repository"},
	}
}

type refusal struct {
	n         *int
	name, why string
}

// Total is the sum of all counts.
func (r Refused) Total() int {
	sum := 0
	for _, c := range r.counts() {
		sum += *c.n
	}
	return sum
}

// String lists the counts that are not zero: "2 binary, 1 too large".
func (r Refused) String() string {
	var parts []string
	for _, c := range r.counts() {
		if *c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", *c.n, c.name))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// Read reads a directory. Errors name the directory and say what to do.
func Read(dir string, limits Limits) (*workspace.Snapshot, Refused, error) {
	root, err := realDir(dir)
	if err != nil {
		return nil, Refused{}, err
	}
	in, err := OpenDir(root)
	if err != nil {
		return nil, Refused{}, fmt.Errorf("project directory %s: %w", dir, err)
	}
	defer in.Close()
	r := reader{dir: dir, root: root, in: in, limits: limits.filled(), fresh: map[string]bool{}, files: map[string]string{}}
	if err := r.list(); err != nil {
		return nil, Refused{}, err
	}
	r.listAgents()
	for _, p := range r.paths {
		if !strings.HasPrefix(p, r.limits.Under) {
			continue
		}
		if err := r.take(p); err != nil {
			return nil, Refused{}, err
		}
	}
	snap, err := workspace.NewSnapshot(r.files)
	if err != nil {
		return nil, Refused{}, fmt.Errorf("project directory %s: %w", dir, err)
	}
	return snap, r.refused, nil
}

func (l Limits) filled() Limits {
	return Limits{cmp.Or(l.FileBytes, MaxFileBytes), cmp.Or(l.Files, MaxFiles), cmp.Or(l.Bytes, MaxBytes), cmp.Or(l.GitTime, MaxGitTime), l.Under, l.Own, l.settings}
}

// realDir is the directory without links.
func realDir(dir string) (string, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("project directory %s does not exist: give the path of a directory", dir)
	case err != nil:
		return "", fmt.Errorf("project directory %s cannot be looked at: %w", dir, err)
	case !info.IsDir():
		return "", fmt.Errorf("project directory %s is a file: give the directory that holds it", dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("project directory %s: %w", dir, err)
	}
	return filepath.EvalSymlinks(abs)
}

// reader collects files below root.
type reader struct {
	dir     string // as given, for messages
	root    string
	in      *Dir
	limits  Limits
	paths   []string        // candidates, relative to root with slashes
	fresh   map[string]bool // those that git does not know
	files   map[string]string
	bytes   int64
	refused Refused
}

// list finds the candidates: what git lists where the directory belongs to a
// work tree, else everything below it.
func (r *reader) list() error {
	listed, err := r.limits.gitFiles(r.root)
	if err != nil {
		return fmt.Errorf("project directory %s: %w", r.dir, err)
	}
	if listed == nil {
		return r.walk()
	}
	r.paths, r.fresh = listed.files, listed.fresh
	return r.tooMany()
}

// agentFiles are files that agents are made of. They count whether git knows
// them or not: many projects keep them to themselves.
var agentFiles = []string{".claude/agents/*.md", ".claude/settings.json", ".claude/commands/*.md", ".claude/skills/*/SKILL.md"}

func (r *reader) listAgents() {
	known := map[string]bool{}
	for _, p := range r.paths {
		known[p] = true
	}
	for _, pattern := range agentFiles {
		found, _ := fs.Glob(r.in, pattern) // the pattern is good
		for _, p := range found {
			if !known[p] {
				r.paths = append(r.paths, p)
			}
		}
	}
}

// walk lists everything but repositories' own files; of a repository below it,
// what git lists there. A directory that cannot be read is counted.
func (r *reader) walk() error {
	return fs.WalkDir(r.in, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == ".":
			return fmt.Errorf("project directory %s cannot be read: %w", r.dir, err)
		case err != nil:
			r.refused.Unreadable++
			return nil
		case d.Name() == ".git" && d.IsDir():
			return fs.SkipDir
		case d.IsDir():
			return r.enter(p)
		case d.Name() != ".git":
			r.paths = append(r.paths, p)
		}
		return r.tooMany()
	})
}

// enter decides about a directory below the root: git lists a repository's files.
// A final slash, which marks a repository in git's list, stays.
func (r *reader) enter(p string) error {
	if _, err := r.in.Stat(p + "/.git"); err != nil || p == "." {
		return nil
	}
	listed, err := r.limits.gitFiles(filepath.Join(r.root, p))
	if errors.Is(err, errBare) { // its work trees may be below it
		return nil
	}
	if err != nil || listed == nil {
		return err
	}
	for _, name := range listed.files {
		r.paths = append(r.paths, p+"/"+name)
		r.fresh[p+"/"+name] = listed.fresh[name]
	}
	return cmp.Or(r.tooMany(), fs.SkipDir)
}

func (r *reader) tooMany() error {
	if len(r.paths) > r.limits.Files {
		return fmt.Errorf("project directory %s holds more than %d files: give a smaller directory", r.dir, r.limits.Files)
	}
	return nil
}

// take reads one candidate or counts why not. A file deleted since git knew it is
// skipped.
func (r *reader) take(rel string) error {
	if strings.HasSuffix(rel, "/") {
		return r.refuse(rel, &r.refused.Repositories)
	}
	if workspace.CheckPath(rel) != nil {
		return r.refuse(rel, &r.refused.Names)
	}
	info, err := r.in.root.Lstat(filepath.FromSlash(rel))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return r.refuse(rel, &r.refused.Unreadable)
	case info.IsDir():
		return r.refuse(rel, &r.refused.Repositories)
	}
	text, err := r.in.Read(rel, r.limits.FileBytes)
	if r.limits.own(r.root, rel, info, text, r.fresh[rel]) {
		return nil
	}
	if err != nil || isBinary(text) || !utf8.Valid(text) {
		return r.refuse(rel, r.why(info.Mode()&fs.ModeSymlink != 0, text, err))
	}
	r.files[rel] = string(text)
	if r.bytes += int64(len(text)); r.bytes > r.limits.Bytes {
		return fmt.Errorf("project directory %s holds more than %d bytes of text: give a smaller directory", r.dir, r.limits.Bytes)
	}
	return nil
}

// why is the count that the refusal of a file belongs to, nil for a link to a
// directory of the project, whose files are found under their own names.
func (r *reader) why(link bool, text []byte, err error) *int {
	var large *LargeError
	var irregular *IrregularError
	switch {
	case errors.As(err, &large) && !isBinary(text):
		return &r.refused.TooLarge
	case err == nil || large != nil:
		return &r.refused.Binary
	case errors.As(err, &irregular) && irregular.What == kind(fs.ModeDir):
		return nil
	case link && irregular == nil && !errors.Is(err, fs.ErrPermission):
		return &r.refused.OutsideLinks
	}
	return &r.refused.Unreadable
}

// refuse counts a file, and keeps its name where agents would be made of it. A nil
// count is none.
func (r *reader) refuse(rel string, count *int) error {
	if count == nil {
		return nil
	}
	*count++
	for _, c := range r.refused.counts() {
		if c.n == count && slices.ContainsFunc(agentFiles, func(pattern string) bool { ok, _ := path.Match(pattern, rel); return ok }) {
			r.refused.Agents = append(r.refused.Agents, Left{rel, c.why})
		}
	}
	return nil
}

// isBinary looks at the beginning of a file.
func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), sniffed)], 0) >= 0 }
