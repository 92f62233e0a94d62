package policy

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSet compares set with a map, and holds it to never changing in place.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		member := rapid.IntRange(0, 200)
		var s, o set
		m, n := map[int]bool{}, map[int]bool{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			before, i := s, member.Draw(t, "i")
			had := before.list(nil)
			switch rapid.SampledFrom([]string{"with", "without", "other", "or", "minus"}).Draw(t, "op") {
			case "with":
				s, m[i] = s.with(i), true
			case "without":
				s = s.without(i)
				delete(m, i)
			case "other":
				o, n[i] = o.with(i), true
			case "or":
				s = s.or(o)
				maps.Copy(m, n)
			case "minus":
				s = s.minus(o)
				maps.DeleteFunc(m, func(k int, _ bool) bool { return n[k] })
			}
			if want := slices.Sorted(maps.Keys(m)); !slices.Equal(s.list(nil), want) || s.len() != len(want) || s.has(i) != m[i] {
				t.Fatalf("set %v, want %v", s.list(nil), want)
			}
			if !slices.Equal(before.list(nil), had) {
				t.Fatalf("an older set changed from %v to %v", had, before.list(nil))
			}
		}
	})
}
