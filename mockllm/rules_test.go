package mockllm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/mockllm/fault"
	"agentsim/mockllm/latency"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

func TestRules(t *testing.T) {
	t.Run("CACHE-27 CACHE-37 an answer with server tools is billed pass by pass, each result written for five minutes, and its parts add up", serverTools)
	t.Run("CACHE-27 results in a row are answered by one pass, also as the first two of an answer", resultsFirst)
	t.Run("CACHE-27 an aborted answer is billed for the passes it reached", abortedLoop)
	t.Run("CACHE-35 a history that was edited before a thinking block is refused, one that grew is not", boundThinking)
	t.Run("CACHE-40 with markers or without, warm or cold, the answers are the same", rapid.MakeCheck(sameAnswers))
	t.Run("CACHE-44 CON-09 above the limit a call is answered 429 with the time to wait, and has written nothing", rateLimited)
	t.Run("CACHE-44 LLM-10 what is read from the cache does not count towards the limit of input, except on Haiku 3.5", readsAreFree)
	t.Run("CACHE-44 a prompt larger than the whole bucket never fits, and there is no limit by default", tooLarge)
	t.Run("LLM-08 a fault that cut or slowed nothing has struck nothing: the answer's own max_tokens cut it, or nothing did", inVain)
	t.Run("CACHE-44 durations that are scaled scale every wait, whatever was asked before", rapid.MakeCheck(scaledLimit))
}

// inVain asks once, with the most tokens that the answer may have, by what the source
// says of it.
func inVain(t *testing.T) {
	for _, x := range []struct {
		fault string
		most  int64
		stop  llm.StopReason
		want  bool
	}{
		{"max-tokens keep=5", 8192, llm.EndTurn, false},
		{"max-tokens keep=5", 3, llm.EndTurn, true},
		{"max-tokens keep=5", 5, llm.EndTurn, true},
		{"max-tokens keep=500", 8192, llm.MaxTokens, true},
		{"slow times=1", 8192, llm.EndTurn, true},
		{"slow times=2", 8192, llm.EndTurn, false},
	} {
		rules, _, err := fault.ParseAll([]string{x.fault})
		if err != nil {
			t.Fatal(err)
		}
		plan := fault.NewPlan(rules)
		r := newRoom(t, mockllm.Config{Source: stopping(x.stop), Faults: plan}, cachemodel.DefaultAnthropicOptions())
		r.play(make([]vtime.Duration, 1), func(int, *llm.Response) *llm.Request {
			req := request(model, r.start(model, 50, "Go."), 0)
			req.MaxTokens = x.most
			return req
		})
		if got := len(plan.Unstruck()) > 0; got != x.want {
			t.Errorf("%s of at most %d tokens, which ends by %s: in vain %v, want %v", x.fault, x.most, x.stop, got, x.want)
		}
	}
}

// stopping answers with a text, and says why it ends.
type stopping llm.StopReason

func (s stopping) Answer(_ *mockllm.Query, a *mockllm.Answer) error {
	a.Say(llm.Text, filler().Text(llm.Prose, 15))
	a.Stop = llm.StopReason(s)
	return nil
}

// room is a server of one model, and who calls it.
type room struct {
	t      testing.TB
	server *mockllm.Server
	b      *llm.Builder
	k      *kernel.Kernel
	engine *cachemodel.Anthropic
}

func newRoom(t testing.TB, cfg mockllm.Config, opt cachemodel.AnthropicOptions) *room {
	r := &room{t: t, b: &llm.Builder{Binds: true}, k: kernel.New(kernel.Options{}), engine: cachemodel.NewAnthropic(opt)}
	cfg.Engine, cfg.Builder, cfg.NoHidden = r.engine, r.b, true
	if cfg.Latency == (latency.Latency{}) {
		cfg.Latency = latency.Latency{Queue: 1, Prefill: 1, Read: 1, Decode: 1}
	}
	r.server = mockllm.NewServer(cfg)
	return r
}

// call makes one call at an instant and returns what came of it.
type made struct {
	resp llm.Response
	err  *llm.APIError
}

