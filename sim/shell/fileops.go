package shell

import (
	"fmt"
	"path"
	"strings"
)

func runLs(c *call) int {
	f, names, ok := c.options("a l")
	if !ok {
		return 2
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	first := true
	return 2 * c.each(names, "access", func(n, abs string) string {
		if !c.m.exists(abs) {
			return noFile
		}
		if !c.m.isDir(abs) {
			c.lsRow(f, n, abs)
			return ""
		}
		if len(names) > 1 {
			if !first {
				c.out.put("\n")
			}
			c.out.put(n + ":\n")
		}
		first = false
		c.lsDir(f, abs)
		return ""
	})
}

func (c *call) lsDir(f flags, abs string) {
	all := c.m.entries(abs)
	if f.has("a") {
		all = append([]entry{{".", true}, {"..", true}}, all...)
	}
	for _, e := range all {
		if e.name[0] != '.' || f.has("a") {
			c.lsRow(f, e.name, abs+"/"+e.name)
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
		name = fmt.Sprintf("%s %8d %s", kind, size, name)
	}
	c.out.put(name + "\n")
}

// condition is one test of find on a path and whether it is a directory.
type condition func(name string, dir bool) bool

// runFind knows -name, -path, -type f and d, and -o between them. It runs and
// deletes nothing.
func runFind(c *call) int {
	roots, args := []string{}, c.args
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		roots, args = append(roots, args[0]), args[1:]
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	either := [][]condition{nil} // alternatives, each of conditions that all hold
	for ; len(args) > 0; args = args[1:] {
		if args[0] == "-o" {
			either = append(either, nil)
			continue
		}
		if len(args) == 1 {
			return c.complain(1, args[0]+" needs a value, or is not known to this shell's find")
		}
		holds := c.m.condition(args[0], args[1])
		if holds == nil {
			return c.complain(1, "this shell's find does not know "+args[0]+" "+args[1])
		}
		last := len(either) - 1
		either[last], args = append(either[last], holds), args[1:]
	}
	return c.each(roots, "search", func(n, abs string) string {
		if !c.m.exists(abs) {
			return noFile
		}
		c.walk(n, abs, c.m.isDir(abs), either)
		return ""
	})
}

// condition is a test by its name and value, nil for one that is not known.
func (m *machine) condition(name, value string) condition {
	switch {
	case name == "-name":
		return func(p string, _ bool) bool { return m.match(value, path.Base(m.absolute(p))) }
	case name == "-path":
		star := strings.NewReplacer("/", "\x01") // * takes slashes
		return func(p string, _ bool) bool { return m.match(star.Replace(value), star.Replace(p)) }
	case name == "-type" && (value == "f" || value == "d"):
		return func(_ string, dir bool) bool { return (value == "d") == dir }
	}
	return nil
}

// walk prints the paths, of one and what is below it, that some alternative takes.
func (c *call) walk(name, abs string, dir bool, either [][]condition) {
	defer c.m.leave()
	if !c.m.enter() {
		return
	}
	for _, all := range either {
		holds := true
		for _, hold := range all {
			holds = holds && hold(name, dir)
		}
		if holds {
			c.out.put(name + "\n")
			break
		}
	}
	if !dir {
		return
	}
	for _, e := range c.m.entries(abs) {
		c.walk(strings.TrimSuffix(name, "/")+"/"+e.name, abs+"/"+e.name, e.dir, either)
	}
}

// runTouch makes files that are not there; those that are stay as they are,
// since files here have no times.
func runTouch(c *call) int {
	_, names, ok := c.options("")
	if !ok {
		return 2
	}
	return c.each(names, "touch", func(_, abs string) string {
		if c.m.exists(abs) {
			return ""
		}
		return c.m.write(abs, "")
	})
}

func runMkdir(c *call) int {
	f, names, ok := c.options("p")
	if !ok {
		return 2
	}
	return c.each(names, "create directory", func(_, abs string) string {
		if f.has("p") && c.m.isDir(abs) {
			return ""
		}
		if !f.has("p") && !c.m.isDir(path.Dir(abs)) {
			return c.m.why(path.Dir(abs))
		}
		return c.m.makeDir(abs)
	})
}

func runRm(c *call) int {
	f, names, ok := c.options("r f")
	if !ok {
		return 2
	}
	return c.each(names, "remove", func(_, abs string) string {
		switch dir := c.m.isDir(abs); {
		case dir && !f.has("r"):
			return isDirectory
		case dir && (abs == c.m.env.Root || abs == TempDir):
			return "it is where everything stands"
		case c.m.exists(abs) && c.m.elsewhere(abs):
			return otherTree
		case dir:
			c.m.removeAll(abs)
		case abs == nullDevice || !c.m.remove(abs) && !f.has("f"):
			return c.m.why(abs)
		}
		return ""
	})
}

// runLn makes one symbolic link.
func runLn(c *call) int {
	f, names, ok := c.options("s f")
	if !ok || len(names) != 2 || !f.has("s") {
		return c.complain(1, "this shell's ln makes one symbolic link: give -s, what it leads to and its name")
	}
	abs, target := c.m.absolute(names[1]), names[0]
	if !path.IsAbs(target) {
		target = path.Dir(abs) + "/" + target
	}
	return c.each(names[1:], "create symbolic link", func(string, string) string {
		t, rel, ok := c.m.find(abs)
		to, leads, reaches := c.m.find(path.Clean(target))
		switch {
		case !ok || !reaches || t.fs != to.fs:
			return denied
		case c.m.elsewhere(abs):
			return otherTree
		}
		if f.has("f") {
			c.m.remove(abs)
		}
		if !t.fs.Link(rel, leads) {
			return "File exists"
		}
		c.m.changed(t, rel)
		return ""
	})
}

func runCp(c *call) int { return c.transfer(false) }
func runMv(c *call) int { return c.transfer(true) }

// transfer copies or moves files, not directories, to a path or into a directory.
func (c *call) transfer(move bool) int {
	_, names, ok := c.options("")
	if !ok || len(names) < 2 {
		return c.complain(1, "give files and where to")
	}
	last := len(names) - 1
	to := c.m.absolute(names[last])
	into := c.m.isDir(to)
	if last > 1 && !into {
		return c.complain(1, "target '"+names[last]+"' is not a directory")
	}
	var status int
	for _, n := range names[:last] {
		if _, why := c.m.read(n); why != "" && why != isDirectory {
			status = c.complain(1, "cannot stat '"+n+"': "+why)
		} else if c.transferOne(n, to, into, move) > 0 {
			status = 1
		}
	}
	return status
}

// transferOne copies or moves one file that is there.
func (c *call) transferOne(n, to string, into, move bool) int {
	abs, target, shown := c.m.absolute(n), to, c.args[len(c.args)-1]
	if into {
		target, shown = to+"/"+path.Base(abs), strings.TrimSuffix(shown, "/")+"/"+path.Base(abs)
	}
	content, why := c.m.read(n)
	switch {
	case abs == target:
		return c.complain(1, "'"+n+"' and '"+shown+"' are the same file")
	case move && why == "" && c.m.elsewhere(abs):
		return c.complain(1, "cannot mv '"+n+"': "+otherTree)
	case why == isDirectory:
		return c.complain(1, "cannot "+c.name+" '"+n+"': "+why+": this shell's "+c.name+" takes files")
	}
	if why = c.m.write(target, content); why == "" {
		if move {
			c.m.remove(abs)
		}
		return 0
	}
	if move {
		return c.complain(1, "cannot move '"+n+"' to '"+shown+"': "+why)
	}
	return c.complain(1, "cannot create regular file '"+shown+"': "+why)
}
