package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"
)

func TestForm(t *testing.T) {
	t.Run("CON-01 each prefix of a conversation is a byte prefix of the next, and its request is valid JSON", rapid.MakeCheck(prefixLaw))
	t.Run("CON-01 a request reads back into the chain it was written from", rapid.MakeCheck(parseLaw))
	t.Run("CON-01 two chains have equal hashes exactly if they have equal bytes", rapid.MakeCheck(hashLaw))
	t.Run("CON-01 text reads back as it was, whatever has to be escaped", rapid.MakeCheck(escapeLaw))
	t.Run("CON-01 the escaping table: quote, backslash, five letters, \\u00xx in lower case, all else as it is", escapeTable)
	t.Run("CON-01 spellings that mean one request are one form", oneForm)
	t.Run("CON-01 requests that differ are different forms", otherForm)
	t.Run("CON-01 the form's version is part of every hash", formVersion)
	t.Run("CACHE-36 key order and white space of a tool input or definition are kept and change the hash", keyOrder)
}

// story runs one datadriven file as a subtest of its name.
func story(t *testing.T, name string, run func(t *testing.T, d *datadriven.TestData) string) {
	t.Run(name, func(t *testing.T) { datadriven.RunTest(t, filepath.Join("testdata", name+".txt"), run) })
}

func prefixLaw(t *rapid.T) {
	var b Builder
	var before []byte
	for _, n := range drawChain(t, &b) {
		now := AppendPrefix(nil, n)
		if !bytes.HasPrefix(now, before) || len(now) == len(before) {
			t.Fatalf("position %d:\n%s\nis no longer prefix of\n%s", n.Pos, before, now)
		}
		if n.Bytes != int64(len(now)) {
			t.Fatalf("position %d: Bytes %d of %d", n.Pos, n.Bytes, len(now))
		}
		if req := AppendRequest(nil, n); !json.Valid(req) {
			t.Fatalf("position %d: not JSON: %s", n.Pos, req)
		}
		before = now
	}
}

func parseLaw(t *rapid.T) {
	var b Builder
	nodes := drawChain(t, &b)
	n := head(nodes)
	got, err := ParseRequest(new(Builder), testScope, testSalts, AppendRequest(nil, n))
	if err != nil {
		t.Fatalf("%v: %s", err, AppendRequest(nil, n))
	}
	for ; got != nil && n != nil; got, n = got.Parent, n.Parent {
		if got.Hash != n.Hash || got.Pos != n.Pos || got.Level != n.Level || got.Role != n.Role || got.HasTools != n.HasTools {
			t.Fatalf("position %d: read back as %s, built as %s", n.Pos, AppendPrefix(nil, got), AppendPrefix(nil, n))
		}
	}
	if got != n {
		t.Fatal("one chain is longer")
	}
}

func hashLaw(t *rapid.T) {
	// Two short conversations of few texts collide often enough to test both ways.
	draw := func(label string) *Node {
		var b Builder
		n := b.Border(b.Border(b.Root(testScope, testSalts), System, testSalts), Messages, testSalts)
		for range rapid.IntRange(1, 3).Draw(t, label) {
			role := rapid.SampledFrom([]Role{User, Assistant}).Draw(t, "role")
			text := rapid.SampledFrom([]string{"", "a", "b", `a"}`, `"}]},`}).Draw(t, "text")
			n = b.Append(n, role, &Block{Kind: Text, Content: NewText(Prose, text)})
		}
		return n
	}
	x, y := draw("x"), draw("y")
	sameBytes := bytes.Equal(AppendPrefix(nil, x), AppendPrefix(nil, y))
	if sameBytes != (x.Hash == y.Hash) {
		t.Fatalf("equal bytes %v, equal hashes %v:\n%s\n%s", sameBytes, x.Hash == y.Hash, AppendPrefix(nil, x), AppendPrefix(nil, y))
	}
}

func escapeLaw(t *rapid.T) {
	s := rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string { return drawText(t, "s") })).Draw(t, "text")
	p := NewText(Prose, s)
	var back string
	if err := json.Unmarshal([]byte(`"`+p.esc+`"`), &back); err != nil || back != s || p.Raw() != s {
		t.Fatalf("%q is escaped %s and read back %q (%v)", s, p.esc, back, err)
	}
}

