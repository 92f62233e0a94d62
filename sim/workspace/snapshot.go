package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"agentsim/sim/llm"
	"agentsim/sim/memo"
)

// Version names one content of a file.
type Version struct {
	Hash  string // 8 hex digits of the content
	Lines int    // lines, the last one counted with or without its line feed
	Bytes int
}

// versionOf computes the version of a content.
func versionOf(content string) Version {
	lines := strings.Count(content, "\n")
	if content != "" && content[len(content)-1] != '\n' {
		lines++
	}
	return Version{Hash: fmt.Sprintf("%08x", uint32(xxh3.HashString(content))), Lines: lines, Bytes: len(content)}
}

// text is an immutable content with its version.
type text struct {
	content string
	version Version
}

// Snapshot is an immutable set of files.
type Snapshot struct {
	paths []string // sorted
	files map[string]text
	hash  string

	// What is made of the files for all runs over them.
	lines memo.Some[linesOf, *Lines]
	grams memo.Map[string, grams]
}

// linesOf are lines of a file, as they were asked for.
type linesOf struct {
	path     string
	from, to int
}

// Lines are lines of a file, rendered, and which was the last one that had room.
type Lines struct {
	Payload *llm.Payload
	To      int
}

// keptLines bounds what is kept of lines of a snapshot, in bytes of what was rendered.
const keptLines = 8 << 20

// NewSnapshot makes a snapshot of contents by path. It refuses what CheckPath
// refuses, contents that are not UTF-8, and a path that is also a directory of
// another one.
func NewSnapshot(files map[string]string) (*Snapshot, error) {
	s := &Snapshot{files: make(map[string]text, len(files)), paths: slices.Sorted(maps.Keys(files)), lines: memo.Some[linesOf, *Lines]{Most: keptLines}}
	sum := sha256.New()
	for _, p := range s.paths {
		content := files[p]
		if err := s.check(p, content); err != nil {
			return nil, err
		}
		s.files[p] = text{content, versionOf(content)}
		inner := sha256.Sum256([]byte(content))
		fmt.Fprintf(sum, "%d %s %x\n", len(p), p, inner)
	}
	s.hash = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// check is called in the order of paths, so a directory's name as a file has
// been seen before the files below it.
func (s *Snapshot) check(p, content string) error {
	if err := CheckPath(p); err != nil {
		return err
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if _, ok := s.files[dir]; ok {
			return fmt.Errorf("file %q: %q is a file too and cannot be its directory: rename one of them", p, dir)
		}
	}
	if !utf8.ValidString(content) {
		return fmt.Errorf("file %q: the content is not UTF-8 text: leave the file out", p)
	}
	return nil
}

// CheckPath says whether p can name a file of a project: relative, clean, UTF-8
// and without control characters, so that a list with one path a line can be
// read back.
func CheckPath(p string) error {
	switch {
	case p == "" || p == "." || p[0] == '/' || p != path.Clean(p) || p == ".." || strings.HasPrefix(p, "../"):
		return fmt.Errorf("file %q: a path is relative to the project and has no empty, . or .. parts: write it so", p)
	case !utf8.ValidString(p):
		return fmt.Errorf("file %q: the path is not UTF-8: rename it", p)
	}
	for i := 0; i < len(p); i++ {
		if p[i] < 0x20 || p[i] == 0x7f {
			return fmt.Errorf("file %q: the path holds a control character: rename it", p)
		}
	}
	return nil
}

// Paths lists the files, sorted. The slice is not to be changed.
func (s *Snapshot) Paths() []string { return s.paths }

// Content is the file's text; ok is false when there is no such file.
func (s *Snapshot) Content(p string) (content string, ok bool) {
	t, ok := s.files[p]
	return t.content, ok
}

// Stat is the file's version; ok is false when there is no such file.
func (s *Snapshot) Stat(p string) (v Version, ok bool) {
	t, ok := s.files[p]
	return t.version, ok
}

// Hash identifies the snapshot: hex SHA-256 over its paths and contents.
func (s *Snapshot) Hash() string { return s.hash }

// Len is the number of files.
func (s *Snapshot) Len() int { return len(s.paths) }
