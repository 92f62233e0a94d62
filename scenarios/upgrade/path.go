package upgrade

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios/document"
)

// renamed are the first steps of paths that have another name.
var renamed = map[string]string{"strategy": "structure", "scripts": "answers", "facts": "project.facts", "seeds": "seed",
	"why": "about.why", "look_at": "about.look_at", "source": "about.source"}

var index = regexp.MustCompile(`\[([^\]]*)\]`)

// lists are the keys of lists: below them a number counted from 0.
var lists = []string{"work", "roots", "answers", "facts", "turns", "then", "edits", "gate_flips", "replace_flips", "tools", "reads", "found_in", "tests", "injections"}

// Path writes a path as it is now: dots alone, elements counted from 1.
func Path(path string) string {
	first, rest, dotted := strings.Cut(index.ReplaceAllString(path, ".$1"), ".")
	if to := renamed[first]; to != "" {
		first = to
	}
	if !dotted {
		return first
	}
	steps := strings.Split(first+"."+rest, ".")
	for i := 1; i < len(steps); i++ {
		if n, err := strconv.Atoi(steps[i]); err == nil && slices.Contains(lists, steps[i-1]) {
			steps[i] = strconv.Itoa(n + 1)
		}
	}
	if last := &steps[len(steps)-1]; steps[0] == "work" && now[*last] != "" {
		*last = now[*last]
	}
	return strings.Join(steps, ".")
}

// now are the keys of an item that have another name.
var now = map[string]string{"reads": "found_in", "needs": "knows"}

// expectations rewrites the lines of expect.
func (u *upgrader) expectations(n *document.Node) *document.Node {
	if n.Kind != document.List {
		return n
	}
	out := &document.Node{Kind: document.List, Pos: n.Pos}
	for _, it := range n.Items {
		for i, text := range Expect(it.Text, u.variants) {
			x := &document.Node{Kind: document.String, Text: text}
			if i == 0 {
				x.Pos = it.Pos
			}
			out.Items = append(out.Items, x)
		}
	}
	return out
}

var comparison = regexp.MustCompile(`<=|>=|==|!=|<|>`)

// Expect writes an expectation as it is now, in a file of these variants: more than
// one line where it named several variants.
func Expect(text string, variants []string) []string {
	in := []string{""}
	if len(variants) > 0 {
		in[0] = "all"
	}
	if prefix, rest, ok := strings.Cut(text, ":"); ok {
		text = rest
		if in = strings.Split(prefix, ","); strings.TrimSpace(prefix) == "every variant" {
			in = []string{"all"}
		}
	}
	at := comparison.FindStringIndex(text)
	if at == nil {
		return []string{text}
	}
	left, op, right := text[:at[0]], text[at[0]:at[1]], text[at[1]:]
	var out []string
	for _, v := range in {
		line := side(left, strings.TrimSpace(v), variants) + " " + op + " " + side(right, strings.TrimSpace(v), variants)
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// side writes one side as it is now: where it names no variant, in one.
func side(text, in string, variants []string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsRune("$-0123456789", rune(text[0])) && !slices.ContainsFunc(variants, func(v string) bool { return strings.HasPrefix(text, v+".") }) {
		return strings.ReplaceAll(text, " %", "%")
	}
	text = strings.Replace(text, "#", ".", 1)
	if v, rest, ok := strings.Cut(text, "/"); ok {
		if v == "" {
			v = in
		}
		return v + "." + rest
	}
	if head, _, ok := strings.Cut(text, "."); ok && (slices.Contains(variants, head) || head == "all") || in == "" {
		return text
	}
	return in + "." + text
}
