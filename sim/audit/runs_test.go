package audit

import (
	"fmt"
	"strings"
	"testing"
)

// TestRuns holds what is found of a text in another one against a search for each run.
func TestRuns(t *testing.T) {
	t.Run("AUD-03 the first run in common, wherever it stands", func(t *testing.T) {
		text := func(from, n int) string { // of which no two places are alike
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "%x.", (from+i)*7919)
			}
			return b.String()
		}
		of := text(1, 12)
		for at := range len(of) - canary {
			for before := range 2 * canary {
				for _, long := range []int{canary - 1, canary, canary + 3} {
					from := text(900, 20)[:before] + of[at:min(at+long, len(of))] + text(700, 9)
					for _, told := range []string{"", text(500, 9), "x" + of[at:min(at+canary, len(of))] + "y", of} {
						want := ""
						for i := 0; i+canary <= len(from) && want == ""; i++ {
							if run := from[i : i+canary]; strings.Contains(of, run) && !strings.Contains(told, run) {
								want = run
							}
						}
						r := shingles(of)
						r.without(told)
						if got, none := r.found(from), r.none(); got != want || none && want != "" {
							t.Fatalf("%d bytes of %d at %d, told %q: found %q, want %q, none %v", long, at, before, told, got, want, none)
						}
					}
				}
			}
		}
	})
}
