package laws_test

import (
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/cachemodel/laws"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

type bytesAre struct{}

func (bytesAre) At(n *llm.Node) int64  { return n.Cum.Total() }
func (bytesAre) Err(n *llm.Node) int64 { return 0 }

var profile = &cachemodel.Profile{ID: "test", Minimum: 1000, Tail: 3}

// world is a conversation of two turns through one engine.
type world struct {
	engine        cachemodel.Engine
	builder       llm.Builder
	first, second *llm.Node
}

func newWorld(e cachemodel.Engine) *world {
	w := &world{engine: e}
	b := &w.builder
	n := b.Border(b.Border(b.Root(llm.Scope{}, llm.Salts{}), llm.System, llm.Salts{}), llm.Messages, llm.Salts{})
	w.first = b.Append(n, llm.User, block(2000))
	w.second = b.Append(b.Append(w.first, llm.Assistant, block(10)), llm.User, block(20))
	return w
}

func block(n int) *llm.Block {
	return &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, strings.Repeat("x", n))}
}

func (w *world) admit(t *testing.T, at vtime.Instant, head *llm.Node, x *llm.Expectation) *cachemodel.Admission {
	t.Helper()
	a := &cachemodel.Admission{}
	req := &llm.Request{Head: head, Automatic: true, MaxTokens: 1, Expect: x}
	if err := w.engine.Admit(at, &cachemodel.Request{Request: req, Profile: profile, Counts: bytesAre{}}, a); err != nil {
		t.Fatal(err)
	}
	return a
}

// turns sends both requests and returns the second's admission, not yet begun.
func (w *world) turns(t *testing.T, at vtime.Instant) *cachemodel.Admission {
	t.Helper()
	a := w.admit(t, 0, w.first, nil)
	w.engine.Begin(1, a)
	w.engine.End(2, a, cachemodel.Completed, nil, 10)
	return w.admit(t, at, w.second, &llm.Expectation{Mark: w.first, Head: w.first})
}

func sound() *cachemodel.Anthropic {
	return cachemodel.NewAnthropic(cachemodel.DefaultAnthropicOptions())
}

// broken is an engine that tells something untrue of each request it admits.
type broken struct {
	*cachemodel.Anthropic
	how func(a *cachemodel.Admission)
}

func (b broken) Admit(now vtime.Instant, req *cachemodel.Request, a *cachemodel.Admission) error {
	err := b.Anthropic.Admit(now, req, a)
	b.how(a)
	return err
}

// forgetful is an engine that knows nothing of earlier requests.
type forgetful struct{ *cachemodel.Anthropic }

func (f *forgetful) Admit(now vtime.Instant, req *cachemodel.Request, a *cachemodel.Admission) error {
	f.Anthropic = sound()
	return f.Anthropic.Admit(now, req, a)
}

func caught(t *testing.T, err error, law string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), law) {
		t.Errorf("want %s, got %v", law, err)
	}
}

func TestLaws(t *testing.T) {
	t.Run("CACHE-L1 the parts of a bill that are not the prompt are caught", func(t *testing.T) {
		for _, how := range []func(a *cachemodel.Admission){
			func(a *cachemodel.Admission) { a.Usage.Input++ },
			func(a *cachemodel.Admission) { a.Usage.Write5m-- },
			func(a *cachemodel.Admission) { a.Usage.Input, a.Usage.Write1h = a.Usage.Input+9, a.Usage.Write1h-9 },
		} {
			caught(t, laws.Check(newWorld(broken{sound(), how}).turns(t, 3)), "CACHE-L1")
		}
		a := newWorld(sound()).turns(t, 3)
		caught(t, laws.Billed(a, llm.Usage{Input: 3, Read: 2000, Write5m: 31}), "CACHE-L1")
		if err := laws.Billed(a, llm.Usage{Input: 3, Read: 2000, Write5m: 30, Output: 4}); err != nil {
			t.Error(err)
		}
	})
	t.Run("CACHE-L2 tokens read under another key, of another number, too early or too late are caught", func(t *testing.T) {
		for _, how := range []func(a *cachemodel.Admission){
			func(a *cachemodel.Admission) { a.Hit.Key.Lo++ },
			func(a *cachemodel.Admission) { a.Hit.Tokens-- },
			func(a *cachemodel.Admission) { a.Hit.Readable = a.Start + 1 },
			func(a *cachemodel.Admission) { a.Hit.Expiry = a.Start - 1 },
			func(a *cachemodel.Admission) {
				a.Report.ReadTo, a.Hit = nil, cachemodel.Evidence{}
				a.Usage.Read, a.Usage.Input = 2000, 3
				a.Usage.Write5m = a.Prompt - 2003
			},
		} {
			caught(t, laws.Check(newWorld(broken{sound(), how}).turns(t, 3)), "CACHE-L2")
		}
	})
	t.Run("CACHE-L3 a warm conversation that does not read what it wrote is caught, a cold one is not", func(t *testing.T) {
		caught(t, laws.Check(newWorld(&forgetful{}).turns(t, 3)), "CACHE-L3")
		if err := laws.Check(newWorld(&forgetful{}).turns(t, vtime.Instant(5*vtime.Minute+1))); err != nil {
			t.Error(err)
		}
		a := newWorld(sound()).turns(t, 3)
		if err := laws.Check(a); err != nil || a.Usage != (llm.Usage{Input: 3, Write5m: 30, Read: 2000}) {
			t.Errorf("sound: %v, %+v", err, a.Usage)
		}
	})
	t.Run("CACHE-L3 CACHE-18 what a second breakpoint on Bedrock was too short to write need not be read", func(t *testing.T) {
		w, bedrock := newWorld(sound()), &cachemodel.Profile{ID: "test", Platform: cachemodel.Bedrock, Minimum: 1000, Tail: 3}
		b := &w.builder
		system := b.Append(b.Border(b.Root(llm.Scope{}, llm.Salts{}), llm.System, llm.Salts{}), llm.NoRole, block(1200))
		first := b.Append(b.Border(system, llm.Messages, llm.Salts{}), llm.User, block(300))
		second := b.Append(b.Append(first, llm.Assistant, block(10)), llm.User, block(900))
		ask := func(at vtime.Instant, head *llm.Node, x *llm.Expectation) *cachemodel.Admission {
			a := &cachemodel.Admission{}
			req := &llm.Request{Head: head, MaxTokens: 1, Expect: x, Breakpoints: []llm.Breakpoint{{Node: system}, {Node: head}}}
			if err := w.engine.Admit(at, &cachemodel.Request{Request: req, Profile: bedrock, Counts: bytesAre{}}, a); err != nil {
				t.Fatal(err)
			}
			return a
		}
		a := ask(0, first, nil)
		w.engine.Begin(1, a)
		w.engine.End(2, a, cachemodel.Completed, nil, 10)
		a = ask(3, second, &llm.Expectation{Mark: first, Head: first})
		if err := laws.Check(a); err != nil || a.Usage.Read != 1200 {
			t.Errorf("%v, %+v", err, a.Usage)
		}
	})
}

// The laws are for every call, so they may not allocate.
func TestCheckAllocatesNothing(t *testing.T) {
	a := newWorld(sound()).turns(t, 3)
	if n := testing.AllocsPerRun(100, func() {
		if err := laws.Check(a); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
