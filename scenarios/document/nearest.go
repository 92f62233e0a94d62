package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DidYouMean is the hint with the candidate nearest to word, or "" if none is
// near.
func DidYouMean(word string, candidates []string) string {
	if n := Nearest(word, candidates); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return ""
}

// DidYouMeanOr falls back to listing what is possible.
func DidYouMeanOr(word string, candidates []string) string {
	if h := DidYouMean(word, candidates); h != "" {
		return h
	}
	return OneOf(candidates)
}

// A hint lists all of a few candidates, and of more what fits.
const (
	fewListed = 40
	maxListed = 100 // characters of many
	maxAtAll  = 450 // of few
)

// OneOf lists each candidate once, in their order; a name that is empty, such as
// that of the only variant of a file without variants, can be written by nobody.
func OneOf(candidates []string) string {
	out, seen := "", map[string]bool{"": true}
	most := maxListed
	if len(candidates) <= fewListed && len(strings.Join(candidates, ", ")) <= maxAtAll {
		most = 2 * maxAtAll
	}
	for _, c := range candidates {
		if seen[c] {
			continue
		}
		seen[c] = true
		if out == "" {
			out = "one of " + c
			continue
		}
		if out += ", "; len(out)+len(c) > most {
			return out + "…"
		}
		out += c
	}
	return out
}

// Counted is a number with what it counts: 1 file, 2 files.
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// Nearest is the candidate with the fewest edits to word, if these are few for
// its length; the first of equals.
func Nearest(word string, candidates []string) string {
	best, bestCost := "", 1<<30
	for _, c := range candidates {
		limit := 1 + max(len(word), len(c))/4
		if cost := edits(strings.ToLower(word), strings.ToLower(c), limit); cost <= limit && cost < bestCost {
			best, bestCost = c, cost
		}
	}
	return best
}

// Nearer are the candidates, those with the fewest edits to word first.
func Nearer(word string, candidates []string) []string {
	return slices.SortedStableFunc(slices.Values(candidates), func(a, b string) int {
		return edits(word, a, maxWord) - edits(word, b, maxWord)
	})
}

const maxWord = 200 // bytes compared; a longer word is near nothing

// edits counts insertions, removals, changes and swaps of neighbours between a
// and b; beyond limit it may stop early with any larger number.
func edits(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > maxWord || len(b) > maxWord {
		return limit + 1
	}
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}

func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
