package transcript

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Difference is the first event in which two runs differ.
type Difference struct {
	Index     uint64 // how many events agreed before it
	Want, Got string // both lines; "" where that side had ended
	Field     string // seq, instant, phase, agent, kind, a key of the kind, or "end"
	WantValue string // the field's value as it stands in the text; "" where it is absent
	GotValue  string
}

// String says it in three lines: where and which field, then both sides.
func (d *Difference) String() string {
	what := fmt.Sprintf("field %s: %s became %s", d.Field, cmp.Or(d.WantValue, "(absent)"), cmp.Or(d.GotValue, "(absent)"))
	if d.Field == "end" {
		what = "where one of the two ends"
	}
	return fmt.Sprintf("first difference at event %d, %s\n  recorded  %s\n  now       %s",
		d.Index, what, cmp.Or(d.Want, "(the run had ended)"), cmp.Or(d.Got, "(the run had ended)"))
}

// Compare finds the first difference between two sequences of canonical lines;
// nil when they are equal. It returns the first error of either sequence.
func Compare(want, got iter.Seq2[string, error]) (*Difference, error) {
	c := NewCheck(want)
	for line, err := range got {
		if err != nil {
			c.stop()
			return nil, err
		}
		c.Line([]byte(line))
		if c.Differs() {
			break
		}
	}
	return c.Finish()
}

// Check compares a run, as it happens, with recorded lines. It is a Sink.
type Check struct {
	next func() (string, error, bool)
	stop func()
	buf  []byte
	n    uint64
	diff *Difference
	err  error
}

// NewCheck compares with the lines of want. Finish must be called.
func NewCheck(want iter.Seq2[string, error]) *Check {
	next, stop := iter.Pull2(want)
	return &Check{next: next, stop: stop}
}

// Emit compares the event's line.
func (c *Check) Emit(e *Event) {
	if c.Differs() {
		return
	}
	c.buf = AppendLine(c.buf[:0], e)
	c.Line(c.buf)
}

// Line compares a line rendered elsewhere.
func (c *Check) Line(got []byte) {
	if c.Differs() {
		return
	}
	want, err, ok := c.next()
	switch {
	case ok && err != nil:
		c.err = err
	case !ok || want != string(got):
		c.diff = differ(c.n, want, string(got))
	}
	c.n++
}

// Differs reports whether a difference, or an error of the recorded lines, has
// been met: nothing that follows is compared any more.
func (c *Check) Differs() bool { return c.diff != nil || c.err != nil }

// Finish ends the comparison: recorded lines that are left over are a difference
// too. It returns nil when all lines were equal, and the first error of the
// recorded lines.
func (c *Check) Finish() (*Difference, error) {
	defer c.stop()
	if c.Differs() {
		return c.diff, c.err
	}
	want, err, ok := c.next()
	if !ok || err != nil {
		return nil, err
	}
	return differ(c.n, want, ""), nil
}

func differ(n uint64, want, got string) *Difference {
	d := &Difference{Index: n, Want: want, Got: got, Field: "end"}
	if want == "" || got == "" {
		return d
	}
	w, g := fields(want), fields(got)
	for i := range max(len(w), len(g)) {
		if i < len(w) && i < len(g) && w[i] == g[i] {
			continue
		}
		d.Field, d.WantValue, d.GotValue = firstField(w[min(i, len(w)):], g[min(i, len(g)):])
		break
	}
	return d
}

// field is one word of a line: a key and its value.
type field struct{ key, value string }

// firstField names the first field that differs, given what is left of both
// lines. A key that only one side has is that side's.
func firstField(w, g []field) (name, want, got string) {
	switch {
	case len(w) == 0:
		return g[0].key, "", g[0].value
	case len(g) == 0 || w[0].key != g[0].key && !slices.ContainsFunc(g, func(f field) bool { return f.key == w[0].key }):
		return w[0].key, w[0].value, ""
	case w[0].key != g[0].key:
		return g[0].key, "", g[0].value
	}
	return w[0].key, w[0].value, g[0].value
}

var headKeys = [...]string{"seq", "instant", "phase", "agent", "kind"}

// fields splits a canonical line.
func fields(line string) []field {
	var out []field
	for line != "" {
		var word string
		word, line = cutWord(line)
		if len(out) < len(headKeys) {
			out = append(out, field{headKeys[len(out)], word})
			continue
		}
		key, value, _ := strings.Cut(word, "=")
		out = append(out, field{key, value})
	}
	return out
}

// cutWord cuts at the first space that stands in no quotes.
func cutWord(line string) (word, rest string) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ' ' && !quoted:
			return line[:i], line[i+1:]
		}
	}
	return line, ""
}
