package excerpt_test

import (
	"strings"
	"testing"

	"agentsim/sim/excerpt"
)

func TestShow(t *testing.T) {
	for _, c := range []struct {
		name      string
		lines     []string
		line, col int
		want      string
	}{
		{"the line above stands over it", []string{"a: 1", "b: x"}, 2, 4, "    1 | a: 1\n    2 | b: x\n      |    ^ write 2"},
		{"an empty line above is left out", []string{"", "b"}, 2, 1, "    2 | b\n      | ^ write 2"},
		{"a place beyond the text is its end", []string{"ab"}, 9, 9, "    1 | ab\n      |   ^ write 2"},
		{"tabs and control characters are spaces", []string{"a\tb\x07c\r"}, 1, 1, "    1 | a b c\n      | ^ write 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := excerpt.Show(c.lines, c.line, c.col, "write 2"); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
	t.Run("a long line is shown around the place", func(t *testing.T) {
		long := strings.Repeat("x", 300) + "HERE" + strings.Repeat("y", 300)
		got := excerpt.Show([]string{long}, 1, 301, "")
		lines := strings.Split(got, "\n")
		if at := strings.IndexByte(lines[1], '^'); !strings.HasPrefix(lines[0][at:], "HERE") || len(lines[0]) > 8+100+len("…") {
			t.Errorf("got:\n%s", got)
		}
	})
}
