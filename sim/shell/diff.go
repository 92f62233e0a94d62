package shell

import "strings"

// maxCells bounds the table in which two texts are compared; where it would be
// larger, all between their common ends counts as changed.
const maxCells = 2 << 20

// hunk is lines of one text that stand for lines of another: from…to of each,
// the last ones excluded, counted from 0.
type hunk struct{ a0, a1, b0, b1 int }

// runDiff compares two files, and with -r two directories.
func runDiff(c *call) int {
	f, names, ok := c.options("u unified=u U: q brief=q r recursive=r w b N i")
	if !ok {
		return 2
	}
	if len(names) != 2 {
		return c.complain(2, "give two files")
	}
	both, failed := c.sources(names)
	if failed {
		return 2
	}
	a, b := both[0].content, both[1].content
	switch {
	case a == b:
		return 0
	case f.has("q"):
		c.out.put("Files " + names[0] + " and " + names[1] + " differ\n")
	case f.has("u") || f.has("U"):
		c.out.put(c.m.unified(names[0], names[1], a, b))
	default:
		c.out.put(c.m.plain(a, b))
	}
	return 1
}

// hunks lists what differs between two texts.
func (m *machine) hunks(a, b []string) (out []hunk) {
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	ea, eb := len(a), len(b)
	for ea > lo && eb > lo && a[ea-1] == b[eb-1] {
		ea, eb = ea-1, eb-1
	}
	n, k := ea-lo, eb-lo
	if n == 0 && k == 0 {
		return nil
	}
	if (n+1)*(k+1) > maxCells || !m.charge((n+1)*(k+1)) {
		return []hunk{{lo, ea, lo, eb}}
	}
	table := common(a[lo:ea], b[lo:eb])
	for i, j := 0, 0; i < n || j < k; {
		if i < n && j < k && a[lo+i] == b[lo+j] {
			i, j = i+1, j+1
			continue
		}
		h := hunk{lo + i, 0, lo + j, 0}
		for i < n || j < k {
			if i < n && j < k && a[lo+i] == b[lo+j] {
				break
			}
			if j == k || i < n && table[(i+1)*(k+1)+j] >= table[i*(k+1)+j+1] {
				i++
			} else {
				j++
			}
		}
		h.a1, h.b1 = lo+i, lo+j
		out = append(out, h)
	}
	return out
}

// common is how many lines the rests of two texts have in common, by where
// they begin.
func common(a, b []string) []int32 {
	w := len(b) + 1
	table := make([]int32, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i*w+j] = table[(i+1)*w+j+1] + 1
			} else {
				table[i*w+j] = max(table[(i+1)*w+j], table[i*w+j+1])
			}
		}
	}
	return table
}

// context is how many lines are shown around a change.
const context = 3

// unified is the difference in the unified form.
func (m *machine) unified(nameA, nameB, a, b string) string {
	la, lb := lines(a), lines(b)
	all := m.hunks(la, lb)
	var out strings.Builder
	out.WriteString("--- " + nameA + "\n+++ " + nameB + "\n")
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j].a0-all[j-1].a1 <= 2*context {
			j++
		}
		writeGroup(&out, la, lb, all[i:j])
		i = j
	}
	return out.String()
}

func writeGroup(out *strings.Builder, a, b []string, hs []hunk) {
	first, last := hs[0], hs[len(hs)-1]
	lead := min(context, first.a0)
	a0, a1 := first.a0-lead, min(len(a), last.a1+context)
	b0, b1 := first.b0-lead, last.b1+a1-last.a1
	out.WriteString("@@ -" + span(a0, a1) + " +" + span(b0, b1) + " @@\n")
	at := a0
	for _, h := range hs {
		writeLines(out, " ", a[at:h.a0])
		writeLines(out, "-", a[h.a0:h.a1])
		writeLines(out, "+", b[h.b0:h.b1])
		at = h.a1
	}
	writeLines(out, " ", a[at:a1])
}

// span is a range of lines as a unified difference names it.
func span(from, to int) string {
	if to == from {
		return itoa(from) + ",0"
	}
	if to == from+1 {
		return itoa(to)
	}
	return itoa(from+1) + "," + itoa(to-from)
}

func writeLines(out *strings.Builder, sign string, ls []string) {
	for _, l := range ls {
		out.WriteString(sign + l)
		if !strings.HasSuffix(l, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// plain is the difference as diff prints it without options.
func (m *machine) plain(a, b string) string {
	la, lb := lines(a), lines(b)
	var out strings.Builder
	for _, h := range m.hunks(la, lb) {
		verb := "c"
		switch {
		case h.a0 == h.a1:
			verb = "a"
		case h.b0 == h.b1:
			verb = "d"
		}
		out.WriteString(plainSpan(h.a0, h.a1) + verb + plainSpan(h.b0, h.b1) + "\n")
		writeLines(&out, "< ", la[h.a0:h.a1])
		if verb == "c" {
			out.WriteString("---\n")
		}
		writeLines(&out, "> ", lb[h.b0:h.b1])
	}
	return out.String()
}

func plainSpan(from, to int) string {
	if to <= from+1 {
		return itoa(to)
	}
	return itoa(from+1) + "," + itoa(to)
}
