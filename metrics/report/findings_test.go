package report

import (
	"slices"
	"testing"
)

func TestFindings(t *testing.T) {
	t.Run("TTY-06 texts that differ in amounts before and after alone are one", func(t *testing.T) {
		var f Findings
		f.Add("main, request 2: 294 → 319 tokens", "a", 0)
		f.Add("main, request 3: 294 → 319 tokens", "x", 0)
		f.Add("main, request 2: 144 → 169 tokens", "b", 0)
		f.Add("main, request 2: 294 → 319 tokens", "c", 0)
		got := f.Lines(4)
		want := []string{"a, b, c: main, request 2: 294 → 319 or 144 → 169 tokens", "x: main, request 3: 294 → 319 tokens"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
