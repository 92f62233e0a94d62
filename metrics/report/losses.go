package report

import (
	"fmt"

	"agentsim/metrics"
)

// Losses says in a line for each variant what was lost on the way and what that
// cost: histories that became summaries, results that stand as previews, requests
// that failed. Nothing is said of a variant that lost nothing.
func Losses(rows []Row) []string {
	var out []string
	for _, r := range rows {
		t := &r.Run.Total
		known := len(r.Run.Unpriced()) == 0
		for _, line := range []string{compactions(t, known), replacements(t), failures(t, known)} {
			if line != "" {
				out = append(out, variantName(r)+" "+line)
			}
		}
	}
	return out
}

func compactions(t *metrics.Tally, priced bool) string {
	if t.Compactions == 0 {
		return ""
	}
	s := "summed up " + count(t.Compactions, "history", "histories")
	if priced {
		s += " for " + Money(t.CompactionCost)
	}
	s += " and lost " + count(t.FactsLost, "fact", "facts") + " and the content of " + count(t.FilesLost, "version of a file", "versions of files")
	if n := t.Reads[metrics.Compaction]; n > 0 {
		s += "; " + count(n, "read", "reads") + " had to be made again"
	}
	return s
}

func replacements(t *metrics.Tally) string {
	if t.Replaced == 0 {
		return ""
	}
	return "put previews in the place of " + count(t.Replaced, "result", "results") + ", " + Quantity(t.ReplacedBytes) + " bytes less"
}

func failures(t *metrics.Tally, priced bool) string {
	if t.Errors == 0 {
		return ""
	}
	s := fmt.Sprintf("made %s, of which %d failed", count(t.Requests, "request", "requests"), t.Errors)
	if priced && t.ErrorCost >= visible {
		verb := "were"
		if t.Errors == 1 {
			verb = "was"
		}
		s += " and " + verb + " billed " + Money(t.ErrorCost)
	}
	return s
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
