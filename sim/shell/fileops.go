package shell

import (
	"path"
	"slices"
	"strings"
)

func runLs(c *call) int {
	f, names, ok := c.options("a all=a A l 1 R recursive=R d h r t S F p")
	if !ok {
		return 2
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	status, listed := 0, 0
	for i, n := range names {
		abs := c.m.absolute(n)
		switch {
		case !c.m.exists(abs):
			status = c.complain(2, "cannot access '"+n+"': "+noFile)
		case f.has("d") || !c.m.isDir(abs):
			c.lsRow(f, n, abs)
		default:
			if len(names) > 1 || f.has("R") {
				if i > 0 {
					c.out.put("\n")
				}
				c.out.put(n + ":\n")
			}
			c.lsDir(f, n, abs)
			listed++
		}
	}
	return status
}

// lsDir lists a directory, and with -R those below it.
func (c *call) lsDir(f *flags, name, abs string) {
	all := c.m.entries(abs)
	if f.has("r") {
		slices.Reverse(all)
	}
	if f.has("a") {
		c.lsRow(f, ".", abs)
		c.lsRow(f, "..", abs)
	}
	for _, e := range all {
		if e.name[0] != '.' || f.has("a") || f.has("A") {
			c.lsRow(f, e.name, abs+"/"+e.name)
		}
	}
	if !f.has("R") {
		return
	}
	for _, e := range all {
		if c.m.halted != nil {
			return
		}
		if e.dir && (e.name[0] != '.' || f.has("a")) && c.m.enter() {
			c.out.put("\n" + name + "/" + e.name + ":\n")
			c.lsDir(f, name+"/"+e.name, abs+"/"+e.name)
		}
		if e.dir {
			c.m.depth = max(0, c.m.depth-1)
		}
	}
}

// lsRow prints one name. A long row has no owner and no time: files here have
// none.
func (c *call) lsRow(f *flags, name, abs string) {
	if !f.has("l") {
		if (f.has("F") || f.has("p")) && c.m.isDir(abs) {
			name += "/"
		}
		c.out.put(name + "\n")
		return
	}
	kind, size := "-rw-r--r--", 0
	if c.m.isDir(abs) {
		kind = "drwxr-xr-x"
	} else if t, rel, ok := c.m.find(abs); ok {
		v, _ := t.fs.Stat(rel)
		size = v.Bytes
	}
	s := itoa(size)
	c.out.put(kind + " " + strings.Repeat(" ", max(0, 8-len(s))) + s + " " + name + "\n")
}

// finder is one call of find.
type finder struct {
	c     *call
	tests []findTest
	depth int // -1 is any
}

type findTest struct {
	name string
	arg  string
	not  bool
	or   bool // begins an alternative
}

// runFind knows -name, -iname, -path, -type f and d, -maxdepth, -empty, ! and
// -o. It runs and deletes nothing.
func runFind(c *call) int {
	roots := []string{}
	args := c.args
	for len(args) > 0 && args[0] != "" && args[0][0] != '-' && args[0] != "!" && args[0] != "(" {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	w := &finder{c: c, depth: -1}
	if status := w.read(args); status != 0 {
		return status
	}
	status := 0
	for _, r := range roots {
		abs := c.m.absolute(r)
		switch {
		case c.m.isDir(abs):
			w.walk(r, abs, 0)
		case c.m.isFile(abs):
			w.visit(r, abs, false)
		default:
			status = c.complain(1, "'"+r+"': "+noFile)
		}
	}
	return status
}

func (w *finder) read(args []string) int {
	not, or := false, false
	for i := 0; i < len(args); i++ {
		t := findTest{name: args[i], not: not, or: or}
		switch args[i] {
		case "!", "-not":
			not = true
			continue
		case "-o", "-or":
			or = true
			continue
		case "-a", "-and", "-print":
			continue
		case "-empty":
		case "-name", "-iname", "-path", "-type", "-maxdepth":
			if i++; i == len(args) {
				return w.c.complain(1, t.name+" needs a value")
			}
			t.arg = args[i]
		default:
			return w.c.complain(1, "this shell's find does not know "+args[i])
		}
		if t.name == "-maxdepth" {
			n, ok := fieldNumber(t.arg)
			if !ok && t.arg != "0" {
				return w.c.complain(1, "-maxdepth needs a number")
			}
			w.depth = n
			continue
		}
		w.tests = append(w.tests, t)
		not, or = false, false
	}
	return 0
}

// walk visits a directory and what is below it.
func (w *finder) walk(name, abs string, level int) {
	defer w.c.m.leave()
	if !w.c.m.enter() {
		return
	}
	w.visit(name, abs, true)
	if w.depth >= 0 && level >= w.depth {
		return
	}
	for _, e := range w.c.m.entries(abs) {
		below := strings.TrimSuffix(name, "/") + "/" + e.name
		if e.dir {
			w.walk(below, abs+"/"+e.name, level+1)
		} else {
			w.visit(below, abs+"/"+e.name, false)
		}
		if w.c.m.halted != nil {
			return
		}
	}
}

// visit prints a path that some alternative takes.
func (w *finder) visit(name, abs string, dir bool) {
	holds := true
	for _, t := range w.tests {
		if t.or {
			if holds {
				break
			}
			holds = true
		}
		holds = holds && w.holds(t, name, abs, dir) != t.not
	}
	if holds {
		w.c.out.put(name + "\n")
	}
}

func (w *finder) holds(t findTest, name, abs string, dir bool) bool {
	switch t.name {
	case "-name":
		return w.c.m.match(t.arg, path.Base(abs))
	case "-iname":
		return w.c.m.match(strings.ToLower(t.arg), strings.ToLower(path.Base(abs)))
	case "-path":
		return w.c.m.match(t.arg, name)
	case "-type":
		return (t.arg == "d") == dir
	}
	if dir { // -empty
		return len(w.c.m.entries(abs)) == 0
	}
	content, _ := w.c.m.read(abs)
	return content == ""
}

// runTee copies its input to its output and into files.
func runTee(c *call) int {
	f, names, ok := c.options("a append=a i")
	if !ok {
		return 2
	}
	text, status := c.in.rest(), 0
	c.out.put(text)
	for _, n := range names {
		content := text
		if f.has("a") && c.m.isFile(c.m.absolute(n)) {
			old, _ := c.m.read(n)
			content = old + text
		}
		if why := c.m.write(c.m.absolute(n), content); why != "" {
			status = c.complain(1, n+": "+why)
		}
	}
	return status
}

// runTouch makes files that are not there; those that are stay as they are,
// since files here have no times.
func runTouch(c *call) int {
	status := 0
	for _, n := range c.args {
		if abs := c.m.absolute(n); !c.m.exists(abs) && c.m.halted == nil {
			if why := c.m.write(abs, ""); why != "" {
				status = c.complain(1, "cannot touch '"+n+"': "+why)
			}
		}
	}
	return status
}

func runMkdir(c *call) int {
	f, names, ok := c.options("p parents=p v m:")
	if !ok || len(names) == 0 {
		return c.complain(1, "give directories to make")
	}
	status := 0
	for _, n := range names {
		if c.m.halted != nil {
			break
		}
		abs := c.m.absolute(n)
		if f.has("p") {
			if why := c.makeAll(abs); why != "" {
				status = c.complain(1, "cannot create directory '"+n+"': "+why)
			}
			continue
		}
		if why := c.m.makeDir(abs); why != "" {
			status = c.complain(1, "cannot create directory '"+n+"': "+why)
		}
	}
	return status
}

// makeAll makes a directory and those above it that are not there.
func (c *call) makeAll(abs string) string {
	var missing []string
	for d := abs; d != "/" && !c.m.isDir(d); d = path.Dir(d) {
		missing = append(missing, d)
		if len(missing) > maxDepth {
			return "File name too long"
		}
	}
	for _, d := range slices.Backward(missing) {
		if why := c.m.makeDir(d); why != "" {
			return why
		}
	}
	return ""
}

func runRm(c *call) int {
	f, names, ok := c.options("r recursive=r R f force=f v")
	if !ok {
		return 2
	}
	status := 0
	for _, n := range names {
		abs := c.m.absolute(n)
		switch {
		case c.m.isDir(abs) && !f.has("r") && !f.has("R"):
			status = c.complain(1, "cannot remove '"+n+"': "+isDirectory)
		case c.m.isDir(abs) && (abs == c.m.env.Root || abs == TempDir):
			status = c.complain(1, "cannot remove '"+n+"': it is where everything stands")
		case c.m.isDir(abs):
			c.m.removeAll(abs)
		case abs == nullDevice || !c.m.remove(abs) && !f.has("f"):
			status = c.complain(1, "cannot remove '"+n+"': "+c.m.why(abs))
		}
	}
	return status
}

func runRmdir(c *call) int {
	status := 0
	for _, n := range c.args {
		abs := c.m.absolute(n)
		t, rel, ok := c.m.find(abs)
		switch {
		case !ok || !c.m.isDir(abs) || rel == "":
			status = c.complain(1, "failed to remove '"+n+"': "+noFile)
		case len(c.m.entries(abs)) > 0:
			status = c.complain(1, "failed to remove '"+n+"': Directory not empty")
		default:
			t.fs.RemoveDir(rel)
			c.m.changed(t, rel)
		}
	}
	return status
}

func runCp(c *call) int { return c.transfer("r recursive=r R a f p v", false) }
func runMv(c *call) int { return c.transfer("f v n", true) }

// transfer copies or moves files to a path, or into a directory.
func (c *call) transfer(known string, move bool) int {
	f, names, ok := c.options(known)
	if !ok {
		return 2
	}
	if len(names) < 2 {
		return c.complain(1, "give what and where to")
	}
	from, to := names[:len(names)-1], c.m.absolute(names[len(names)-1])
	if len(from) > 1 && !c.m.isDir(to) {
		return c.complain(1, "target '"+names[len(names)-1]+"' is not a directory")
	}
	deep := move || f.has("r") || f.has("R") || f.has("a")
	status := 0
	for _, n := range from {
		abs, target := c.m.absolute(n), to
		if c.m.isDir(to) {
			target = to + "/" + path.Base(abs)
		}
		if why := c.one(abs, target, move, deep); why != "" {
			status = c.complain(1, "cannot "+c.name+" '"+n+"': "+why)
		}
		if c.m.halted != nil {
			break
		}
	}
	return status
}

func (c *call) one(abs, target string, move, deep bool) (why string) {
	switch {
	case abs == target:
		return "source and target are the same"
	case !c.m.isDir(abs):
		return c.file(abs, target, move)
	case !deep:
		return "it is a directory: use -r"
	case strings.HasPrefix(target+"/", abs+"/") || abs == c.m.env.Root || abs == TempDir:
		return "a directory cannot go into itself"
	case c.m.isFile(target):
		return notDir
	}
	if !c.m.isDir(target) {
		if why := c.m.makeDir(target); why != "" {
			return why
		}
	}
	for _, p := range c.m.filesBelow(abs) {
		to := target + p[len(abs):]
		if why := c.makeAll(path.Dir(to)); why != "" {
			return why
		}
		if why := c.file(p, to, move); why != "" {
			return why
		}
	}
	if move {
		c.m.removeAll(abs)
	}
	return ""
}

func (c *call) file(abs, target string, move bool) (why string) {
	content, why := c.m.read(abs)
	if why == "" {
		why = c.m.write(target, content)
	}
	if why == "" && move {
		c.m.remove(abs)
	}
	return why
}
