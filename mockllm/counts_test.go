package mockllm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/cachemodel/laws"
	"agentsim/mockllm"
	"agentsim/mockllm/latency"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/vtime"
)

func TestConformanceCounts(t *testing.T) {
	t.Run("KRN-01 two recorded counts for one position are refused with lineage, call and position, whatever the map's order", twoCounts)
	t.Run("CON-06 CACHE-L2 counts recorded for a parent hold for its forks", forkCounts)
	t.Run("CON-06 CACHE-L2 two roots that share a prefix agree on it where only one has counts", rootCounts)
	t.Run("CON-06 a count that comes after its prefix was billed with another is refused with its place", lateCounts)
	t.Run("KRN-06 a prompt above limits.tokens ends the run with that limit's name, value, place and instant", promptLimit)
	t.Run("KRN-06 a prompt above the model's window is refused by the API, and the run goes on", windowLimit)
	t.Run("LLM-09 an answer of more than max_tokens is cut there: its text to fit, its tool uses left out", maxTokens)
}

// lawful holds each admission to the laws.
type lawful struct {
	cachemodel.Engine
	t *testing.T
}

func (l lawful) Admit(now vtime.Instant, req *cachemodel.Request, a *cachemodel.Admission) error {
	err := l.Engine.Admit(now, req, a)
	if err == nil && laws.Check(a) != nil && l.t != nil {
		l.t.Errorf("%s, call %d: %v", req.Stream.Lineage, req.Stream.Call, laws.Check(a))
	}
	return err
}

// serve makes the requests one after another, a minute apart, and returns what
// each came to. counts are what the answers bring along, by lineage and call.
func serve(t *testing.T, lawless bool, change func(*mockllm.Config), source mockllm.Source, reqs ...*llm.Request) (out []llm.Response, errs []error) {
	t.Helper()
	s := newStage(t, nil, source)
	steady, err := latency.Named("steady")
	if err != nil {
		t.Fatal(err)
	}
	engine := lawful{Engine: cachemodel.NewAnthropic(cachemodel.DefaultAnthropicOptions())}
	if !lawless {
		engine.t = t
	}
	cfg := mockllm.Config{Engine: engine, Source: source, Builder: &s.b, Latency: steady.Latency, NoHidden: true}
	if change != nil {
		change(&cfg)
	}
	s.server = mockllm.NewServer(cfg)
	s.k.Spawn("caller", func(p *kernel.Proc) error {
		for i, req := range reqs {
			if err := p.SleepUntil(vtime.Instant(0).Add(vtime.Duration(i) * vtime.Minute)); err != nil {
				return err
			}
			var r llm.Response
			errs = append(errs, complete(p, s.server, req, &r))
			out = append(out, r)
		}
		return nil
	})
	if err := s.k.Run(); err != nil {
		t.Fatal(err)
	}
	return out, errs
}

// counted answers "Yes." with the counts of a lineage.
type counted map[string]map[int]int64

func (c counted) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	a.Say(llm.Text, llm.NewText(llm.Prose, "Yes."))
	a.Counts = c[q.Stream.Lineage]
	return nil
}

// prompt is a request of a lineage: the shared front and the texts behind it,
// with a mark on the second block and one on the last.
func prompt(b *llm.Builder, lineage string, texts ...string) *llm.Request {
	n := b.Root(llm.Scope{Model: model}, llm.Salts{})
	n = b.Border(n, llm.System, llm.Salts{})
	n = b.Append(n, llm.NoRole, &llm.Block{Kind: llm.Text, Content: filler().Text(llm.Prose, 5000)})
	n = b.Border(n, llm.Messages, llm.Salts{})
	var marks []llm.Breakpoint
	for i, text := range texts {
		n = b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
		if i == 0 || i == len(texts)-1 {
			marks = append(marks, llm.Breakpoint{Node: n})
		}
	}
	return &llm.Request{Model: model, Head: n, MaxTokens: 100, Breakpoints: marks, Stream: llm.StreamName{Lineage: lineage}}
}

func twoCounts(t *testing.T) {
	for range 30 {
		var b llm.Builder
		_, errs := serve(t, false, nil, counted{"main": {2: 5000, -1: 9000, 1: 4000, -2: 4000}}, prompt(&b, "main", "Go."))
		want := "main, call 0: recorded counts at positions 1 and -2 are of one block"
		if errs[0] == nil || !strings.HasPrefix(errs[0].Error(), want) {
			t.Fatalf("%v, want %s…", errs[0], want)
		}
	}
}

func forkCounts(t *testing.T) {
	var b llm.Builder
	got, errs := serve(t, false, nil, counted{"main": {-1: 9000}},
		prompt(&b, "main", "Go."), prompt(&b, "main/0.1", "Go.", "A fork."), prompt(&b, "main/0.1/0.1", "Go.", "A fork.", "Its fork."))
	if slices.ContainsFunc(errs, func(e error) bool { return e != nil }) {
		t.Fatal(errs)
	}
	if u := got[1].Usage; u.Read != 9000 || u.Write5m <= 0 || u.Write5m > 20 {
		t.Errorf("the fork is billed %+v, 9000 tokens are its parent's", u)
	}
	if u := got[2].Usage; u.Read != 9000+got[1].Usage.Write5m {
		t.Errorf("the fork's fork is billed %+v", u)
	}
}

func rootCounts(t *testing.T) {
	var b llm.Builder
	got, errs := serve(t, false, nil, counted{"main": {1: 8000, -1: 9000}}, prompt(&b, "main", "Go.", "One."), prompt(&b, "other", "Go.", "Two."))
	if errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	// The mark behind "Go." lies between the two counts.
	shared := got[0].Usage.Prompt() - got[1].Usage.Prompt()
	if read := got[1].Usage.Read; read <= 8000 || read >= 8020 || shared < 900 {
		t.Errorf("billed %+v, then %+v", got[0].Usage, got[1].Usage)
	}
}

