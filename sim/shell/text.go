package shell

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func runCat(c *call) int {
	f, names, ok := c.options("n number=n b A")
	if !ok {
		return 2
	}
	all, failed := c.sources(names)
	if f.has("n") {
		for i, l := range lines(joined(all)) {
			c.out.put(numberedLine(i+1, l))
		}
		return truth(!failed)
	}
	for _, s := range all {
		c.out.put(s.content)
	}
	return truth(!failed)
}

// numberedLine is a line behind its number, filled to six columns.
func numberedLine(n int, line string) string {
	s := itoa(n)
	return strings.Repeat(" ", max(0, 6-len(s))) + s + "\t" + line
}

func runNl(c *call) int {
	_, names, ok := c.options("b:")
	if !ok {
		return 2
	}
	all, failed := c.sources(names)
	for i, l := range lines(joined(all)) {
		c.out.put(numberedLine(i+1, l))
	}
	return truth(!failed)
}

func runRev(c *call) int {
	all, failed := c.sources(c.args)
	for _, l := range lines(joined(all)) {
		runes := []rune(bare(l))
		slices.Reverse(runes)
		c.out.put(string(runes) + "\n")
	}
	return truth(!failed)
}

func runHead(c *call) int {
	return c.ends(func(ls []string, n int, all bool) []string {
		if all {
			return ls[:max(0, len(ls)-n)]
		}
		return ls[:min(n, len(ls))]
	}, "-")
}

func runTail(c *call) int {
	return c.ends(func(ls []string, n int, all bool) []string {
		if all {
			return ls[min(max(0, n-1), len(ls)):]
		}
		return ls[max(0, len(ls)-n):]
	}, "+")
}

// ends is head and tail: a number behind sign counts from the other end.
func (c *call) ends(pick func(ls []string, n int, all bool) []string, sign string) int {
	if len(c.args) > 0 && len(c.args[0]) > 1 && c.args[0][0] == '-' && strings.Trim(c.args[0][1:], "0123456789") == "" {
		c.args = append([]string{"-n", c.args[0][1:]}, c.args[1:]...) // head -5
	}
	f, names, ok := c.options("n: lines=n: c: bytes=c: q v")
	if !ok {
		return 2
	}
	count := f.or("c", f.or("n", "10"))
	all := strings.HasPrefix(count, sign)
	n, err := strconv.Atoi(strings.TrimLeft(count, "+-"))
	if err != nil || n < 0 {
		return c.complain(1, "invalid number "+count)
	}
	from, failed := c.sources(names)
	for i, s := range from {
		if len(from) > 1 && !f.has("q") {
			if i > 0 {
				c.out.put("\n")
			}
			c.out.put("==> " + s.name + " <==\n")
		}
		units := lines(s.content)
		if f.has("c") {
			units = strings.Split(s.content, "")
		}
		for _, l := range pick(units, n, all) {
			c.out.put(l)
		}
	}
	return truth(!failed)
}

func runWc(c *call) int {
	f, names, ok := c.options("l lines=l w words=w c bytes=c m chars=m")
	if !ok {
		return 2
	}
	if len(f.count) == 0 {
		f.count = map[string]int{"l": 1, "w": 1, "c": 1}
	}
	all, failed := c.sources(names)
	var total [4]int
	row := func(n [4]int, name string) {
		var cols []string
		for i, o := range [...]string{"l", "w", "m", "c"} {
			if f.has(o) {
				cols = append(cols, itoa(n[i]))
			}
		}
		if name != "-" {
			cols = append(cols, name)
		}
		c.out.put(strings.Join(cols, " ") + "\n")
	}
	for _, s := range all {
		n := [4]int{strings.Count(s.content, "\n"), len(strings.Fields(s.content)), utf8.RuneCountInString(s.content), len(s.content)}
		for i := range n {
			total[i] += n[i]
		}
		row(n, s.name)
	}
	if len(all) > 1 {
		row(total, "total")
	}
	return truth(!failed)
}

// sortEffect writes with -o.
func sortEffect(_ set, args []string) effect {
	for _, a := range args {
		if a == unknownWord || strings.HasPrefix(a, "-") && strings.Contains(a, "o") {
			return writing
		}
	}
	return reading
}

