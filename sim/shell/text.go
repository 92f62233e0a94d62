package shell

import (
	"slices"
	"strconv"
	"strings"
)

func runCat(c *call) int {
	f, names, ok := c.options("n")
	if !ok {
		return 2
	}
	all, failed := c.sources(names)
	if f.has("n") {
		c.numbered(joined(all))
		return truth(!failed)
	}
	for _, s := range all {
		c.out.put(s.content)
	}
	return truth(!failed)
}

func runNl(c *call) int {
	_, names, ok := c.options("b:")
	if !ok {
		return 2
	}
	all, failed := c.sources(names)
	c.numbered(joined(all))
	return truth(!failed)
}

// numbered prints lines after their numbers, which are filled to six columns.
func (c *call) numbered(text string) {
	for i, l := range lines(text) {
		s := itoa(i + 1)
		c.out.put(strings.Repeat(" ", max(0, 6-len(s))) + s + "\t" + l)
	}
}

func runHead(c *call) int {
	return c.ends(func(ls []string, n int, all bool) []string {
		if all {
			n = len(ls) - n
		}
		return ls[:min(max(0, n), len(ls))]
	}, "-")
}

func runTail(c *call) int {
	return c.ends(func(ls []string, n int, all bool) []string {
		if all {
			n = len(ls) - max(0, n-1)
		}
		return ls[len(ls)-min(max(0, n), len(ls)):]
	}, "+")
}

// ends is head and tail: a number after sign counts from the other end.
func (c *call) ends(pick func(ls []string, n int, all bool) []string, sign string) int {
	if len(c.args) > 0 && len(c.args[0]) > 1 && c.args[0][0] == '-' && strings.Trim(c.args[0][1:], "0123456789") == "" {
		c.args = append([]string{"-n", c.args[0][1:]}, c.args[1:]...) // head -5
	}
	f, names, ok := c.options("n:")
	if !ok {
		return 2
	}
	count := f["n"]
	if !f.has("n") {
		count = "10"
	}
	n, err := strconv.Atoi(strings.TrimLeft(count, "+-"))
	if err != nil || n < 0 {
		return c.complain(1, "invalid number "+count)
	}
	from, failed := c.sources(names)
	for i, s := range from {
		if len(from) > 1 {
			c.out.put(strings.Repeat("\n", min(i, 1)) + "==> " + s.name + " <==\n")
		}
		for _, l := range pick(lines(s.content), n, strings.HasPrefix(count, sign)) {
			c.out.put(l)
		}
	}
	return truth(!failed)
}

func runWc(c *call) int {
	f, names, ok := c.options("l w c")
	if !ok {
		return 2
	}
	if len(f) == 0 {
		f = flags{"l": "", "w": "", "c": ""}
	}
	all, failed := c.sources(names)
	if len(all) > 1 {
		all = append(all, source{"total", joined(all)})
	}
	for _, s := range all {
		var cols []string
		for _, o := range [...]struct {
			flag string
			n    int
		}{{"l", strings.Count(s.content, "\n")}, {"w", len(strings.Fields(s.content))}, {"c", len(s.content)}} {
			if f.has(o.flag) {
				cols = append(cols, itoa(o.n))
			}
		}
		if s.name != "-" {
			cols = append(cols, s.name)
		}
		c.out.put(strings.Join(cols, " ") + "\n")
	}
	return truth(!failed)
}

// runSort sorts lines by their bytes.
func runSort(c *call) int {
	f, names, ok := c.options("r u")
	if !ok {
		return 2
	}
	all, failed := c.sources(names)
	ls := lines(joined(all))
	for i, l := range ls {
		ls[i] = bare(l)
		c.m.charge(16 * len(l))
	}
	slices.Sort(ls)
	if f.has("u") {
		ls = slices.Compact(ls)
	}
	if f.has("r") {
		slices.Reverse(ls)
	}
	for _, l := range ls {
		c.out.put(l + "\n")
	}
	return truth(!failed)
}

// runSed prints lines by their numbers, which is what agents use sed for.
func runSed(c *call) int {
	f, rest, ok := c.options("n")
	if !ok {
		return 2
	}
	var from, to int
	if len(rest) > 0 {
		from, to = lineRange(rest[0])
	}
	if !f.has("n") || from == 0 {
		return c.complain(1, "this shell's sed prints lines by number alone: sed -n 10,20p FILE")
	}
	all, failed := c.sources(rest[1:])
	ls := lines(joined(all))
	for _, l := range ls[min(from-1, len(ls)):min(max(from, to), len(ls))] {
		c.out.put(l)
	}
	return truth(!failed)
}

// lineRange reads 10,20p or 10p or 10,$p; 0 for anything else.
func lineRange(s string) (from, to int) {
	s, ok := strings.CutSuffix(s, "p")
	first, last, ranged := strings.Cut(s, ",")
	from, err := strconv.Atoi(first)
	to, err2 := from, error(nil)
	switch {
	case last == "$":
		to = maxStream
	case ranged:
		to, err2 = strconv.Atoi(last)
	}
	if !ok || err != nil || err2 != nil || from < 1 {
		return 0, 0
	}
	return from, to
}