func lateCounts(t *testing.T) {
	var b llm.Builder
	_, errs := serve(t, true, nil, counted{"main": {2: 9000}}, prompt(&b, "other", "Go.", "One."), prompt(&b, "main", "Go.", "Two."))
	want := "main, call 0: the prefix at position 2 was written with "
	if errs[0] != nil || errs[1] == nil || !strings.HasPrefix(errs[1].Error(), want) {
		t.Errorf("%v, want %s…", errs, want)
	}
}

func promptLimit(t *testing.T) {
	var b llm.Builder
	reqs := []*llm.Request{prompt(&b, "main", "Go."), prompt(&b, "main/0.1", "Go.", "One word more.")}
	first, _ := serve(t, false, nil, counted{}, reqs...)
	most := first[0].Usage.Prompt()
	_, errs := serve(t, false, func(c *mockllm.Config) { c.MaxPrompt = most }, counted{}, reqs...)
	var limit *kernel.LimitError
	if errs[0] != nil || !errors.As(errs[1], &limit) {
		t.Fatalf("%v", errs)
	}
	if *limit != (kernel.LimitError{Name: "tokens", Value: most, Where: "main/0.1", Instant: vtime.Instant(vtime.Minute)}) {
		t.Errorf("%+v", limit)
	}
}

func windowLimit(t *testing.T) {
	var b llm.Builder
	reqs := []*llm.Request{prompt(&b, "main", "Go."), prompt(&b, "main", "Go.", "One word more."), prompt(&b, "main", "Go.")}
	first, _ := serve(t, false, nil, counted{}, reqs...)
	window := first[0].Usage.Prompt()
	small := func(c *mockllm.Config) {
		c.Profile = func(id string) (*cachemodel.Profile, error) {
			p, err := cachemodel.Lookup(id)
			if err != nil {
				return nil, err
			}
			q := *p
			q.Window = window
			return &q, nil
		}
	}
	_, errs := serve(t, false, small, counted{}, reqs...)
	var api *llm.APIError
	if errs[0] != nil || errs[2] != nil || !errors.As(errs[1], &api) {
		t.Fatalf("%v", errs)
	}
	if api.Status != 400 || api.Type != "invalid_request_error" || !strings.HasPrefix(api.Message, "prompt is too long: ") || api.Retryable() ||
		api.Started != vtime.Instant(vtime.Minute) || api.Usage != (llm.Usage{}) {
		t.Errorf("%+v", api)
	}
}

// turns answers with one scripted turn.
func turns(t *testing.T, turn scenarios.Turn) mockllm.Source {
	t.Helper()
	book, err := script.NewBook([]scenarios.Script{{Agent: "main", Turns: []scenarios.Turn{turn}}}, filler())
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func maxTokens(t *testing.T) {
	text := &scenarios.Content{Tokens: scenarios.Size{Lo: 60, Hi: 60, Set: true}}
	read := scenarios.ToolTurn{Name: "Read", Raw: `{"file_path":"a.go"}`}
	full := int64(500)
	for _, c := range []struct {
		what string
		turn scenarios.Turn
		most int64
		want string // kinds of the blocks
		text int64  // tokens of the text, frame aside, at least
	}{
		{"a text", scenarios.Turn{Text: text}, 40, "text", 30},
		{"a text of several lengths", scenarios.Turn{Text: text}, 61, "text", 50},
		{"what fits is left alone", scenarios.Turn{Text: text}, 80, "", 60},
		{"a tool use that does not fit", scenarios.Turn{Text: text, Tools: []scenarios.ToolTurn{read}}, 80, "text", 60},
		{"the second of two", scenarios.Turn{Tools: []scenarios.ToolTurn{read, read}}, 100, "tool_use", 0},
		{"thinking", scenarios.Turn{Thinking: text, Text: text}, 40, "thinking", 0},
		{"nothing fits", scenarios.Turn{Text: text}, 1, "none", 0},
		{"a literal output", scenarios.Turn{Text: text, Output: &full}, 80, "text", 60},
	} {
		var b llm.Builder
		req := prompt(&b, "main", "Go.")
		req.Settings.Thinking = llm.ThinkingAdaptive
		req.MaxTokens = c.most
		got, errs := serve(t, false, nil, turns(t, c.turn), req)
		if errs[0] != nil {
			t.Fatal(errs)
		}
		r := got[0]
		if c.want == "" {
			if r.Stop != llm.EndTurn || r.Usage.Output >= c.most {
				t.Errorf("%s: stop %s, output %d", c.what, r.Stop, r.Usage.Output)
			}
			continue
		}
		kinds, said := "none", int64(0)
		for i := range r.Blocks {
			if kinds = r.Blocks[i].Kind.String(); kinds == "text" {
				said += tokens.Approx(model).Tokens(r.Blocks[i].Content.Measure())
			}
		}
		if kinds != c.want || r.Stop != llm.MaxTokens || r.Usage.Output != c.most || said < c.text || said > c.most {
			t.Errorf("%s: ends with %s, %d tokens of text, stop %s, output %d", c.what, kinds, said, r.Stop, r.Usage.Output)
		}
		if n := counts(t, r.Head) - counts(t, req.Head); n > c.most {
			t.Errorf("%s: the conversation has %d tokens more", c.what, n)
		}
	}
}

func counts(t *testing.T, n *llm.Node) int64 {
	t.Helper()
	return tokens.For(model, tokens.Options{}).At(n)
}