// play makes calls one after the other, each at its instant at the earliest.
func (r *room) play(at []vtime.Duration, req func(i int, before *llm.Response) *llm.Request) []made {
	out := make([]made, len(at))
	r.k.Spawn("client", func(p *kernel.Proc) error {
		var before *llm.Response
		for i := range at {
			if err := p.SleepUntil(max(p.Now(), vtime.Instant(0).Add(at[i]))); err != nil {
				return err
			}
			err := complete(p, r.server, req(i, before), &out[i].resp)
			if err != nil && !errors.As(err, &out[i].err) {
				return err
			}
			before = &out[i].resp
		}
		return nil
	})
	if err := r.k.Run(); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// start is a conversation of some tokens of a system prompt and one message.
func (r *room) start(model string, tokens int64, text string) *llm.Node {
	n := r.b.Border(r.b.Root(llm.Scope{Model: model}, llm.Salts{}), llm.System, llm.Salts{})
	n = r.b.Append(n, llm.NoRole, &llm.Block{Kind: llm.Text, Content: filler().Text(llm.Prose, tokens)})
	return r.say(r.b.Border(n, llm.Messages, llm.Salts{}), text)
}

func (r *room) say(n *llm.Node, text string) *llm.Node {
	return r.b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
}

func request(id string, head *llm.Node, call int) *llm.Request {
	return &llm.Request{Model: id, Head: head, MaxTokens: 8192, Stream: llm.StreamName{Lineage: "main", Key: rng.Root(1), Call: call}}
}

// searching answers with two searches and a text behind each.
type searching struct{}

func (searching) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	a.Say(llm.Text, filler().Text(llm.Prose, 30))
	a.Serve(q, "web_search", llm.NewJSON(`{"query":"a"}`), llm.NewJSON(`["`+strings.Repeat("found ", 800)+`"]`))
	a.Say(llm.Text, filler().Text(llm.Prose, 40))
	a.Serve(q, "web_search", llm.NewJSON(`{"query":"b"}`), llm.NewJSON(`["`+strings.Repeat("more ", 400)+`"]`))
	a.Serve(q, "web_fetch", llm.NewJSON(`{"url":"c"}`), llm.NewJSON(`{"text":"`+strings.Repeat("page ", 400)+`"}`))
	// Both uses at once, then both results: one pass answers them.
	n := len(a.Blocks)
	a.Blocks[n-3], a.Blocks[n-2] = a.Blocks[n-2], a.Blocks[n-3]
	a.Say(llm.Text, filler().Text(llm.Prose, 50))
	return nil
}

func serverTools(t *testing.T) {
	r := newRoom(t, mockllm.Config{Source: searching{}}, cachemodel.DefaultAnthropicOptions())
	head := r.start(model, 5000, "Look it up.")
	got := r.play([]vtime.Duration{0, 0}, func(i int, before *llm.Response) *llm.Request {
		if i > 0 {
			head = r.say(before.Head, "And then?")
		}
		req := request(model, head, i)
		req.Breakpoints = []llm.Breakpoint{{Node: head, TTL: llm.TTL1h}}
		return req
	})
	first := got[0].resp
	if len(first.Iterations) != 3 || first.Stop != llm.EndTurn {
		t.Fatalf("%d iterations, stop %v", len(first.Iterations), first.Stop)
	}
	var sum llm.Usage
	for i, u := range first.Iterations {
		sum = sum.Plus(u)
		before := llm.Usage{}
		if i > 0 {
			before = first.Iterations[i-1]
		}
		if want := before.Read + before.Written(); u.Read != want {
			t.Errorf("pass %d reads %d of the %d before it", i, u.Read, want)
		}
		if (u.Write1h > 0) != (i == 0) || (u.Write5m > 0) != (i > 0) || u.Output == 0 {
			t.Errorf("pass %d: %+v", i, u)
		}
	}
	if sum != first.Usage {
		t.Errorf("the iterations are %+v in all, the usage %+v", sum, first.Usage)
	}
	// The results are words of the server, and not billed as output.
	if first.Usage.Output > 400 {
		t.Errorf("output %d", first.Usage.Output)
	}
	last := first.Iterations[2]
	if second := got[1].resp.Iterations[0]; second.Read != last.Read+last.Written() {
		t.Errorf("the next request reads %d, the last pass left %d", second.Read, last.Read+last.Written())
	}
	if !slices.Contains(r.engine.Options(), "server_tool_prefill=takes-no-time") {
		t.Errorf("options %q", r.engine.Options())
	}
	r = newRoom(t, mockllm.Config{Source: searching{}}, cachemodel.DefaultAnthropicOptions())
	head = r.start(model, 5000, "Look it up.")
	plain := r.play([]vtime.Duration{0}, func(int, *llm.Response) *llm.Request { return request(model, head, 0) })[0].resp
	if plain.Usage.Written() != 0 || plain.Usage.Read != 0 || plain.Usage.Prompt() != first.Usage.Prompt() {
		t.Errorf("unmarked: %+v, marked %+v", plain.Usage, first.Usage)
	}
}