func runSort(c *call) int {
	f, names, ok := c.options("r reverse=r n numeric-sort=n u unique=u f ignore-case=f k: key=k: t: field-separator=t: o: output=o: s V h b")
	if !ok {
		return 2
	}
	key, ok := sortKey(f)
	if !ok {
		return c.complain(2, "invalid key "+f.value("k"))
	}
	all, failed := c.sources(names)
	if failed {
		return 2
	}
	text := c.sorted(joined(all), key, f)
	if !f.has("o") {
		c.out.put(text)
		return 0
	}
	if why := c.m.write(c.m.absolute(f.value("o")), text); why != "" {
		return c.complain(2, f.value("o")+": "+why)
	}
	return 0
}

// keyed is a line with the part of it that counts.
type keyed struct{ line, key string }

// sorted sorts the lines of a text.
func (c *call) sorted(text string, k key, f *flags) string {
	raw := lines(text)
	if len(raw) == 0 || !c.m.charge(len(text)*bits.Len(uint(len(raw)))) {
		return ""
	}
	ls := make([]keyed, len(raw))
	for i, l := range raw {
		ls[i] = keyed{bare(l), k.of(bare(l))}
	}
	slices.SortStableFunc(ls, func(a, b keyed) int {
		d := k.compare(a.key, b.key)
		if d == 0 && !f.has("u") && !f.has("s") {
			d = strings.Compare(a.line, b.line)
		}
		if f.has("r") {
			d = -d
		}
		return d
	})
	if f.has("u") {
		ls = slices.CompactFunc(ls, func(a, b keyed) bool { return k.compare(a.key, b.key) == 0 })
	}
	var b strings.Builder
	for _, l := range ls {
		b.WriteString(l.line + "\n")
	}
	return b.String()
}

// key is what lines are sorted by.
type key struct {
	from, to int // fields, from 1; 0 is the whole line, or to its end
	sep      string
	numeric  bool
	fold     bool
}

func sortKey(f *flags) (k key, ok bool) {
	k = key{sep: f.value("t"), numeric: f.has("n") || f.has("V") || f.has("h"), fold: f.has("f")}
	if !f.has("k") {
		return k, true
	}
	from, to, _ := strings.Cut(f.value("k"), ",")
	if strings.ContainsAny(from+to, "n") {
		k.numeric = true
	}
	k.from, ok = fieldNumber(strings.TrimRight(from, "nrb"))
	if ok && to != "" {
		k.to, ok = fieldNumber(strings.TrimRight(to, "nrb"))
	}
	return k, ok
}

func fieldNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0
}

// of is the part of a line that the key means.
func (k key) of(line string) string {
	if k.from == 0 {
		return line
	}
	fs := strings.Fields(line)
	if k.sep != "" {
		fs = strings.Split(line, k.sep)
	}
	to := len(fs)
	if k.to > 0 {
		to = min(to, k.to)
	}
	if k.from > to {
		return ""
	}
	return strings.Join(fs[k.from-1:to], k.sep)
}

// compare compares two keys.
func (k key) compare(a, b string) int {
	if k.numeric {
		return cmp.Compare(leading(a), leading(b))
	}
	if k.fold {
		return strings.Compare(strings.ToUpper(a), strings.ToUpper(b))
	}
	return strings.Compare(a, b)
}

// leading is the whole number with which a text begins, 0 without one.
func leading(s string) int64 {
	s = strings.TrimLeft(s, " \t")
	n := 0
	for n < len(s) && n < 18 && ('0' <= s[n] && s[n] <= '9' || n == 0 && s[n] == '-') {
		n++
	}
	v, err := strconv.ParseInt(s[:n], 10, 64)
	if err != nil {
		return 0
	}
	return v
}

// uniqEffect writes when it is given a second operand.
func uniqEffect(_ set, args []string) effect {
	operands := 0
	for _, a := range args {
		if !strings.HasPrefix(a, "-") || a == unknownWord {
			operands++
		}
	}
	if operands > 1 || anyUnknown(args) {
		return writing
	}
	return reading
}

func runUniq(c *call) int {
	f, names, ok := c.options("c count=c d repeated=d u unique=u i")
	if !ok {
		return 2
	}
	if len(names) > 1 {
		return c.complain(1, "this shell's uniq writes to its output only")
	}
	all, failed := c.sources(names)
	ls := lines(joined(all))
	for i := 0; i < len(ls); {
		j := i + 1
		for j < len(ls) && (bare(ls[j]) == bare(ls[i]) || f.has("i") && strings.EqualFold(bare(ls[j]), bare(ls[i]))) {
			j++
		}
		n := j - i
		if !(f.has("d") && n == 1 || f.has("u") && n > 1) {
			line := bare(ls[i]) + "\n"
			if f.has("c") {
				s := itoa(n)
				line = strings.Repeat(" ", max(0, 7-len(s))) + s + " " + line
			}
			c.out.put(line)
		}
		i = j
	}
	return truth(!failed)
}

