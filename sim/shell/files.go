package shell

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"agentsim/sim/workspace"
)

const nullDevice = "/dev/null"

// absolute is a name as an absolute, clean path.
func (m *machine) absolute(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = m.dir + "/" + name
	}
	return path.Clean(name)
}

// find says in which tree an absolute path lies and where in it; "" is the
// tree's own root. ok is false for a place that does not exist here.
func (m *machine) find(abs string) (t tree, rel string, ok bool) {
	if fs, rel, ok := m.env.FS.Tree(m.env.Root, abs); ok {
		return tree{fs: fs}, rel, true
	}
	if rel, ok := workspace.InHome(abs); ok {
		return tree{fs: m.env.FS}, rel, true
	}
	if rel, ok := workspace.Within(TempDir, abs); ok {
		return tree{fs: m.env.Session.Temp(), temp: true}, rel, true
	}
	return tree{}, "", false
}

// elsewhere reports whether a path lies in another worktree, or is where that is.
func (m *machine) elsewhere(abs string) bool {
	t, rel, ok := m.find(abs)
	return ok && !t.temp && (t.fs != m.env.FS || len(t.fs.Trees(rel)) > 0)
}

func (m *machine) isDir(abs string) bool {
	t, rel, ok := m.find(abs)
	return ok && t.fs.HasDir(rel)
}

func (m *machine) isFile(abs string) bool {
	if abs == nullDevice || m.open[abs] != nil {
		return true
	}
	t, rel, ok := m.find(abs)
	if !ok || rel == "" {
		return false
	}
	_, ok = t.fs.Stat(rel)
	return ok
}

func (m *machine) exists(abs string) bool { return m.isFile(abs) || m.isDir(abs) }

// What a file operation is refused with.
const (
	noFile      = "No such file or directory"
	isDirectory = "Is a directory"
	notDir      = "Not a directory"
	denied      = "Permission denied"
	otherTree   = "it is in another worktree, which this shell only looks at"
)

// read is a file's content. why is what was wrong, "" for nothing. A file that
// is being written holds what was written so far.
func (m *machine) read(name string) (content, why string) {
	abs := m.absolute(name)
	if abs == nullDevice {
		return "", ""
	}
	if b := m.open[abs]; b != nil {
		return b.String(), ""
	}
	t, rel, ok := m.find(abs)
	if ok {
		if content, ok := t.fs.Content(rel); ok && rel != "" {
			m.charge(len(content))
			return content, ""
		}
	}
	return "", m.why(abs)
}

// version is the file at an absolute path whose content read gives, nil where
// that is none or is being written.
func (m *machine) version(abs string) *workspace.File {
	if t, rel, ok := m.find(abs); ok && rel != "" && m.open[abs] == nil {
		return t.fs.File(rel)
	}
	return nil
}

// why says why there is no file at a path.
func (m *machine) why(abs string) string {
	if m.isDir(abs) {
		return isDirectory
	}
	for dir := path.Dir(abs); dir != "/"; dir = path.Dir(dir) {
		if m.isFile(dir) {
			return notDir
		}
	}
	return noFile
}

// writable says why no file can be written at a path, "" if one can.
func (m *machine) writable(abs string) string {
	if abs == nullDevice {
		return ""
	}
	t, rel, ok := m.find(abs)
	switch {
	case !ok:
		return denied
	case m.elsewhere(abs):
		return otherTree
	case t.fs.HasDir(rel):
		return isDirectory
	case !m.isDir(path.Dir(abs)):
		return m.why(abs)
	}
	return ""
}

// write sets a file's content, if it differs. The path must be writable.
func (m *machine) write(abs, content string) (why string) {
	if why := m.writable(abs); why != "" || abs == nullDevice {
		return why
	}
	if len(content) > maxStream {
		m.halt(errStream)
	}
	if !m.charge(len(content)) {
		return "stopped"
	}
	t, rel, _ := m.find(abs)
	if old, ok := t.fs.Content(rel); ok && old == content {
		return ""
	}
	if _, err := t.fs.Write(rel, content, m.env.Agent); err != nil {
		return denied
	}
	m.changed(t, rel)
	return ""
}

