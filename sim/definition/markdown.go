package definition

import (
	"strconv"
	"strings"

	"agentsim/scenarios/document"
)

// Bounds on what one file may hold.
const (
	maxFile  = 256 << 10 // bytes of a file
	maxDepth = 32        // levels of nesting
)

var limits = &document.Limits{Of: "definition", Bytes: maxFile, Tokens: 4_000, Depth: maxDepth}

// parseYAML reads the one mapping of a frontmatter. Lines count from the first line
// of src.
func parseYAML(src string) (*document.Node, *document.Error) {
	return limits.Parse(document.NewSource("", src), src)
}

// fence begins and ends a frontmatter.
const fence = "---"

// plainText is a file's text as it is read: without a byte order mark, with
// line feeds alone. It reports false for what is no text, and says so.
func plainText(name, raw string) (*text, string, bool) {
	raw = strings.TrimPrefix(raw, "\ufeff")
	content := strings.ReplaceAll(raw, "\r\n", "\n")
	t := &text{src: document.NewSource(name, content)}
	if bad := limits.Check(t.src, content); bad != nil {
		t.fail(t.src.At(bad.Line, bad.Col), bad.Hint, "%s", bad.Msg)
		return t, "", false
	}
	return t, content, true
}

// split parts a Markdown file in its frontmatter and its body. The frontmatter
// keeps an empty first line in place of the fence, so that its lines count as
// the file's do.
func split(t *text, content string) (front, body string, ok bool) {
	if strings.TrimRight(t.src.Lines[0], " \t") != fence {
		t.fail(place(1, 1), "a definition begins with a line ---, and name: and description: behind it", "there is no frontmatter, so this defines no agent")
		return "", "", false
	}
	at := len(t.src.Lines[0]) + 1
	begin := at
	for _, l := range t.src.Lines[1:] {
		if strings.TrimRight(l, " \t") == fence {
			body = content[min(at+len(l)+1, len(content)):]
			return "\n" + content[begin:at], body, true
		}
		at += len(l) + 1
	}
	t.fail(place(1, 1), "end it with a line ---", "the frontmatter that begins here does not end")
	return "", "", false
}

// Frontmatter reads the mapping between the fences of a file: front, which keeps an
// empty first line in place of the fence. It is nil where there is none, with what is
// wrong.
func Frontmatter(name, content, front string) (*document.Node, []*Problem) {
	t := &text{src: document.NewSource(name, content)}
	return frontmatter(t, front), t.found()
}

// frontmatter reads the mapping between the fences. Where YAML cannot read it,
// the entries that it cannot read are taken as plain text, which is what the
// agent tool does with them too: descriptions are often written without quotes,
// whatever they hold. What opens a quote, a list or a mapping that never ends is
// no plain text: with it nothing of the file is read.
func frontmatter(t *text, front string) *document.Node {
	n, bad := parseYAML(front)
	if bad != nil && bad.Costly {
		t.fail(place(bad.Line, bad.Col), bad.Hint, "%s", bad.Msg)
		return nil
	}
	if bad != nil {
		quoted, taken := quoteEntries(front)
		again, still := parseYAML(quoted)
		if len(taken) == 0 {
			still = bad
		}
		if still != nil {
			t.fail(place(still.Line, still.Col), still.Hint, "%s", still.Msg)
			return nil
		}
		n = again
		for _, e := range taken {
			t.warn(e.Pos, "put it in quotes, or write it below a | on this line", "%s is no YAML as it stands (%s): taken as plain text", e.key, strings.TrimPrefix(e.why, "bad YAML: "))
			n.Get(e.key).Plain = -1
		}
	}
	if n.Kind != document.Map {
		t.fail(n.Pos, "key: value, one a line", "the frontmatter is a mapping, not %s", n.Kind)
		return nil
	}
	return n
}

// taken is an entry that had to be quoted.
type taken struct {
	key, why string
	Pos      document.Pos
}

// quoteEntries quotes the entries of a frontmatter that are no YAML by
// themselves. Lines keep their numbers. An entry is a line that begins with a
// key, and the lines below it up to the next one; behind an entry that cannot be
// read, only a key that definitions have begins another.
func quoteEntries(front string) (string, []taken) {
	lines := strings.Split(front, "\n")
	var out []string
	var all []taken
	for i := 0; i < len(lines); {
		key := entryKey(lines[i])
		j := i + 1
		for j < len(lines) && !begins(lines, i, j) {
			j++
		}
		if key != "" {
			if _, bad := parseYAML(strings.Join(lines[i:j], "\n")); bad != nil && !unclosed(entryText(lines[i:j], key)) {
				all = append(all, taken{key, bad.Msg, place(i+1, len(key)+3)})
				out = append(out, key+": "+strconv.Quote(entryText(lines[i:j], key)))
				out = append(out, make([]string, j-i-1)...)
				i = j
				continue
			}
		}
		out = append(out, lines[i:j]...)
		i = j
	}
	return strings.Join(out, "\n"), all
}

// unclosed reports whether a text opens a quote, a list or a mapping and does not
// close it.
func unclosed(text string) bool {
	if text == "" {
		return false
	}
	closer, opens := map[byte]string{'"': "\"", '\'': "'", '[': "]", '{': "}"}[text[0]]
	return opens && !strings.Contains(text[1:], closer)
}

// begins reports whether an entry begins on line j when one began on line i.
func begins(lines []string, i, j int) bool {
	key := entryKey(lines[j])
	if key == "" {
		return false
	}
	if _, ok := fields[key]; ok {
		return true
	}
	_, bad := parseYAML(strings.Join(lines[i:j], "\n"))
	return bad == nil
}

// entryKey is the key with which an entry begins, "" for a line within one.
func entryKey(line string) string {
	key, _, ok := strings.Cut(line, ":")
	if !ok || key == "" {
		return ""
	}
	for i := 0; i < len(key); i++ {
		c := key[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '_') {
			return ""
		}
	}
	return key
}

// entryText is what an entry says, as it stands.
func entryText(lines []string, key string) string {
	first := strings.TrimSpace(strings.TrimPrefix(lines[0], key+":"))
	return strings.TrimSpace(first + "\n" + strings.Join(lines[1:], "\n"))
}
