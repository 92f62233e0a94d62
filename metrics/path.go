package metrics

import (
	"slices"
	"strings"
)

// Each is the step of a path that means each variant by itself.
const Each = "all"

// Path is what a figure is asked for by, in steps parted by dots:
//
//	[VARIANT or all] . [TYPE or ROOT] . [CALL of a root, from 1] . METRIC
type Path struct {
	Variant string // Each for all; "" where none is named
	Subject string // as Lookup takes it: an agent type, a root, or ROOT#CALL; "" is the whole run
	Metric  Name
}

// Known are the names that a path may hold. The variant wins over a type or root of
// its name.
type Known struct{ Variants, Types, Roots []string }

// PathError is a path that leads to no metric.
type PathError struct {
	Col    int      // of what is wrong, from 0
	Msg    string   // what is wrong
	Word   string   // what is unknown
	Names  []string // what there is in its place, nil where that is not the mistake
	Before string   // the path in front of the word
	After  string   // the path behind it
}

// ParsePath reads a path.
func ParsePath(text string, in Known) (Path, *PathError) {
	var p Path
	rest := text
	if head, after, dotted := strings.Cut(rest, "."); dotted && (head == Each || slices.Contains(in.Variants, head)) {
		p.Variant, rest = head, after
	}
	head, after, dotted := strings.Cut(rest, ".")
	root := slices.Contains(in.Roots, head)
	if dotted && (root || slices.Contains(in.Types, head)) {
		p.Subject, rest = head, after
		if call, metric, ok := strings.Cut(rest, "."); ok && isNumber(call) {
			e := &PathError{Col: len(text) - len(rest), Word: call}
			switch {
			case !root:
				e.Msg, e.Names = "only a root has calls by number, and "+quoted(head)+" is none", in.Roots
				return p, e
			case strings.Trim(call, "0") == "":
				e.Msg = "calls are counted from 1"
				return p, e
			}
			p.Subject, rest = head+"#"+call, metric
		}
	}
	var ok bool
	if p.Metric, ok = Find(rest); ok {
		return p, nil
	}
	return p, in.unknown(text, rest, p)
}

// unknown is the error of a path whose rest is no metric.
func (in Known) unknown(text, rest string, p Path) *PathError {
	e := &PathError{Col: len(text) - len(rest), Before: text[:len(text)-len(rest)], Word: rest}
	head, after, dotted := strings.Cut(rest, ".")
	if dotted && p.Subject == "" && leads(after, in) {
		e.Word, e.After, e.Names = head, "."+after, append(append([]string(nil), in.Types...), in.Roots...)
		e.Msg = "no agent type or root " + quoted(head)
		if p.Variant == "" {
			e.Names = append(append([]string(nil), in.Variants...), e.Names...)
			e.Msg = "no variant, agent type or root " + quoted(head)
		}
		return e
	}
	for _, n := range table {
		e.Names = append(e.Names, n.Name)
	}
	e.Msg = "unknown metric " + quoted(rest)
	if head == "invariants" {
		e.Msg += ": whatever is expected, a broken invariant ends with exit code 6"
	}
	return e
}

// leads reports whether a path without its first step leads to a metric.
func leads(rest string, in Known) bool {
	p, err := ParsePath(rest, Known{Types: in.Types, Roots: in.Roots})
	if err == nil {
		return p.Variant == ""
	}
	call, metric, _ := strings.Cut(rest, ".")
	_, ok := Find(metric)
	return ok && isNumber(call)
}

// Reserved reports whether a word means something of its own at the start of a
// path, so that no variant or root can have it for a name.
func Reserved(word string) bool {
	if word == Each {
		return true
	}
	for _, n := range table {
		if first, _, _ := strings.Cut(n.Name, "."); first == word {
			return true
		}
	}
	return false
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func quoted(s string) string { return `"` + s + `"` }