func runCut(c *call) int {
	f, names, ok := c.options("d: delimiter=d: f: fields=f: c: characters=c: b: s")
	if !ok {
		return 2
	}
	list, chars := f.value("f"), false
	if f.has("c") || f.has("b") {
		list, chars = f.or("c", f.value("b")), true
	}
	ranges, ok := cutRanges(list)
	if !ok {
		return c.complain(1, "give a list of fields with -f or of characters with -c, such as 1,3-5")
	}
	sep := f.or("d", "\t")
	all, failed := c.sources(names)
	for _, l := range lines(joined(all)) {
		line := bare(l)
		parts, glue := strings.Split(line, sep), sep
		if chars {
			parts, glue = strings.Split(line, ""), ""
		} else if len(parts) == 1 {
			if !f.has("s") {
				c.out.put(line + "\n")
			}
			continue
		}
		var kept []string
		for i, p := range parts {
			if inRanges(ranges, i+1) {
				kept = append(kept, p)
			}
		}
		c.out.put(strings.Join(kept, glue) + "\n")
	}
	return truth(!failed)
}

func cutRanges(list string) (out [][2]int, ok bool) {
	for _, r := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(r, "-")
		a, err1 := strconv.Atoi("0" + from)
		b, err2 := strconv.Atoi("0" + to)
		if !isRange {
			b = a
		} else if to == "" {
			b = maxStream
		}
		if err1 != nil || err2 != nil || b == 0 || r == "-" || len(out) > 100 {
			return nil, false
		}
		out = append(out, [2]int{a, b})
	}
	return out, true
}

func inRanges(ranges [][2]int, n int) bool {
	for _, r := range ranges {
		if r[0] <= n && n <= r[1] {
			return true
		}
	}
	return false
}

// runTr replaces characters, deletes them with -d, squeezes them with -s.
func runTr(c *call) int {
	f, sets, ok := c.options("d delete=d s squeeze-repeats=s c C complement=c")
	if !ok {
		return 2
	}
	if len(sets) == 0 || len(sets) > 2 || len(sets) == 1 && !f.has("d") && !f.has("s") {
		return c.complain(1, "give two sets, or one with -d or -s")
	}
	from, to := trSet(sets[0]), []rune(nil)
	if len(sets) == 2 {
		to = trSet(sets[1])
	}
	not := f.has("c") || f.has("C")
	var b strings.Builder
	last := rune(-1)
	for _, r := range c.in.rest() {
		at := slices.Index(from, r)
		in := at >= 0 != not
		if in && f.has("d") {
			continue
		}
		if in && len(to) > 0 && !f.has("d") {
			if not {
				at = len(to)
			}
			r = to[min(at, len(to)-1)]
		}
		squeeze := in
		if f.has("s") && len(to) > 0 {
			squeeze = slices.Contains(to, r)
		}
		if f.has("s") && squeeze && r == last {
			continue
		}
		last = r
		b.WriteRune(r)
	}
	c.out.put(b.String())
	return 0
}

// trSet lists the characters of a set: ranges, classes and escapes.
func trSet(s string) (out []rune) {
	s = escapes(s, false)
	for _, class := range [...]string{"lower", "upper", "digit", "alpha", "alnum", "space", "punct", "blank"} {
		if strings.Contains(s, "[:"+class+":]") {
			var all strings.Builder
			for r := rune(1); r < 128; r++ {
				if named(class, r) {
					all.WriteRune(r)
				}
			}
			s = strings.ReplaceAll(s, "[:"+class+":]", all.String())
		}
	}
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		if i+2 < len(runes) && runes[i+1] == '-' && runes[i] <= runes[i+2] && runes[i+2]-runes[i] < 1000 && unicode.IsPrint(runes[i]) {
			for r := runes[i]; r <= runes[i+2]; r++ {
				out = append(out, r)
			}
			i += 2
			continue
		}
		out = append(out, runes[i])
	}
	return out
}
