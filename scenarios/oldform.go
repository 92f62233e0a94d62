package scenarios

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agentsim/metrics"
	"agentsim/scenarios/document"
)

// This file reads the paths and expectations of before version 1 of the language,
// until every file is rewritten. Then it goes whole, with its test, and
//   - File.readExpectation calls ParseExpect in place of parseOldExpect;
//   - readAxisKey and applySet take paths as they are, without dotted;
//   - patchOf takes variant itself for own, without cutOldKeys;
//   - document.Generator.Structure leaves patternProperties out of overrides;
//   - Language.Blocks in words.go names the blocks that paths may leave out;
//   - scenario upgrade takes NewPath and NewExpect with it.

var bracketed = regexp.MustCompile(`\[([^\]]*)\]`)

// listKeys are the keys of lists, whose elements were counted from 0.
var listKeys = []string{"work", "roots", "scripts", "facts", "turns", "then", "edits", "gate_flips", "replace_flips", "tools", "reads", "tests", "injections"}

// NewPath writes a path of before in dots alone, with elements counted from 1.
func NewPath(old string) string {
	steps := strings.Split(bracketed.ReplaceAllString(old, ".$1"), ".")
	for i := 1; i < len(steps); i++ {
		if n, err := strconv.Atoi(steps[i]); err == nil && slices.Contains(listKeys, steps[i-1]) {
			steps[i] = itoa(n + 1)
		}
	}
	return strings.Join(steps, ".")
}

// cutOldKeys parts a mapping from its keys that are paths, which stand under set now.
func cutOldKeys(n *document.Node) (own *document.Node, paths []document.Pair) {
	own = &document.Node{Kind: document.Map, Pos: n.Pos}
	for _, p := range n.Pairs {
		if strings.ContainsAny(p.Key, ".[") {
			p.Key = dotted(p.Key)
			paths = append(paths, p)
			continue
		}
		own.Pairs = append(own.Pairs, p)
	}
	return own, paths
}

// dotted is a path with brackets as it is written now.
func dotted(path string) string {
	if strings.Contains(path, "[") {
		return NewPath(path)
	}
	return path
}

// NewExpect writes an expectation of before as it is written now, in a file of these
// names: one line for each variant that it listed.
func NewExpect(old string, in metrics.Known) (out []string) {
	prefix, text := cutPrefix(old)
	for _, v := range prefix {
		at, op := findOperator(text)
		if op == "" {
			return []string{old}
		}
		line := newSide(text[:at], v, in) + " " + op + " " + newSide(text[at+len(op):], v, in)
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// cutPrefix parts an expectation from the variants in front of it.
func cutPrefix(old string) (variants []string, text string) {
	prefix, text, ok := strings.Cut(old, ":")
	if !ok {
		return []string{metrics.Each}, old
	}
	if prefix = strings.TrimSpace(prefix); prefix == "every variant" {
		return []string{metrics.Each}, text
	}
	for part := range strings.SplitSeq(prefix, ",") {
		variants = append(variants, strings.TrimSpace(part))
	}
	return variants, text
}

// newSide writes one side as it is now: where it named no variant, in one.
func newSide(text, variant string, in metrics.Known) string {
	text = strings.TrimSpace(text)
	if _, err := metrics.ParseValue(text); err == nil {
		return text
	}
	text = strings.Replace(text, "#", ".", 1)
	if v, rest, ok := strings.Cut(text, "/"); ok {
		if v == "" {
			v = variant
		}
		return v + "." + rest
	}
	head, _, _ := strings.Cut(text, ".")
	if in.Variants[0] == "" || head == metrics.Each || slices.Contains(in.Variants, head) {
		return text
	}
	return variant + "." + text
}

// parseOldExpect reads an expectation in either form. One of before keeps its text.
func parseOldExpect(text string, in metrics.Known) (*Expect, *ExpectError) {
	x, bad := ParseExpect(text, in)
	if bad == nil {
		return x, nil
	}
	prefix, rest := cutPrefix(text)
	for _, v := range prefix {
		if v != metrics.Each && !slices.Contains(in.Variants, v) {
			return nil, &ExpectError{0, "no variant " + document.Quoted(v), variantHint(v, in.Variants)}
		}
	}
	old, worse := ParseExpect(NewExpect("every variant:"+rest, in)[0], in)
	if worse != nil {
		if rest != text {
			return nil, &ExpectError{0, worse.Msg, worse.Hint}
		}
		return nil, bad
	}
	if old.Text = text; prefix[0] != metrics.Each {
		old.Variants = prefix
	}
	return old, nil
}

func variantHint(name string, variants []string) string {
	if len(variants) == 1 && variants[0] == "" {
		return "this file has no variants"
	}
	return document.DidYouMeanOr(name, append(append([]string(nil), variants...), metrics.Each))
}
