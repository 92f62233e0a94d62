package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"agentsim/sim/llm"
)

// FS is one run's tree: a snapshot and what was written over it.
type FS struct {
	base     *Snapshot
	files    map[string]*File  // those opened or written so far
	paths    []string          // sorted
	lent     bool              // others hold paths: the next change needs a slice of its own
	dirs     []string          // made without a file in them, sorted
	origins  map[string]*File  // what stood at a path before its first write, nil for nothing
	links    map[string]string // what links lead to, by path; searches do not follow them
	log      []Write
	searches map[Search]*llm.Payload
	family   *family // nil until it is forked
	at       string  // where a forked tree is, below the first of its family
}

// Write is one entry of the write log.
type Write struct {
	Path   string
	Before string // hash of the version written over; "" for a new file
	After  string // "" for a file taken away
	By     int32  // ordinal of the agent
}

// Open starts a run's tree over the snapshot.
func (s *Snapshot) Open() *FS {
	return &FS{base: s, files: map[string]*File{}, paths: s.paths, lent: true, searches: map[Search]*llm.Payload{}}
}

// Began is the hash of the snapshot over which the tree was opened.
func (f *FS) Began() string { return f.base.hash }

// File is one version of a file as one run sees it. It does not change; writing
// makes another.
type File struct {
	path string
	text
	base  *Snapshot // of which it is a file, nil for what a run wrote or planted
	pages []Page
	// Made when a search asks for it.
	grams  grams
	pieces int
}

// Page is a range of a file's lines as it was asked for and rendered.
type Page struct {
	Offset, Limit int // as asked for
	To            int // last line shown
	Payload       *llm.Payload
}

// maxPages bounds the rendered pages kept of one version.
const maxPages = 64

// File is the present version, or nil when there is no such file.
func (f *FS) File(p string) *File {
	p = f.follow(p)
	if file, ok := f.files[p]; ok {
		return file // nil when it was taken away
	}
	t, ok := f.base.files[p]
	if !ok {
		return nil
	}
	// The key must not be the caller's string, which may be part of a long one.
	i, _ := slices.BinarySearch(f.base.paths, p)
	file := &File{path: f.base.paths[i], text: t, base: f.base}
	f.files[file.path] = file
	return file
}

// Path is the file's path.
func (f *File) Path() string { return f.path }

// Content is the file's text.
func (f *File) Content() string { return f.content }

// Version is the file's version.
func (f *File) Version() Version { return f.version }

// Page is the page kept under offset and limit; ok is false when there is none.
func (f *File) Page(offset, limit int) (p Page, ok bool) {
	for i := range f.pages {
		if p := &f.pages[i]; p.Offset == offset && p.Limit == limit {
			return *p, true
		}
	}
	return Page{}, false
}

// KeepPage keeps a rendered page of this version, so that the next reader of
// the same range shares it. Version, offset and limit alone may decide its
// content.
func (f *File) KeepPage(p Page) {
	if len(f.pages) == maxPages {
		f.pages = f.pages[:0]
	}
	f.pages = append(f.pages, p)
}

// Lines are lines of this version. All runs over its snapshot share those of a file of
// its; path and content alone may decide them.
func (f *File) Lines(from, to int, render func() Lines) Lines {
	if f.base == nil {
		return render()
	}
	return *f.base.lines.Get(linesOf{f.path, from, to}, func() (*Lines, int) {
		l := render()
		return &l, len(l.Payload.Raw())
	})
}

// Stat is the present version; ok is false when there is no such file.
func (f *FS) Stat(p string) (v Version, ok bool) {
	p = f.follow(p)
	if file, ok := f.files[p]; ok {
		if file == nil {
			return v, false
		}
		return file.version, true
	}
	return f.base.Stat(p)
}

// Content is the present text; ok is false when there is no such file.
func (f *FS) Content(p string) (content string, ok bool) {
	p = f.follow(p)
	if file, ok := f.files[p]; ok {
		if file == nil {
			return "", false
		}
		return file.content, true
	}
	return f.base.Content(p)
}

// Paths lists the files, sorted. The slice is not to be changed, and later writes
// do not change it.
func (f *FS) Paths() []string {
	f.lent = true
	return f.paths
}

// own makes the list of paths one that nobody else holds.
func (f *FS) own() {
	if f.lent {
		f.paths, f.lent = slices.Clone(f.paths), false
	}
}

