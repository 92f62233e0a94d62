package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Said is what one variant says of itself, in words.
type Said struct {
	Variant string
	Texts   []string
}

// Gathered are lines of what variants say, each thing once: first what all of them say,
// then the rest with the variants it is true of. A line holds as many of them as are
// read at a glance.
func Gathered(all []Said) (lines []string) {
	var order, common, rest []string
	of := map[string][]string{}
	for _, x := range all {
		for _, text := range x.Texts {
			if of[text] == nil {
				order = append(order, text)
			}
			of[text] = append(of[text], x.Variant)
		}
	}
	for _, text := range order {
		if who := whose(of[text], all); who != "" {
			rest = append(rest, text+" ("+who+")")
		} else {
			common = append(common, text)
		}
	}
	for _, text := range append(common, rest...) {
		if last := len(lines) - 1; last >= 0 && utf8.RuneCountInString(lines[last]+text) <= glance {
			lines[last] += " · " + text
		} else {
			lines = append(lines, text)
		}
	}
	return lines
}

const (
	glance   = 100 // characters of a line
	maxNamed = 4   // variants that are named one by one
)

// whose names the variants in a list of them, "" for all.
func whose(names []string, all []Said) string {
	var others []string
	for _, x := range all {
		if !slices.Contains(names, x.Variant) {
			others = append(others, x.Variant)
		}
	}
	switch {
	case len(others) == 0:
		return ""
	case len(others) < len(names) && len(others) <= maxNamed:
		return "all but " + strings.Join(others, ", ")
	case len(names) <= maxNamed:
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%d of %d variants", len(names), len(all))
}
