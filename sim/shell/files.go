package shell

import (
	"path"
	"slices"
	"strings"
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
	if rel, ok := within(m.env.Root, abs); ok {
		return tree{fs: m.env.FS}, rel, true
	}
	if rel, ok := within(TempDir, abs); ok {
		return tree{fs: m.env.Session.Temp(), temp: true}, rel, true
	}
	return tree{}, "", false
}

func within(root, abs string) (rel string, ok bool) {
	rest, ok := strings.CutPrefix(abs, root)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return strings.TrimPrefix(rest, "/"), true
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

// changed notes that a path was changed.
func (m *machine) changed(t tree, rel string) {
	if t.temp {
		m.temp.add(TempDir + "/" + rel)
	} else {
		m.wrote.add(rel)
	}
}

// makeDir makes a directory.
func (m *machine) makeDir(abs string) (why string) {
	t, rel, ok := m.find(abs)
	switch {
	case m.exists(abs):
		return "File exists"
	case !ok:
		return denied
	case !m.isDir(path.Dir(abs)):
		return m.why(abs)
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
	if !ok || !t.fs.Remove(rel, m.env.Agent) {
		return false
	}
	m.changed(t, rel)
	if dir := path.Dir(rel); dir != "." && !t.fs.HasDir(dir) {
		_ = t.fs.MakeDir(dir) // it was there, so it can be
	}
	return true
}

// removeAll takes away a directory and all below it.
func (m *machine) removeAll(abs string) {
	t, rel, _ := m.find(abs)
	for _, p := range m.filesBelow(abs) {
		m.remove(p)
	}
	for _, d := range t.fs.Dirs() {
		if _, ok := within(rel, d); ok {
			t.fs.RemoveDir(d)
			m.changed(t, d)
		}
	}
}

// filesBelow lists the files below a directory, as absolute paths, sorted.
func (m *machine) filesBelow(abs string) []string {
	t, rel, ok := m.find(abs)
	if !ok {
		return nil
	}
	root := strings.TrimSuffix(abs, rel)
	root = strings.TrimSuffix(root, "/")
	below := ""
	if rel != "" {
		below = rel + "/"
	}
	paths := t.fs.Paths()
	i, _ := slices.BinarySearch(paths, below)
	var out []string
	for ; i < len(paths) && strings.HasPrefix(paths[i], below); i++ {
		if !m.charge(len(paths[i])) {
			break
		}
		out = append(out, root+"/"+paths[i])
	}
	return out
}

// dirsBelow lists the directories below a directory that hold no file of their
// own listing, as absolute paths: those that were made.
func (m *machine) dirsBelow(abs string) []string {
	t, rel, ok := m.find(abs)
	if !ok {
		return nil
	}
	root := strings.TrimSuffix(strings.TrimSuffix(abs, rel), "/")
	var out []string
	for _, d := range t.fs.Dirs() {
		if rest, ok := within(rel, d); (ok && rest != "") || rel == "" {
			out = append(out, root+"/"+d)
		}
	}
	return out
}

// entry is one name in a directory.
type entry struct {
	name string
	dir  bool
}

// entries lists a directory, sorted by name.
func (m *machine) entries(abs string) []entry {
	var out []entry
	prefix := abs + "/"
	add := func(p string, dir bool) {
		name, _, more := strings.Cut(p[len(prefix):], "/")
		if n := len(out); n > 0 && out[n-1].name == name {
			return
		}
		out = append(out, entry{name, dir || more})
	}
	for _, p := range m.filesBelow(abs) {
		add(p, false)
	}
	for _, p := range m.dirsBelow(abs) {
		add(p, true)
	}
	slices.SortStableFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(out, func(a, b entry) bool { return a.name == b.name })
}
