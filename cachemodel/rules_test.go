package cachemodel_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

func TestRules(t *testing.T) {
	t.Run("CACHE-40 whatever is asked, at one instant no entry is lost: only time clears a cache", rapid.MakeCheck(nothingClears))
	t.Run("CACHE-47 IMP-09 draws come with the stated share and belong to the request: order and neighbours move none", draws)
	t.Run("IMP-09 a request that lags reads what its predecessor read, for every predecessor that did not lag", rapid.MakeCheck(lagReads))
	t.Run("CACHE-33 the models that take messages of role system, and those that take an effort of one message", takers)
}

// drawRequest is a request over one of few conversations, with any markers.
func drawRequest(t *rapid.T, b *llm.Builder, p *cachemodel.Profile) *cachemodel.Request {
	salts := llm.Salts{}
	n := b.Border(b.Root(llm.Scope{Model: p.ID}, salts), llm.System, salts)
	n = b.Append(n, llm.NoRole, &llm.Block{Kind: llm.Text, Content: content(llm.Text, 600, "s")})
	n = b.Border(n, llm.Messages, salts)
	for range rapid.IntRange(1, 25).Draw(t, "blocks") {
		letter := rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(t, "letter")
		n = b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: content(llm.Text, 300, letter)})
	}
	r := &llm.Request{Model: p.ID, Head: n, MaxTokens: rapid.Int64Range(0, 1).Draw(t, "max tokens")}
	switch rapid.IntRange(0, 2).Draw(t, "markers") {
	case 1:
		r.Automatic, r.AutoTTL = true, llm.TTL(rapid.IntRange(0, 1).Draw(t, "ttl"))
	case 2:
		r.Breakpoints = []llm.Breakpoint{{Node: nodeOf(n, 1), TTL: llm.TTL1h}, {Node: n, TTL: llm.TTL(rapid.IntRange(0, 1).Draw(t, "ttl"))}}
	}
	return &cachemodel.Request{Request: r, Profile: p, Counts: counts{}}
}

func nodeOf(n *llm.Node, pos int32) *llm.Node {
	for n.IsBorder() || n.Pos != pos {
		n = n.Parent
	}
	return n
}

func nothingClears(t *rapid.T) {
	e := cachemodel.NewAnthropic(cachemodel.DefaultAnthropicOptions())
	p, err := cachemodel.Lookup("claude-sonnet-4-6")
	if err != nil {
		t.Fatal(err)
	}
	var b llm.Builder
	before := 0
	for range rapid.IntRange(2, 12).Draw(t, "requests") {
		var a cachemodel.Admission
		if err := e.Admit(0, drawRequest(t, &b, p), &a); err != nil {
			t.Fatal(err)
		}
		how := cachemodel.Ending(rapid.IntRange(0, 3).Draw(t, "ending"))
		if how != cachemodel.Rejected && (how == cachemodel.Completed || rapid.Bool().Draw(t, "begins")) {
			e.Begin(0, &a)
		}
		e.End(0, &a, how, nil, 1)
		if now := e.Entries(); now < before {
			t.Fatalf("%d entries became %d", before, now)
		}
		before = e.Entries()
	}
}

// asked is one request of a numbered lineage on a warm cache, and what it reads.
func asked(e *cachemodel.Anthropic, req *cachemodel.Request, seed uint64, i int) int64 {
	r := *req.Request
	r.Stream = llm.StreamName{Key: rng.Root(seed).Sub(fmt.Sprint(i))}
	var a cachemodel.Admission
	if err := e.Admit(1, &cachemodel.Request{Request: &r, Profile: req.Profile, Counts: req.Counts}, &a); err != nil {
		panic(err)
	}
	read := a.Usage.Read
	e.End(1, &a, cachemodel.Rejected, nil, 0)
	return read
}

// warm is an engine that holds a request's prefix, and the request.
func warm(t *testing.T, opt cachemodel.AnthropicOptions) (*cachemodel.Anthropic, *cachemodel.Request) {
	e := cachemodel.NewAnthropic(opt)
	p, err := cachemodel.Lookup("claude-sonnet-4-6")
	if err != nil {
		t.Fatal(err)
	}
	var b llm.Builder
	req := &cachemodel.Request{Request: &llm.Request{Model: p.ID, Head: opening(&b), MaxTokens: 1, Automatic: true}, Profile: p, Counts: counts{}}
	var a cachemodel.Admission
	if err := e.Admit(0, req, &a); err != nil {
		t.Fatal(err)
	}
	e.Begin(0, &a)
	e.End(0, &a, cachemodel.Completed, nil, 1)
	return e, req
}

