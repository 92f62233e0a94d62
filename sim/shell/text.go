package shell

import (
	"fmt"
	"strconv"
	"strings"
)

func runCat(c *call) int {
	f, names, ok := c.options("n")
	if !ok {
		return 2
	}
	all, status := c.files(names)
	for i, l := range lines(joined(all)) {
		if f.has("n") {
			l = fmt.Sprintf("%6d\t%s", i+1, l)
		}
		c.out.put(l)
	}
	return status
}

func runHead(c *call) int {
	return c.ends(func(ls []string, n int) []string { return ls[:n] })
}

func runTail(c *call) int {
	return c.ends(func(ls []string, n int) []string { return ls[len(ls)-n:] })
}

// ends is head and tail.
func (c *call) ends(pick func(ls []string, n int) []string) int {
	f, names, ok := c.options("n:")
	if !ok {
		return 2
	}
	if !f.has("n") {
		f["n"] = "10"
	}
	n, err := strconv.ParseUint(f["n"], 10, 31)
	if err != nil {
		return c.complain(1, "invalid number "+f["n"])
	}
	all, status := c.inputs(names, func(name, why string) string {
		if why == isDirectory {
			return "error reading '" + name + "': " + why
		}
		return "cannot open '" + name + "' for reading: " + why
	})
	for i, s := range all {
		if len(all) > 1 {
			c.out.put(strings.Repeat("\n", min(i, 1)) + "==> " + s.name + " <==\n")
		}
		ls := lines(s.content)
		c.out.put(strings.Join(pick(ls, min(int(n), len(ls))), ""))
	}
	return status
}

func runWc(c *call) int {
	f, names, ok := c.options("l w c")
	if !ok {
		return 2
	}
	all, status := c.files(names)
	if len(all) > 1 {
		all = append(all, file{name: "total", content: joined(all)})
	}
	for _, s := range all {
		var cols []string
		for _, o := range [...]struct {
			flag string
			n    int
		}{{"l", strings.Count(s.content, "\n")}, {"w", len(strings.Fields(s.content))}, {"c", len(s.content)}} {
			if f.has(o.flag) || len(f) == 0 {
				cols = append(cols, strconv.Itoa(o.n))
			}
		}
		if s.name != "-" {
			cols = append(cols, s.name)
		}
		c.out.put(strings.Join(cols, " ") + "\n")
	}
	return status
}

// runSed prints lines by their numbers, which is what agents use sed for.
func runSed(c *call) int {
	f, rest, ok := c.options("n")
	if !ok {
		return 2
	}
	from, to := 0, 0
	if len(rest) > 0 {
		from, to = lineRange(rest[0])
	}
	if !f.has("n") || from == 0 {
		return c.complain(1, "this shell's sed prints lines by number alone: sed -n 10,20p FILE")
	}
	all, status := c.files(rest[1:])
	ls := lines(joined(all))
	c.out.put(strings.Join(ls[min(from-1, len(ls)):min(max(from, to), len(ls))], ""))
	return status
}

// lineRange reads 10,20p or 10p or 10,$p; 0 for anything else.
func lineRange(s string) (from, to int) {
	s, ok := strings.CutSuffix(s, "p")
	first, last, ranged := strings.Cut(s, ",")
	if !ranged {
		last = first
	} else if last == "$" {
		last = strconv.Itoa(maxStream)
	}
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if !ok || err != nil || err2 != nil || from < 1 {
		return 0, 0
	}
	return from, to
}
