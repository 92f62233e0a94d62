package document

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Run("SCN-02 the nearest name is the one with the fewest slips, swapped letters counting once", func(t *testing.T) {
		for _, c := range []struct{ word, want string }{
			{"wrok", "work"}, {"mian", "main"}, {"promting", "prompting"}, {"Prompting", "prompting"}, {"zebra", ""},
			{strings.Repeat("x", 300), ""}, {"", ""},
		} {
			if got := Nearest(c.word, []string{"mint", "walk", "work", "main", "prompting"}); got != c.want {
				t.Errorf("%q: got %q, want %q", c.word, got, c.want)
			}
		}
		if got := edits("wrok", "work", 3); got != 1 {
			t.Errorf("a swap counts %d", got)
		}
	})
}
