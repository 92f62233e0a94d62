package workspace

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/sim/llm"
)

// Search names a search whose rendered answer is kept until the next write: the
// tool and its input's bytes.
type Search struct{ Tool, Input string }

// maxSearches bounds the answers kept at a time.
const maxSearches = 4096

// Found is the kept answer of a search, or nil. It is no older than the last
// write.
func (f *FS) Found(s Search) *llm.Payload { return f.searches[s] }

// KeepFound keeps a search's answer until the next write.
func (f *FS) KeepFound(s Search, p *llm.Payload) {
	if len(f.searches) == maxSearches {
		clear(f.searches)
	}
	f.searches[s] = p
}

// Glob lists the files below the directory under ("" is the whole project)
// whose path relative to it matches the pattern: *, ?, [class], {a,b}, and **
// for any number of directories.
func (f *FS) Glob(under, pattern string) ([]string, error) {
	if err := checkPattern(pattern); err != nil {
		return nil, err
	}
	var out []string
	for _, p := range f.paths {
		rest, ok := relative(under, p)
		if ok && doublestar.MatchUnvalidated(pattern, rest) {
			out = append(out, p)
		}
	}
	return out, nil
}

func checkPattern(pattern string) error {
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("%q is not a valid glob pattern: close every [ and {", pattern)
	}
	return nil
}

// relative cuts the directory off the path; a path that names a file is below
// itself, under its base name.
func relative(under, p string) (rest string, ok bool) {
	if under == "" || under == "." {
		return p, true
	}
	if p == under {
		return path.Base(p), true
	}
	if strings.HasPrefix(p, under) && p[len(under)] == '/' {
		return p[len(under)+1:], true
	}
	return "", false
}

// Query is a search through contents.
type Query struct {
	Re    *regexp.Regexp // matched against each line alone
	Under string         // a directory or file; "" is the whole project
	Glob  string         // "" is every file; a pattern without a slash is matched against base names
	First bool           // only the first match of each file
}

// Match is one line that matches.
type Match struct {
	Path string
	Line int // from 1
	Text string
}

// Grep lists the matching lines in the order of paths and lines.
func (f *FS) Grep(q Query) ([]Match, error) {
	if err := checkPattern(q.Glob); err != nil {
		return nil, err
	}
	var out []Match
	literal, _ := q.Re.LiteralPrefix()
	for _, p := range f.paths {
		rest, ok := relative(q.Under, p)
		if !ok || !q.takes(rest) {
			continue
		}
		if file := f.File(p); file.Contains(literal) {
			out = q.grep(out, p, file.content, literal)
		}
	}
	return out, nil
}

func (q *Query) takes(rest string) bool {
	if q.Glob == "" {
		return true
	}
	if !strings.Contains(q.Glob, "/") {
		rest = path.Base(rest)
	}
	return doublestar.MatchUnvalidated(q.Glob, rest)
}

// grep appends the matching lines of one content. It looks at those alone in which
// the literal begins that every match begins with.
func (q *Query) grep(out []Match, p, content, literal string) []Match {
	for n := 1; content != ""; n++ {
		at := strings.Index(content, literal)
		if at < 0 {
			break
		}
		n += strings.Count(content[:at], "\n")
		line, rest, _ := strings.Cut(content[strings.LastIndexByte(content[:at], '\n')+1:], "\n")
		content = rest
		line = strings.TrimSuffix(line, "\r")
		if q.Re.MatchString(line) {
			out = append(out, Match{p, n, line})
			if q.First {
				break
			}
		}
	}
	return out
}
