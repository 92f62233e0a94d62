package sharedprefix

import (
	"fmt"
	"strings"
)

// Lines say the finding to people. Money prints an amount of picodollars.
func (f *Finding) Lines(money func(int64) string) []string {
	out := []string{f.head()}
	verb := "they part at "
	if f.Kind == "turn" {
		verb = "it parts at "
	}
	out = append(out, "  "+verb+f.At.String())
	width := 0
	for _, t := range f.Texts {
		width = max(width, len(t.Whose))
	}
	for _, t := range f.Texts {
		text := t.Text
		if text == "" {
			text = "(ends there)"
		}
		out = append(out, fmt.Sprintf("    %-*s  %s", width, t.Whose, text))
	}
	return append(out, "  "+f.price(money))
}

func (f *Finding) head() string {
	names := strings.Join(f.Agents, " and ")
	switch f.Kind {
	case "siblings":
		return fmt.Sprintf("lost: the children of type %s that %s starts share %s; before %s", names, f.Who, f.Is, f.Was)
	case "turn":
		return fmt.Sprintf("lost: %s (%s) shares %d bytes with the request before it; before %d", f.Who, names, f.Is.Bytes, f.Was.Bytes)
	}
	return fmt.Sprintf("lost: %s share %s; before %s", names, f.Is, f.Was)
}

func (f *Finding) price(money func(int64) string) string {
	each := "start"
	if f.Kind == "turn" {
		each = "turn"
	}
	if f.Again == 0 {
		return "no " + each + " pays more for it: no mark, or too short a prefix, stood before what is lost"
	}
	return fmt.Sprintf("each such %s writes %d tokens again that a cache could read: %s more (%s)", each, f.Again, money(f.Cost), f.Model)
}

// String is the extent in words.
func (e Extent) String() string {
	if e.Blocks == 1 {
		return fmt.Sprintf("1 block, %d bytes, about %d tokens", e.Bytes, e.Tokens)
	}
	return fmt.Sprintf("%d blocks, %d bytes, about %d tokens", e.Blocks, e.Bytes, e.Tokens)
}
