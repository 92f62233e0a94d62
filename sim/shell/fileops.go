package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

func runLs(c *call) int {
	f, names, ok := c.options("a A l 1 R d h")
	if !ok {
		return 2
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	status := 0
	for i, n := range names {
		abs := c.m.absolute(n)
		switch {
		case !c.m.exists(abs):
			status = c.complain(2, "cannot access '"+n+"': "+noFile)
		case f.has("d") || !c.m.isDir(abs):
			c.lsRow(f, n, abs)
		default:
			if len(names) > 1 || f.has("R") {
				c.out.put(strings.Repeat("\n", min(i, 1)) + n + ":\n")
			}
			c.lsDir(f, n, abs)
		}
	}
	return status
}

// lsDir lists a directory, and with -R those below it.
func (c *call) lsDir(f flags, name, abs string) {
	defer c.m.leave()
	if !c.m.enter() {
		return
	}
	all := c.m.entries(abs)
	if f.has("a") {
		all = append([]entry{{".", true}, {"..", true}}, all...)
	}
	for _, e := range all {
		if e.name[0] != '.' || f.has("a") || f.has("A") {
			c.lsRow(f, e.name, abs+"/"+e.name)
		}
	}
	for _, e := range all {
		if f.has("R") && e.dir && e.name[0] != '.' && c.m.halted == nil {
			c.out.put("\n" + name + "/" + e.name + ":\n")
			c.lsDir(f, name+"/"+e.name, abs+"/"+e.name)
		}
	}
}

// lsRow prints one name. A long row has no owner and no time: files here have
// none.
func (c *call) lsRow(f flags, name, abs string) {
	if f.has("l") {
		kind, size := "-rw-r--r--", 0
		if c.m.isDir(abs) {
			kind = "drwxr-xr-x"
		} else if t, rel, ok := c.m.find(abs); ok {
			v, _ := t.fs.Stat(rel)
			size = v.Bytes
		}
		s := itoa(size)
		name = kind + " " + strings.Repeat(" ", max(0, 8-len(s))) + s + " " + name
	}
	c.out.put(name + "\n")
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
	or   bool // begins an alternative
}

// runFind knows -name, -path, -type f and d, -maxdepth and -o. It runs and deletes
// nothing.
func runFind(c *call) int {
	roots, args := []string{}, c.args
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	w := &finder{c: c, depth: -1}
	status := w.read(args)
	if status != 0 {
		return status
	}
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
	or := false
	for ; len(args) > 0; args = args[1:] {
		t := findTest{name: args[0], or: or}
		switch args[0] {
		case "-o":
			or = true
			continue
		case "-print":
			continue
		case "-name", "-path", "-type", "-maxdepth":
			if args = args[1:]; len(args) == 0 {
				return w.c.complain(1, t.name+" needs a value")
			}
			t.arg = args[0]
		default:
			return w.c.complain(1, "this shell's find does not know "+args[0])
		}
		if t.name != "-maxdepth" {
			w.tests, or = append(w.tests, t), false
			continue
		}
		n, err := strconv.Atoi(t.arg)
		if err != nil || n < 0 {
			return w.c.complain(1, "-maxdepth needs a number")
		}
		w.depth = n
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
		switch t.name {
		case "-name":
			holds = holds && w.c.m.match(t.arg, path.Base(abs))
		case "-path":
			holds = holds && w.c.m.match(strings.ReplaceAll(t.arg, "/", "\x01"), strings.ReplaceAll(name, "/", "\x01")) // * takes slashes
		case "-type":
			holds = holds && (t.arg == "d") == dir
		}
	}
	if holds {
		w.c.out.put(name + "\n")
	}
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
	f, names, ok := c.options("p")
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
	f, names, ok := c.options("r R f")
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

func runCp(c *call) int { return c.transfer(false) }
func runMv(c *call) int { return c.transfer(true) }

// transfer copies or moves files, not directories, to a path or into a directory.
func (c *call) transfer(move bool) int {
	_, names, ok := c.options("f")
	if !ok || len(names) < 2 {
		return c.complain(1, "give files and where to")
	}
	last := len(names) - 1
	to, status := c.m.absolute(names[last]), 0
	if last > 1 && !c.m.isDir(to) {
		return c.complain(1, "target '"+names[last]+"' is not a directory")
	}
	for _, n := range names[:last] {
		abs, target := c.m.absolute(n), to
		if c.m.isDir(to) {
			target = to + "/" + path.Base(abs)
		}
		content, why := c.m.read(n)
		switch {
		case abs == target:
			why = "source and target are the same"
		case why == isDirectory:
			why += ": this shell's " + c.name + " takes files"
		case why == "":
			why = c.m.write(target, content)
		}
		if why != "" {
			status = c.complain(1, "cannot "+c.name+" '"+n+"': "+why)
		} else if move {
			c.m.remove(abs)
		}
	}
	return status
}
