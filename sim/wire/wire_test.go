package wire

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentsim/sim/llm"

	"github.com/cockroachdb/datadriven"
)

func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) { datadriven.RunTest(t, f, story) })
	}
}

// story: `request [strict] [logged]` reads the input and prints the canonical
// request and what stands beside it, or the error; `deep N` reads a body of N values
// inside one another, `bytes TEXT` one with these bytes, `large` one past the limit.
func story(t *testing.T, d *datadriven.TestData) string {
	body := []byte(d.Input)
	opt := Options{Strict: d.HasArg("strict"), Logged: d.HasArg("logged")}
	switch d.Cmd {
	case "deep":
		n, err := strconv.Atoi(d.CmdArgs[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		body = fmt.Appendf(nil, `{"messages":[],"x":%s%s}`, strings.Repeat("[", n-1), strings.Repeat("]", n-1))
	case "bytes":
		s, err := strconv.Unquote(`"` + d.CmdArgs[0].Key + `"`)
		if err != nil {
			t.Fatal(err)
		}
		body = []byte(`{"messages":[],"x":"` + s + `"}`)
	case "gzip": // of the input, `large` of zeros, `cut` of half of it, `begun` of its first bytes
		body = zipped(body)
		if d.HasArg("large") {
			body = zipped(make([]byte, 3*MaxBytes))
		}
		if d.HasArg("cut") {
			body = body[:len(body)/2]
		} else if d.HasArg("begun") {
			body = body[:5]
		}
	case "large":
		body = fmt.Appendf(nil, `{"messages":[],"x":"%s"}`, strings.Repeat("x", MaxBytes))
	}
	said := told(Read(&llm.Builder{}, body, opt))
	for range 2 { // what earlier bodies held changes nothing
		opt.Seen = seen[[2]bool{opt.Strict, opt.Logged}]
		if again := told(Read(&llm.Builder{}, body, opt)); again != said {
			t.Errorf("%s\nread after others:\n%swithout them:\n%s", d.Pos, again, said)
		}
	}
	if said, _, _ = strings.Cut(said, placesBelow); d.Cmd == "deep" && strings.HasPrefix(said, "{") {
		return "read\n"
	}
	return said
}

// seen is what the bodies of all stories held, by the options strict and logged.
var seen = map[[2]bool]*Seen{{}: {}, {true}: {}, {false, true}: {}, {true, true}: {}}

const placesBelow = "places:\n"

// told is all that was read, and below it where each block stands; or the error.
func told(b *Body, err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	var places []string
	for n := b.Head; n != nil; n = n.Parent {
		if !n.IsBorder() {
			places = append(places, fmt.Sprintf("%s %s\n", b.Path(n), b.Written[n.Pos-1]))
		}
	}
	return describe(b) + placesBelow + strings.Join(places, "")
}

func zipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// describe is all that was read.
func describe(b *Body) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", llm.AppendRequest(nil, b.Head))
	if b.Settings != (llm.Settings{}) || b.Model != "" {
		fmt.Fprintf(&out, "model %q, at most %d, settings %+v\n", b.Model, b.MaxTokens, b.Settings)
	}
	if b.Automatic {
		fmt.Fprintf(&out, "automatic mark, %v\n", b.AutoTTL)
	}
	for _, m := range b.Breakpoints {
		fmt.Fprintf(&out, "mark at position %d, %v\n", m.Node.Pos, m.TTL)
	}
	for _, f := range b.Fields {
		fmt.Fprintf(&out, "%v: %s %s\n", f.Treatment, f.Name, f.Value)
	}
	for _, u := range b.Unread {
		fmt.Fprintf(&out, "unknown: %s, %d from byte %d\n", &u, u.Count, u.At)
	}
	for _, x := range []struct {
		what string
		is   []string
	}{{"billing", []string{b.Billing}}, {"betas", b.Betas}, {"deferred", b.Deferred}} {
		if len(x.is) > 0 && x.is[0] != "" {
			fmt.Fprintf(&out, "%s: %q\n", x.what, x.is)
		}
	}
	return out.String()
}

// TestRules: each rule makes one prefix of a pair of bodies that are two without it.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		name string
		rule Rules
		a, b string
	}{
		{"WIRE-16 a string and a text block", StringIsBlock, `{"messages":[{"role":"user","content":"a"}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`},
		{"WIRE-17 two billing lines", BillingAside, `{"system":[{"type":"text","text":"x-anthropic-billing-header: 1"},{"type":"text","text":"s"}],"messages":[]}`,
			`{"system":[{"type":"text","text":"x-anthropic-billing-header: 2"},{"type":"text","text":"s"}],"messages":[]}`},
		{"WIRE-18 another deferred tool", DeferredAside, `{"tools":[{"name":"A"},{"name":"B","defer_loading":true}],"messages":[]}`,
			`{"tools":[{"name":"A"},{"name":"C","defer_loading":true}],"messages":[]}`},
		{"WIRE-19 thinking with its text and without", SignatureOnly, `{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"S"}]}]}`,
			`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"<REDACTED>","signature":"S"}]}]}`},
	} {
		t.Run("WIRE-20 "+c.name, func(t *testing.T) {
			for _, literal := range []Rules{0, c.rule} {
				opt := Options{Literal: literal}
				one := read(t, c.a, opt).Head.Hash == read(t, c.b, opt).Head.Hash
				if one != (literal == 0) {
					t.Errorf("literal %v: one prefix is %v", literal != 0, one)
				}
			}
		})
	}
	t.Run("WIRE-17 a billing line elsewhere counts", func(t *testing.T) {
		a := read(t, `{"system":[{"type":"text","text":"s"},{"type":"text","text":"x-anthropic-billing-header: 1"}],"messages":[]}`, Options{})
		b := read(t, `{"system":[{"type":"text","text":"s"},{"type":"text","text":"x-anthropic-billing-header: 2"}],"messages":[]}`, Options{})
		if a.Head.Hash == b.Head.Hash {
			t.Error("it does not")
		}
	})
	t.Run("CACHE-36 WIRE-19 the order of an input's keys is part of the prefix, that of a block's is not", func(t *testing.T) {
		const use = `{"messages":[{"role":"assistant","content":[{%s"input":{%s}}]}]}`
		ordered := read(t, fmt.Sprintf(use, `"type":"tool_use","id":"call","name":"T",`, `"a":1,"b":2`), Options{})
		turned := read(t, fmt.Sprintf(use, `"name":"T","id":"call","type":"tool_use",`, `"a":1,"b":2`), Options{})
		other := read(t, fmt.Sprintf(use, `"type":"tool_use","id":"call","name":"T",`, `"b":2,"a":1`), Options{})
		if ordered.Head.Hash != turned.Head.Hash || ordered.Head.Hash == other.Head.Hash {
			t.Error(ordered.Head.Hash, turned.Head.Hash, other.Head.Hash)
		}
	})
}