// entryWork is what one name of a directory is charged with, read or changed: what
// it takes beside its bytes. A change moves the names behind it as well, a list of
// which counts a sixteenth.
const entryWork = 64

// changed notes that a path was changed.
func (m *machine) changed(t tree, rel string) {
	m.charge(entryWork + t.fs.Size()/16)
	if t.temp {
		m.temp.add(TempDir + "/" + rel)
	} else {
		m.wrote.add(rel)
	}
}

// makeDir makes a directory and those above it.
func (m *machine) makeDir(abs string) (why string) {
	t, rel, ok := m.find(abs)
	switch {
	case m.exists(abs):
		return "File exists"
	case !ok:
		return denied
	case m.elsewhere(abs):
		return otherTree
	}
	if err := t.fs.MakeDir(rel); err != nil {
		return denied
	}
	m.changed(t, rel)
	return ""
}

// remove takes a file away. Its directory stays.
func (m *machine) remove(abs string) bool {
	t, rel, ok := m.find(abs)
	if !ok || m.elsewhere(abs) || !t.fs.Remove(rel, m.env.Agent) {
		return false
	}
	m.changed(t, rel)
	t.keepDir(path.Dir(rel))
	return true
}

// keepDir keeps a directory from which the last name was taken away.
func (t tree) keepDir(dir string) {
	if !t.fs.HasDir(dir) {
		_ = t.fs.MakeDir(dir) // it was there, so it can be
	}
}

// removeAll takes away a directory and all below it.
func (m *machine) removeAll(abs string) {
	t, rel, _ := m.find(abs)
	for _, p := range m.filesBelow(abs) {
		if m.halted != nil {
			return
		}
		m.remove(p)
	}
	for _, d := range t.fs.DirsBelow(rel) {
		if m.halted != nil {
			return
		}
		t.fs.RemoveDir(d)
		m.changed(t, d)
	}
	t.keepDir(path.Dir(rel))
}

// filesBelow lists the files below a directory, as absolute paths, sorted.
func (m *machine) filesBelow(abs string) []string {
	t, rel, ok := m.find(abs)
	if !ok {
		return nil
	}
	root := strings.TrimSuffix(strings.TrimSuffix(abs, rel), "/")
	var out []string
	for _, p := range t.fs.FilesBelow(rel) {
		if !m.charge(entryWork + len(p)) {
			break
		}
		out = append(out, root+"/"+p)
	}
	for _, dir := range t.fs.Trees(rel) {
		out = append(out, m.filesBelow(root+"/"+dir)...)
	}
	slices.Sort(out)
	return out
}

// entry is one name in a directory.
type entry struct {
	name string
	dir  bool
}

// An entry is what the library asks for when it expands patterns.
func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.dir }
func (e entry) Info() (fs.FileInfo, error) { return nil, fs.ErrInvalid }
func (e entry) Type() fs.FileMode {
	if e.dir {
		return fs.ModeDir
	}
	return 0
}

// match reports whether a pattern matches a whole name.
func (m *machine) match(pat, name string) bool {
	if !m.charge(len(name) + len(pat)*len(name)/16) {
		return false
	}
	ok, err := path.Match(pat, name)
	return ok && err == nil
}

// entries lists a directory, sorted by name.
func (m *machine) entries(abs string) []entry {
	t, rel, ok := m.find(abs)
	if !ok {
		return nil
	}
	var out []entry
	for name, dir := range t.fs.Children(rel) {
		if !m.charge(entryWork + len(name)) {
			break
		}
		out = append(out, entry{name, dir})
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(out, func(a, b entry) bool { return a.name == b.name })
}