// Write sets the file's text for the agent with ordinal by and logs it. The
// path must satisfy CheckPath, must not be a directory and must not lie below
// a file.
func (f *FS) Write(p, content string, by int32) (Version, error) {
	if err := CheckPath(p); err != nil {
		return Version{}, err
	}
	p = f.follow(p)
	before, ok := f.Stat(p)
	if !ok {
		if err := f.room(p); err != nil {
			return Version{}, err
		}
	}
	f.keepOrigin(p)
	file := f.put(p, content)
	f.spread(file.path, file)
	f.log = append(f.log, Write{Path: file.path, Before: before.Hash, After: file.version.Hash, By: by})
	return file.version, nil
}

// room says whether a new file may stand at a path.
func (f *FS) room(p string) error {
	if f.HasDir(p) {
		return fmt.Errorf("file %q: it is a directory: write a file below it", p)
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if _, ok := f.Stat(dir); ok {
			return fmt.Errorf("file %q: %q is a file and cannot be its directory: choose another path", p, dir)
		}
	}
	return nil
}

// Remove takes a file away for the agent with ordinal by and logs it; false
// when there is no such file.
func (f *FS) Remove(p string, by int32) bool {
	if f.IsLink(p) {
		delete(f.links, p)
		return true
	}
	before, ok := f.Stat(p)
	if !ok {
		return false
	}
	f.keepOrigin(p)
	i, _ := slices.BinarySearch(f.paths, p)
	p = f.paths[i]
	f.set(p, nil)
	f.spread(p, nil)
	f.log = append(f.log, Write{Path: p, Before: before.Hash, By: by})
	return true
}

// keepOrigin remembers what stood at a path before its first write.
func (f *FS) keepOrigin(p string) {
	if _, known := f.origins[p]; known {
		return
	}
	if f.origins == nil {
		f.origins = map[string]*File{}
	}
	f.origins[strings.Clone(p)] = f.File(p)
}

// Origin is the file at a path as it was before the run's first write to it,
// nil when there was none. changed is false when nothing was written there.
func (f *FS) Origin(p string) (file *File, changed bool) {
	file, changed = f.origins[p]
	return file, changed
}

// MakeDir makes a directory without a file in it. The path must satisfy
// CheckPath and be free.
func (f *FS) MakeDir(p string) error {
	if err := CheckPath(p); err != nil {
		return err
	}
	if _, ok := f.Stat(p); ok || f.HasDir(p) {
		return fmt.Errorf("directory %q: it exists", p)
	}
	if err := f.room(p); err != nil {
		return err
	}
	i, _ := slices.BinarySearch(f.dirs, p)
	f.dirs = slices.Insert(f.dirs, i, strings.Clone(p))
	return nil
}

// RemoveDir forgets a directory that MakeDir made; the files below it stay.
func (f *FS) RemoveDir(p string) {
	if i, ok := slices.BinarySearch(f.dirs, p); ok {
		f.dirs = slices.Delete(f.dirs, i, i+1)
	}
}

// put makes content the present version and forgets what was found before.
func (f *FS) put(p, content string) *File {
	p = strings.Clone(p)
	if !utf8.ValidString(content) {
		content = strings.ToValidUTF8(content, "\uFFFD")
	}
	file := &File{path: p, text: text{content, versionOf(content)}}
	f.set(p, file)
	return file
}

// Log lists the writes in order. Planting is no write. The slice is not to be
// changed.
func (f *FS) Log() []Write { return f.log }

// Plant appends text to a line of a file, before the run: a fact or a place.
// Lines count from 1.
func (f *FS) Plant(p string, line int, text string) error {
	content, ok := f.Content(p)
	if !ok {
		return fmt.Errorf("file %q: there is no such file in the project: name one of its %d files", p, len(f.paths))
	}
	v, _ := f.Stat(p)
	if line < 1 || line > v.Lines {
		return fmt.Errorf("file %q: there is no line %d: the file has %d", p, line, v.Lines)
	}
	at := lineEnd(content, line)
	f.put(p, content[:at]+" "+text+content[at:])
	return nil
}

// lineEnd is the index behind the last character of a line, before its end
// mark. The line exists.
func lineEnd(content string, line int) int {
	at := 0
	for ; line > 1; line-- {
		at += strings.IndexByte(content[at:], '\n') + 1
	}
	n := strings.IndexByte(content[at:], '\n')
	if n < 0 {
		return len(content)
	}
	if n > 0 && content[at+n-1] == '\r' {
		n--
	}
	return at + n
}
