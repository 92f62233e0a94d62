package cachemodel

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// length is one token to a byte of content.
type length struct{}

func (length) At(n *llm.Node) int64 { return n.Cum.Total() }
func (length) Err(*llm.Node) int64  { return 0 }

var anyModel = &Profile{ID: "test", Minimum: 100, Tail: 3, Found: Established{Tail: true}}

// thread is an append-only conversation and what it needs for a call, made once.
type thread struct {
	builder *llm.Builder
	head    *llm.Node
	req     Request
	adm     Admission
	last    llm.Expectation
}

var (
	prompt = &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, strings.Repeat("p", 400))}
	answer = &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, strings.Repeat("a", 40))}
)

func begin(b *llm.Builder, name string) *llm.Node {
	n := b.Root(llm.Scope{Workspace: name}, llm.Salts{})
	n = b.Border(b.Border(n, llm.System, llm.Salts{}), llm.Messages, llm.Salts{})
	return b.Append(n, llm.User, prompt)
}

func newThread(b *llm.Builder, head *llm.Node) *thread {
	t := &thread{builder: b, head: head}
	t.req = Request{Request: &llm.Request{Head: head, Automatic: true, MaxTokens: 1}, Profile: anyModel, Counts: length{}}
	return t
}

// call sends the thread as it stands, and appends an answer and a question.
func (t *thread) call(e Engine, now vtime.Instant) {
	t.req.Head = t.head
	if err := e.Admit(now, &t.req, &t.adm); err != nil {
		panic(err)
	}
	e.Begin(now, &t.adm)
	e.End(now, &t.adm, Completed, nil, 40)
	t.last = llm.Expectation{Mark: t.head, Head: t.head, Start: now}
	t.req.Expect = &t.last
	t.head = t.builder.Append(t.builder.Append(t.head, llm.Assistant, answer), llm.User, answer)
}

func TestMemory(t *testing.T) {
	t.Run("CON-10 expired entries leave memory, and the places that held them", func(t *testing.T) {
		e := NewAnthropic(DefaultAnthropicOptions())
		var b llm.Builder
		root := begin(&b, "w")
		for i := range 10 {
			th := newThread(&b, root)
			if i%2 == 0 {
				th.req.AutoTTL = llm.TTL1h
			}
			if i > 0 {
				th.head = b.Append(b.Append(th.head, llm.Assistant, answer), llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, strings.Repeat("q", i))})
			}
			for k := range 10 {
				th.call(e, vtime.Instant(int64(k)*int64(vtime.Second)))
			}
		}
		if e.Entries() < 90 || e.store.index.n < 90 {
			t.Fatalf("%d entries, %d prefixes", e.Entries(), e.store.index.n)
		}
		e.store.sweep(vtime.Instant(2 * vtime.Hour))
		if e.Entries() != 0 || e.store.index.n != 0 || len(e.store.due) != 0 {
			t.Errorf("after two hours %d entries, %d prefixes and %d expiries are in memory", e.Entries(), e.store.index.n, len(e.store.due))
		}
	})
	t.Run("CON-10 a hit and a write take as many steps behind a history of a thousand turns as behind ten", func(t *testing.T) {
		e := NewAnthropic(DefaultAnthropicOptions())
		var b llm.Builder
		th := newThread(&b, begin(&b, "w"))
		for i := range 1000 {
			th.call(e, vtime.Instant(int64(i)*int64(vtime.Second)))
			if len(e.store.path) > 2 {
				t.Fatalf("turn %d walked %d blocks", i, len(e.store.path))
			}
			if n := len(e.store.due); n > 301 {
				t.Fatalf("turn %d: %d expiries are waited for", i, n)
			}
		}
	})
}

func TestMisuse(t *testing.T) {
	e := NewAnthropic(DefaultAnthropicOptions())
	var b llm.Builder
	th := newThread(&b, begin(&b, "w"))
	for name, f := range map[string]func(a *Admission){
		"used again before its end": func(a *Admission) { _ = e.Admit(0, &th.req, a) },
		"begun twice":               func(a *Admission) { e.Begin(0, a); e.Begin(0, a) },
		"completed before it began": func(a *Admission) { e.End(0, a, Completed, nil, 0) },
		"rejected after it began":   func(a *Admission) { e.Begin(0, a); e.End(0, a, Rejected, nil, 0) },
		"ended twice":               func(a *Admission) { e.End(0, a, Aborted, nil, 0); e.End(0, a, Aborted, nil, 0) },
	} {
		t.Run("CON-07 a request "+name+" is a programmer's error", func(t *testing.T) {
			a := &Admission{}
			if err := e.Admit(0, &th.req, a); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(a)
		})
	}
}

func TestSGLang(t *testing.T) {
	t.Run("CACHE-86 five inserts of the server's own example leave twelve tokens (GOLD-S1)", func(t *testing.T) {
		e := NewSGLang(SGLangOptions{})
		for _, ids := range [][]byte{{1, 2, 3}, {1, 2, 3}, {1, 2, 4, 5}, {1, 2, 4, 5, 6, 7}, {8, 9, 10, 11, 12}} {
			var b llm.Builder
			n := b.Border(b.Border(b.Root(llm.Scope{}, llm.Salts{}), llm.System, llm.Salts{}), llm.Messages, llm.Salts{})
			for _, id := range ids {
				n = b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, string(rune('a'+id)))})
			}
			newThread(&b, n).call(e, 0)
		}
		if e.Tokens() != 12 {
			t.Errorf("%d tokens", e.Tokens())
		}
	})
}

func TestIndex(t *testing.T) {
	t.Run("CON-10 the index finds what a map finds, and gives its room back", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			x, m := newIndex(), map[llm.Hash]*place{}
			// Few low bits, so that runs are long and wrap around.
			keys := rapid.Custom(func(t *rapid.T) llm.Hash {
				return llm.Hash{Hi: rapid.Uint64Range(0, 3).Draw(t, "hi"), Lo: rapid.SampledFrom([]uint64{0, 1, 2, 60, 61, 62, 63, 127, 191}).Draw(t, "lo")}
			})
			for range rapid.IntRange(0, 200).Draw(t, "steps") {
				h := keys.Draw(t, "key")
				if rapid.Bool().Draw(t, "remove") {
					x.remove(h)
					delete(m, h)
				} else {
					p := &place{}
					x.set(h, p)
					m[h] = p
				}
				for k, p := range m {
					if x.get(k) != p {
						t.Fatalf("%v is lost", k)
					}
				}
				if x.n != len(m) || x.get(h) != m[h] {
					t.Fatalf("%d keys, want %d", x.n, len(m))
				}
			}
		})
		x := newIndex()
		for i := range uint64(10_000) {
			x.set(llm.Hash{Lo: i}, &place{})
		}
		for i := range uint64(10_000) {
			x.remove(llm.Hash{Lo: i})
		}
		if x.n != 0 || len(x.slots) != firstSlots {
			t.Errorf("%d keys in %d slots are left", x.n, len(x.slots))
		}
	})
}
