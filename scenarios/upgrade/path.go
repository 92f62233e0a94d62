package upgrade

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

var index = regexp.MustCompile(`\[([^\]]*)\]`)

// lists are the keys of lists: below them a number counted from 0.
var lists = []string{"work", "roots", "answers", "facts", "turns", "then", "edits", "gate_flips", "replace_flips", "tools", "reads", "found_in", "tests", "injections"}

// Path writes a path as it is now: dots alone, elements counted from 1.
func Path(path string) string {
	first, rest, dotted := strings.Cut(index.ReplaceAllString(path, ".$1"), ".")
	switch block, key, _ := strings.Cut(homes[first], "."); {
	case first == "strategy":
		first = "structure"
	case first == "seeds":
		first = "seed"
	case block == "about" || block == "project":
		first = homes[first]
	case key != "": // the names of other blocks may be left out
		first = key
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
func (u *upgrader) expectations(list *ast.SequenceNode) {
	if list == nil {
		return
	}
	for i := 0; i < len(list.Values); i++ {
		lines := Expect(text(list.Values[i]), u.variants)
		list.Values[i] = instead(list.Values[i], lines[0])
		for _, more := range lines[1:] {
			i++
			list.Values = slices.Insert(list.Values, i, ast.Node(word(more)))
			if len(list.ValueHeadComments) > 0 {
				list.ValueHeadComments = slices.Insert(list.ValueHeadComments, i, nil)
			}
		}
	}
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