// fetching begins its answer with two results in a row.
type fetching struct{}

func (fetching) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	for _, url := range []string{"b", "c"} {
		a.Serve(q, "web_fetch", llm.NewJSON(`{"url":"`+url+`"}`), llm.NewJSON(`{"text":"`+strings.Repeat("page ", 400)+`"}`))
	}
	a.Blocks[1], a.Blocks[2] = a.Blocks[2], a.Blocks[1]
	a.Say(llm.Text, filler().Text(llm.Prose, 50))
	return nil
}

func resultsFirst(t *testing.T) {
	r := newRoom(t, mockllm.Config{Source: fetching{}}, cachemodel.DefaultAnthropicOptions())
	head := r.start(model, 5000, "Look it up.")
	got := r.play([]vtime.Duration{0}, func(int, *llm.Response) *llm.Request { return request(model, head, 0) })[0].resp
	if len(got.Iterations) != 2 {
		t.Errorf("%d iterations: one before the results and one behind them", len(got.Iterations))
	}
}

func abortedLoop(t *testing.T) {
	second := latency.Latency{Queue: 1, Prefill: 1, Read: 1, Decode: vtime.Second}
	r := newRoom(t, mockllm.Config{Source: searching{}, Latency: second}, cachemodel.DefaultAnthropicOptions())
	head := r.start(model, 5000, "Look it up.")
	req := request(model, head, 0)
	req.Breakpoints = []llm.Breakpoint{{Node: head}}
	var resp llm.Response
	p := r.k.Spawn("client", func(p *kernel.Proc) error {
		if err := complete(p, r.server, req, &resp); err == nil {
			t.Error("the call was not cut off")
		}
		return nil
	})
	r.k.Spawn("abort", func(q *kernel.Proc) error {
		if err := q.Sleep(160 * vtime.Second); err != nil {
			return err
		}
		p.Abort(errors.New("interrupt"))
		return nil
	})
	if err := r.k.Run(); err != nil {
		t.Fatal(err)
	}
	if len(resp.Iterations) != 2 || resp.Usage.Output != 159 {
		t.Fatalf("%d iterations and %d tokens of output within 160 s", len(resp.Iterations), resp.Usage.Output)
	}
	if sum := resp.Iterations[0].Plus(resp.Iterations[1]); sum != resp.Usage {
		t.Errorf("%+v in all, billed %+v", sum, resp.Usage)
	}
}

// thinker thinks and says a word.
type thinker struct{}

func (thinker) Answer(_ *mockllm.Query, a *mockllm.Answer) error {
	a.Say(llm.Thinking, llm.NewText(llm.Prose, "Let me see."))
	a.Say(llm.Text, llm.NewText(llm.Prose, "Yes."))
	return nil
}