// TestIDs: blocks name a tool use by a number, whatever its client calls it.
func TestIDs(t *testing.T) {
	const own = "toolu_0123456789abcdef01234567"
	blocks := func(role, form string, ids ...string) (out []*llm.Block) {
		for _, id := range ids {
			out = append(out, read(t, fmt.Sprintf(`{"messages":[{"role":%q,"content":[%s]}]}`, role, fmt.Sprintf(form, id)), Options{}).Head.Block)
		}
		return out
	}
	uses := blocks("assistant", `{"type":"tool_use","id":%q,"name":"T","input":{}}`, own, "srv"+own, "call_1", "call_2")
	results := blocks("user", `{"type":"tool_result","tool_use_id":%q,"content":"a"}`, own, "srv"+own, "call_1", "call_2")
	served := blocks("assistant", `{"type":"server_tool_use","id":%q,"name":"T","input":{}}`, "srv"+own, own)
	t.Run("WIRE-15 a result has the number of its tool use, and no other one's", func(t *testing.T) {
		for i, use := range uses {
			for j, result := range results {
				if (use.ID == result.ID) != (i == j) {
					t.Errorf("tool use %d, result %d: %v, %v", i, j, use.ID, result.ID)
				}
			}
		}
	})
	t.Run("WIRE-15 an id of our form is the number, and any other stands in the block's bytes", func(t *testing.T) {
		id, _ := llm.ParseToolUseID(own)
		for i, b := range []*llm.Block{uses[0], results[0], served[0], uses[1], results[1], served[1], uses[2], results[2]} {
			if _, whole := b.Content.Whole(); whole != (i >= 3) || (b.ID == id) != (i < 3 || b == served[1]) {
				t.Errorf("block %d: whole %v, %v", i, whole, b.ID)
			}
		}
	})
}

