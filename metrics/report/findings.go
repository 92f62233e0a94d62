package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Findings gathers what is said of several things, such as variants: each text
// once, with the things that it is said of. Texts in which nothing but amounts before
// and after differ are one: 294 → 319 or 144 → 169 tokens.
type Findings struct{ list []Finding }

// Finding is one text.
type Finding struct {
	Text    string
	Names   []string
	rank    int
	frame   string     // the text without amounts
	amounts [][]string // what stands in the place of each of them
}

// fromTo is one before and after.
var fromTo = regexp.MustCompile(`\d[\d,.hmsµn]* → \d[\d,.hmsµn]*`)

// Add says a text of a thing; "" is nothing. Texts of a higher rank come first,
// then those that are said of more.
func (f *Findings) Add(text, name string, rank int) {
	if text == "" {
		return
	}
	amounts, frame := fromTo.FindAllString(text, -1), fromTo.ReplaceAllString(text, "→")
	i := slices.IndexFunc(f.list, func(x Finding) bool { return x.frame == frame })
	if i < 0 {
		i, f.list = len(f.list), append(f.list, Finding{frame: frame, Text: text, amounts: make([][]string, len(amounts))})
	}
	x, n := &f.list[i], -1
	for k, a := range amounts {
		if !slices.Contains(x.amounts[k], a) {
			x.amounts[k] = append(x.amounts[k], a)
		}
	}
	x.Text = fromTo.ReplaceAllStringFunc(text, func(string) string { n++; return strings.Join(x.amounts[n], " or ") })
	x.Names, x.rank = append(x.Names, name), max(x.rank, rank)
}

// All are the findings, the loudest first.
func (f *Findings) All() []Finding {
	slices.SortStableFunc(f.list, func(a, b Finding) int {
		if a.rank != b.rank {
			return b.rank - a.rank
		}
		return len(b.Names) - len(a.Names)
	})
	return f.list
}

// maxNames is how many things are named one by one.
const maxNames = 4

// Who names the things, and how many they are where they are many.
func (f Finding) Who() string {
	if n := len(f.Names); n > maxNames {
		return fmt.Sprintf("%s (%d in all)", Some(f.Names), n)
	}
	return Some(f.Names)
}

// Some is a list of names of which only the first ones are written out.
func Some(names []string) string {
	if n := len(names) - maxNames; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), n)
	}
	return strings.Join(names, ", ")
}

// Lines are the findings in a line each; of which all things are said, of which
// there are so many, without them.
func (f *Findings) Lines(of int) (out []string) {
	for _, x := range f.All() {
		if len(x.Names) < of {
			x.Text = x.Who() + ": " + x.Text
		}
		out = append(out, x.Text)
	}
	return out
}