func boundThinking(t *testing.T) {
	const fable = "claude-fable-5-1"
	for account, refused := range map[string]bool{"2026-08-30": false, "2026-08-31": true, "2026-11-01": true, "": false} {
		for _, edits := range []bool{false, true} {
			opt := cachemodel.DefaultAnthropicOptions()
			opt.AccountCreated = account
			r := newRoom(t, mockllm.Config{Source: thinker{}}, opt)
			head := r.start(fable, 1000, "Is it so?")
			got := r.play([]vtime.Duration{0, 0, 0}, func(i int, before *llm.Response) *llm.Request {
				if i == 1 {
					head = r.say(before.Head, "Sure?")
				}
				if i == 2 {
					head = r.say(before.Head, "Really?")
					if edits {
						head = r.edited(head, fable)
					}
				}
				return request(fable, head, i)
			})
			if got[0].err != nil || got[1].err != nil {
				t.Fatalf("a conversation that grows is refused: %v, %v", got[0].err, got[1].err)
			}
			err := got[2].err
			if (err != nil) != (refused && edits) {
				t.Errorf("account of %q, edited %v: %v", account, edits, err)
			}
			if err != nil && (err.Status != 400 || err.Retryable() || !strings.HasPrefix(err.Message, "messages.1.content.0: ") ||
				!strings.Contains(err.Message, "The block is bound to a different conversation")) {
				t.Errorf("the refusal is %v", err)
			}
		}
	}
}

// edited is the same conversation with other words in its first message.
func (r *room) edited(head *llm.Node, model string) *llm.Node {
	var blocks []*llm.Node
	for n := head; !n.IsBorder(); n = n.Parent {
		blocks = append(blocks, n)
	}
	n := r.start(model, 1000, "Is it not so?")
	for i := len(blocks) - 2; i >= 0; i-- {
		n = r.b.Append(n, blocks[i].Role, blocks[i].Block)
	}
	return n
}

// wordy answers by what the request holds and by its stream's name.
type wordy struct{}

func (wordy) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	n := q.Stream.Key.At(uint64(q.Stream.Call)).At(q.Head.Hash.Lo).Between(1, 60)
	a.Say(llm.Text, filler().Text(llm.Prose, n))
	if n%3 == 0 {
		a.Use(q, "Read", llm.NewJSON(`{"file_path":"a.go"}`), "")
	}
	return nil
}

func sameAnswers(t *rapid.T) {
	turns := rapid.IntRange(1, 6).Draw(t, "turns")
	gaps, marks := make([]vtime.Duration, turns), make([]int, turns)
	for i := range gaps {
		gaps[i] = vtime.Duration(i) * rapid.SampledFrom([]vtime.Duration{0, vtime.Minute, 6 * vtime.Minute}).Draw(t, "gap")
		marks[i] = rapid.IntRange(0, 2).Draw(t, "markers")
	}
	slices.Sort(gaps)
	opt := cachemodel.DefaultAnthropicOptions()
	if rapid.Bool().Draw(t, "noise") {
		opt.CollapseNoise = cachemodel.CollapseNoise{Share: 500_000, ToNothing: true}
	}
	play := func(marked bool, opt cachemodel.AnthropicOptions) (out []made) {
		r := newRoom(nil, mockllm.Config{Source: wordy{}}, opt)
		head := r.start(model, 3000, "Go on.")
		return r.play(gaps, func(i int, before *llm.Response) *llm.Request {
			if i > 0 {
				head = r.b.Append(r.results(before), llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "More.")})
			}
			req := request(model, head, i)
			if marked {
				req.Automatic = marks[i] == 1
				if marks[i] == 2 {
					req.Breakpoints = []llm.Breakpoint{{Node: head}}
				}
			}
			return req
		})
	}
	with, without := play(true, opt), play(false, cachemodel.DefaultAnthropicOptions())
	for i := range with {
		a, b := &with[i].resp, &without[i].resp
		if a.Head.Hash != b.Head.Hash || a.Stop != b.Stop || a.Usage.Output != b.Usage.Output || a.Usage.Prompt() != b.Usage.Prompt() {
			t.Fatalf("call %d: %+v with markers, %+v without", i, a.Usage, b.Usage)
		}
		if b.Usage.Read+b.Usage.Written() != 0 {
			t.Fatalf("call %d without markers: %+v", i, b.Usage)
		}
	}
}

// results answers every tool use of a response.
func (r *room) results(resp *llm.Response) *llm.Node {
	n := resp.Head
	for i := range resp.Blocks {
		if b := &resp.Blocks[i]; b.Kind == llm.ToolUse {
			n = r.b.Append(n, llm.User, &llm.Block{Kind: llm.ToolResult, ID: b.ID, Content: llm.NewText(llm.Code, "text")})
		}
	}
	return n
}