// TestSeen: what earlier bodies held decides nothing but how much is read anew.
func TestSeen(t *testing.T) {
	t.Run("WIRE-18 a deferred tool is the one of the request that names it", func(t *testing.T) {
		opt := Options{Seen: &Seen{}}
		for _, description := range []string{"one", "another"} {
			body := fmt.Sprintf(`{"tools":[{"name":"A"},{"name":"B","description":%q,"defer_loading":true}],"messages":[{"role":"user","content":[`+
				`{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_reference","tool_name":"B"}]}]}]}`, description)
			if read(t, body, opt).Head.Hash != read(t, body, Options{}).Head.Hash {
				t.Error(description)
			}
		}
	})
	t.Run("WIRE-75 at most the text of one body is kept", func(t *testing.T) {
		opt, text := Options{Seen: &Seen{}}, strings.Repeat("x", MaxBytes/4)
		for i := range 6 {
			read(t, fmt.Sprintf(`{"messages":[{"role":"user","content":"%d%s"}]}`, i, text), opt)
		}
		if n := len(opt.Seen.blocks[llm.Messages]); n != 3 || opt.Seen.bytes > MaxBytes {
			t.Errorf("%d messages, %d bytes", n, opt.Seen.bytes)
		}
	})
}

// TestLinear: what a body repeats costs as often as it stands there, and no more.
func TestLinear(t *testing.T) {
	const n = 50_000
	t.Run("WIRE-75 a result of many blocks", func(t *testing.T) {
		body := `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[` +
			strings.Repeat(`{"type":"text","text":"aaaaaaaa"},{"type":"x"},`, n) + `{"type":"x"}]}]}]}`
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read(t, body, Options{})
		runtime.ReadMemStats(&after)
		if got := int(after.TotalAlloc-before.TotalAlloc) / len(body); got > 200 {
			t.Errorf("%d bytes are allocated for each byte", got)
		}
	})
	t.Run("WIRE-75 many messages that pass beside many fields", func(t *testing.T) {
		var body strings.Builder
		for i := range n {
			fmt.Fprintf(&body, `"%d":0,`, i)
		}
		begun := time.Now()
		b := read(t, "{"+body.String()+`"messages":[`+strings.Repeat(`{"role":"user","content":"a","clear_at":"never"},{"role":"user","content":"a","clear_at":"next_user_message"},`, n)+`{"role":"user","content":"a"}]}`, Options{})
		if took := time.Since(begun); took > 10*time.Second {
			t.Error(took)
		}
		if len(b.Fields) != n+1 {
			t.Error(len(b.Fields), "fields")
		}
	})
	t.Run("WIRE-14 WIRE-75 beyond a hundred, unknown things are counted together", func(t *testing.T) {
		var body strings.Builder
		for i := range 300 {
			fmt.Fprintf(&body, `"%d":0,`, i)
		}
		b := read(t, "{"+body.String()+`"messages":[]}`, Options{})
		if u := b.Unread[len(b.Unread)-1]; len(b.Unread) != maxUnread+1 || u != (Unread{"thing", "others", 300 - maxUnread, u.At}) {
			t.Errorf("%d, the last of them %+v", len(b.Unread), u)
		}
	})
}

func read(t testing.TB, body string, opt Options) *Body {
	t.Helper()
	b, err := Read(&llm.Builder{}, []byte(body), opt)
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return b
}

// FuzzRead: whatever reads as a request is written in a form that reads as the same
// chain and is written the same again.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Read(&llm.Builder{}, data, Options{})
		if err != nil {
			return
		}
		form := llm.AppendRequest(nil, x.Head)
		y, err := Read(&llm.Builder{}, form, Options{})
		if err != nil {
			t.Fatalf("own form refused: %v: %s", err, form)
		}
		if y.Head.Hash != x.Head.Hash || y.Head.Cum != x.Head.Cum || !bytes.Equal(llm.AppendRequest(nil, y.Head), form) {
			t.Fatalf("reads back different:\n%s\n%s", form, llm.AppendRequest(nil, y.Head))
		}
	})
}

// BenchmarkRead is a body of 100 KB: a system prompt, definitions and forty turns.
func BenchmarkRead(b *testing.B) {
	var s strings.Builder
	fmt.Fprintf(&s, `{"model":"claude-opus-4-6","system":[{"type":"text","text":%q}],"tools":[`, strings.Repeat("Do it well.\n", 1000))
	for i := range 20 {
		fmt.Fprintf(&s, `{"name":"T%d","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}},`, i)
	}
	s.WriteString(`{"name":"Z"}],"messages":[{"role":"user","content":"go"}`)
	for i := range 40 {
		fmt.Fprintf(&s, `,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"Z","input":{"a":1}}]}`, i)
		fmt.Fprintf(&s, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%q}]}`, i, strings.Repeat("line of code\n", 160))
	}
	s.WriteString("]}")
	b.SetBytes(int64(s.Len()))
	b.ReportAllocs()
	for b.Loop() {
		read(b, s.String(), Options{})
	}
}