func escapeTable(t *testing.T) {
	for c := range 128 {
		want := string(rune(c))
		switch {
		case c == '"' || c == '\\':
			want = `\` + want
		case strings.ContainsRune("\b\f\n\r\t", rune(c)):
			want = map[int]string{'\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}[c]
		case c < 0x20:
			want = fmt.Sprintf(`\u%04x`, c)
		}
		digits := uint32(0)
		if '0' <= c && c <= '9' {
			digits = 1
		}
		for at := range 9 { // of two words
			before, behind := "abcdefgh"[:at], "ijklmnop"[at/2:]
			p := NewText(Prose, before+string(rune(c))+behind)
			if want := before + want + behind; p.esc != want || p.measure.Bytes != [NumClasses]uint32{Prose: uint32(len(p.raw)) - digits, Digits: digits} {
				t.Errorf("byte %#02x is escaped %s, want %s, and measures %v", c, p.esc, want, p.measure.Bytes)
			}
		}
	}
	if got := NewText(Prose, "é\u2028<&>中").esc; got != "é\u2028<&>中" {
		t.Errorf("escaped %s", got)
	}
	if got := NewText(Prose, "a\xffb").esc; got != "a\uFFFDb" {
		t.Errorf("what is no UTF-8 is escaped %s", got)
	}
}

func parsed(t *testing.T, req string) *Node {
	t.Helper()
	n, err := ParseRequest(new(Builder), testScope, testSalts, []byte(req))
	if err != nil {
		t.Fatalf("%v in %s", err, req)
	}
	return n
}

func oneForm(t *testing.T) {
	const id = `"toolu_0123456789abcdef01234567"`
	for _, c := range []struct{ what, a, b string }{
		{"string and one text block", `{"messages":[{"role":"user","content":"hi"}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`},
		{"system string and one block", `{"system":"s","messages":[]}`, `{"system":[{"type":"text","text":"s"}],"messages":[]}`},
		{"adjacent user messages", `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`},
		{"cache_control on blocks, tools and the request", `{"tools":[{"name":"T"}],"system":"s","messages":[{"role":"user","content":"a"}]}`,
			`{"cache_control":{"type":"ephemeral"},"tools":[{"name":"T","cache_control":{"type":"ephemeral","ttl":"1h"}}],
			"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],
			"messages":[{"role":"user","content":[{"cache_control":{"type":"ephemeral"},"type":"text","text":"a"}]}]}`},
		{"cache_control ahead of a tool's name", `{"tools":[{"name":"T"}],"messages":[]}`, `{"messages":[],"tools":[{"cache_control":{"type":"ephemeral"},"name":"T"}]}`},
		{"cache_control amid a tool", `{"tools":[{"name":"T","d":1}],"messages":[]}`, `{"messages":[],"tools":[{"name":"T","cache_control":null,"d":1}]}`},
		{"key order of blocks, messages and request", `{"system":[],"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`,
			`{"messages":[{"content":[{"text":"a","type":"text"}],"role":"user"}],"tools":[]}`},
		{"escaping of one text", `{"system":"é/\n","messages":[]}`, `{"messages":[],"system":"\u00e9\/\u000a"}`},
		{"tool_result string, one block and is_error false", `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":` + id + `,"content":"r"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","is_error":false,"tool_use_id":` + id + `,"content":[{"type":"text","text":"r"}]}]}]}`},
		{"tool_result empty and missing", `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":` + id + `,"content":""}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":` + id + `}]}]}`},
	} {
		if a, b := parsed(t, c.a), parsed(t, c.b); a.Hash != b.Hash {
			t.Errorf("%s:\n%s\n%s", c.what, AppendRequest(nil, a), AppendRequest(nil, b))
		}
	}
}

func otherForm(t *testing.T) {
	seen := map[Hash]string{}
	for _, req := range []string{
		`{"messages":[{"role":"user","content":"ab"}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`,
		`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`,
		`{"messages":[{"role":"assistant","content":"a"},{"role":"user","content":"b"}]}`,
		`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"ab"}]}]}`,
		`{"system":"ab","messages":[]}`,
		`{"system":"a","messages":[{"role":"user","content":"b"}]}`,
		`{"tools":[{"name":"ab"}],"messages":[]}`,
		`{"messages":[]}`,
	} {
		h := parsed(t, req).Hash
		if other, ok := seen[h]; ok {
			t.Errorf("one hash for %s and %s", other, req)
		}
		seen[h] = req
	}
}

func formVersion(t *testing.T) {
	// When the form changes on purpose, raise FormVersion and write the new hash.
	const want = "form 1: 86f165afcfefbf019d2b89c3315499e4"
	n := parsed(t, `{"tools":[{"name":"T"}],"system":"s","messages":[{"role":"user","content":"u"},{"role":"assistant","content":[
		{"type":"tool_use","id":"toolu_0123456789abcdef01234567","name":"T","input":{"b":1, "a":2}}]}]}`)
	if got := fmt.Sprintf("form %d: %v", FormVersion, n.Hash); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func keyOrder(t *testing.T) {
	var b Builder
	root := b.Border(b.Border(b.Root(testScope, testSalts), System, testSalts), Messages, testSalts)
	seen := map[Hash]string{}
	for _, raw := range rawInputs {
		blk := &Block{Kind: ToolUse, ID: ToolUseID{1}, Name: "T", Content: NewJSON(raw)}
		n := b.Append(root, Assistant, blk)
		req := AppendRequest(nil, n)
		if !bytes.Contains(req, []byte(raw)) {
			t.Errorf("%s was rewritten in %s", raw, req)
		}
		if got := parsed(t, string(req)); got.Block.Content.Raw() != raw || got.Hash != n.Hash {
			t.Errorf("%s reads back as %s", raw, got.Block.Content.Raw())
		}
		if other, ok := seen[n.Hash]; ok {
			t.Errorf("%s and %s have one hash", other, raw)
		}
		seen[n.Hash] = raw
	}
	x, y := parsed(t, `{"messages":[],"tools":[{"name":"T","a":1}]}`), parsed(t, `{"messages":[],"tools":[{"a":1,"name":"T"}]}`)
	if x.Hash == y.Hash {
		t.Error("a tool definition's key order is not in its hash")
	}
}