// opening is a conversation of 2,200 tokens.
func opening(b *llm.Builder) *llm.Node {
	n := b.Border(b.Root(llm.Scope{}, llm.Salts{}), llm.System, llm.Salts{})
	n = b.Append(n, llm.NoRole, &llm.Block{Kind: llm.Text, Content: content(llm.Text, 2000, "s")})
	return b.Append(b.Border(n, llm.Messages, llm.Salts{}), llm.User, &llm.Block{Kind: llm.Text, Content: content(llm.Text, 200, "u")})
}

func draws(t *testing.T) {
	with := func(set func(*cachemodel.AnthropicOptions)) cachemodel.AnthropicOptions {
		o := cachemodel.DefaultAnthropicOptions()
		set(&o)
		return o
	}
	const n = 20_000
	for name, c := range map[string]struct {
		opt    cachemodel.AnthropicOptions
		misses int // of a thousand
	}{
		"default": {with(func(*cachemodel.AnthropicOptions) {}), 0},
		"batch":   {with(func(o *cachemodel.AnthropicOptions) { o.Batch = true }), 360},
		"collapse": {with(func(o *cachemodel.AnthropicOptions) {
			o.CollapseNoise = cachemodel.CollapseNoise{Share: 40_000, ToNothing: true}
		}), 40},
		"lag": {with(func(o *cachemodel.AnthropicOptions) {
			o.VisibilityLag = cachemodel.VisibilityLag{Share: 60_000, Window: vtime.Second}
		}), 60},
	} {
		e, req := warm(t, c.opt)
		var reads [n]int64
		whole, missed := int64(0), 0
		for i := range n {
			reads[i] = asked(e, req, 1, i)
			whole = max(whole, reads[i])
		}
		for _, r := range reads {
			if r < whole {
				missed++
			}
		}
		if whole == 0 || missed < c.misses*n*9/10_000 || missed > c.misses*n*11/10_000 {
			t.Errorf("%s: %d of %d requests read less", name, missed, n)
		}
		// The same requests backwards, and with others between them.
		again, req := warm(t, c.opt)
		other := 0
		for i := n - 1; i >= 0; i-- {
			if got := asked(again, req, 1, i); got != reads[i] {
				t.Fatalf("%s: request %d reads %d, asked in another order %d", name, i, reads[i], got)
			}
			if asked(again, req, 2, i) != reads[i] {
				other++
			}
		}
		if (other == 0) != (c.misses == 0) {
			t.Errorf("%s: another seed draws another way %d times", name, other)
		}
	}
}

// lagReads plays an append-only conversation that lags at times.
func lagReads(t *rapid.T) {
	o := cachemodel.DefaultAnthropicOptions()
	o.VisibilityLag = cachemodel.VisibilityLag{Share: 300_000, Window: vtime.Minute}
	e := cachemodel.NewAnthropic(o)
	p, err := cachemodel.Lookup("claude-sonnet-4-6")
	if err != nil {
		t.Fatal(err)
	}
	var b llm.Builder
	head, key := opening(&b), rng.Root(rapid.Uint64().Draw(t, "seed"))
	var before llm.Usage
	lagged := true // the first has no predecessor
	for i := range 20 {
		head = b.Append(head, llm.User, &llm.Block{Kind: llm.Text, Content: content(llm.Text, 200, "n")})
		r := &llm.Request{Model: p.ID, Head: head, MaxTokens: 1, Automatic: true, Stream: llm.StreamName{Key: key, Call: i}}
		var a cachemodel.Admission
		now := vtime.Instant(i) * vtime.Instant(vtime.Second)
		if err := e.Admit(now, &cachemodel.Request{Request: r, Profile: p, Counts: counts{}}, &a); err != nil {
			t.Fatal(err)
		}
		e.Begin(now, &a)
		u := e.End(now, &a, cachemodel.Completed, nil, 1)
		lags := u.Read < before.Read+before.Written()
		if lags && !lagged && u.Read != before.Read {
			t.Fatalf("call %d reads %d; its predecessor read %d and wrote %d", i, u.Read, before.Read, before.Written())
		}
		before, lagged = u, lags
	}
}

func takers(t *testing.T) {
	var operators, efforts []string
	for _, id := range cachemodel.Models() {
		p, err := cachemodel.Lookup(id)
		if err != nil {
			t.Fatal(err)
		}
		if p.Takes&llm.OperatorMessage != 0 {
			operators = append(operators, id)
		}
		if p.Takes&llm.MessageEffort != 0 {
			efforts = append(efforts, id)
		}
	}
	want := []string{"claude-fable-5-1", "claude-mythos-5-1", "claude-fable-5", "claude-mythos-5", "claude-opus-5-5", "claude-opus-5",
		"claude-opus-4-8", "claude-sonnet-5-5", "claude-haiku-5-5"}
	if !slices.Equal(operators, want) {
		t.Errorf("messages of role system: %q", operators)
	}
	if want := []string{"claude-fable-5-1", "claude-mythos-5-1", "claude-opus-5"}; !slices.Equal(efforts, want) {
		t.Errorf("an effort of one message: %q", efforts)
	}
}
