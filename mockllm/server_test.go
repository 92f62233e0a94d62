package mockllm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/mockllm/fault"
	"agentsim/mockllm/latency"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"

	"github.com/cockroachdb/datadriven"
)

const model = "claude-sonnet-4-5-20250929"

// watched is an engine that tells when it is called, in which phase, and what
// it bills.
type watched struct {
	cachemodel.Engine
	s *stage
}

func (w watched) Admit(now vtime.Instant, req *cachemodel.Request, a *cachemodel.Admission) error {
	err := w.Engine.Admit(now, req, a)
	w.s.note(now, "admit: read %d, %d of the prompt new", a.Usage.Read, a.Usage.Prompt()-a.Usage.Read)
	return err
}

func (w watched) Begin(now vtime.Instant, a *cachemodel.Admission) {
	w.s.note(now, "begin")
	w.Engine.Begin(now, a)
}

func (w watched) End(now vtime.Instant, a *cachemodel.Admission, how cachemodel.Ending, head *llm.Node, output int64) llm.Usage {
	u := w.Engine.End(now, a, how, head, output)
	w.s.note(now, "end %s: bill input %d, write %d, read %d, output %d", how, u.Input, u.Written(), u.Read, u.Output)
	return u
}

// stage is one server and the calls made of it.
type stage struct {
	k      *kernel.Kernel
	server *mockllm.Server
	b      llm.Builder
	log    strings.Builder
}

func (s *stage) note(now vtime.Instant, format string, args ...any) {
	phase := "agents  "
	if s.k.Phase() == 0 {
		phase = "provider"
	}
	fmt.Fprintf(&s.log, "%s %s %s\n", now, phase, fmt.Sprintf(format, args...))
}

// fixed answers every call with the same blocks.
type fixed struct{ f *script.Filler }

func (f fixed) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	a.Say(llm.Text, f.f.Text(llm.Prose, 15))
	a.Use(q, "Read", llm.NewJSON(`{"file_path":"/project/a.go"}`), "")
	return nil
}

func newStage(t *testing.T, faults []string, source mockllm.Source) *stage {
	t.Helper()
	rules, i, err := fault.ParseAll(faults)
	if err != nil {
		t.Fatalf("rule %d: %v", i, err)
	}
	s := &stage{k: kernel.New(kernel.Options{})}
	if source == nil {
		source = fixed{filler()}
	}
	steady, err := latency.Named("steady")
	if err != nil {
		t.Fatal(err)
	}
	s.server = mockllm.NewServer(mockllm.Config{
		Engine: watched{cachemodel.NewAnthropic(cachemodel.DefaultAnthropicOptions()), s}, Source: source,
		Builder: &s.b, Latency: steady.Latency, Faults: fault.NewPlan(rules), NoHidden: true,
	})
	return s
}

func filler() *script.Filler { return script.NewFiller(tokens.Approx(model)) }

// head is a prompt of some 5,000 tokens and a user's text.
func (s *stage) head(text string) *llm.Node {
	n := s.b.Root(llm.Scope{Model: model}, llm.Salts{})
	n = s.b.Border(n, llm.System, llm.Salts{})
	n = s.b.Append(n, llm.NoRole, &llm.Block{Kind: llm.Text, Content: filler().Text(llm.Prose, 5000)})
	n = s.b.Border(n, llm.Messages, llm.Salts{})
	return s.b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
}

func (s *stage) request(lineage string, call, attempt int) *llm.Request {
	head := s.head("Go on.")
	return &llm.Request{Model: model, Head: head, MaxTokens: 8192, Breakpoints: []llm.Breakpoint{{Node: head}},
		Stream: llm.StreamName{Lineage: lineage, Key: rng.Root(1).Sub(lineage), Call: call, Attempt: attempt}}
}

// complete waits until the whole answer to a request has come.
func complete(p *kernel.Proc, s *mockllm.Server, req *llm.Request, resp *llm.Response) error {
	c, err := s.Begin(p.Kernel(), req, resp)
	if err != nil {
		return err
	}
	if err := p.SleepUntil(c.Ends()); err != nil {
		c.Abandon(p.Now())
		return err
	}
	return c.End()
}

// make spawns a process that makes a call at an instant, and one that aborts it.
func (s *stage) make(name string, at, abort vtime.Duration, req *llm.Request) {
	p := s.k.Spawn(name, func(p *kernel.Proc) error {
		if err := p.Sleep(at); err != nil {
			return err
		}
		var resp llm.Response
		err := complete(p, s.server, req, &resp)
		s.tell(p, name, &resp, err)
		return nil
	})
	if abort > 0 {
		s.k.Spawn("abort "+name, func(q *kernel.Proc) error {
			if err := q.Sleep(abort); err != nil {
				return err
			}
			p.Abort(errors.New("interrupt"))
			return nil
		})
	}
}

func (s *stage) tell(p *kernel.Proc, name string, r *llm.Response, err error) {
	var api *llm.APIError
	switch {
	case errors.As(err, &api):
		s.note(p.Now(), "%s: %v; retry after %s, began %s, billed %d", name, err, api.RetryAfter, api.Began, api.Usage.Total())
	case err != nil:
		s.note(p.Now(), "%s: %v; billed %d, %d blocks", name, err, r.Usage.Total(), len(r.Blocks))
	default:
		var kinds []string
		for i := range r.Blocks {
			k := r.Blocks[i].Kind.String()
			if r.Blocks[i].Kind == llm.ToolUse {
				if name := r.Blocks[i].Name; name != "Read" {
					k += " " + name
				}
				k += " " + r.Blocks[i].Content.Raw()
			}
			kinds = append(kinds, k)
		}
		s.note(p.Now(), "%s: %s, stop %s, began %s, ended %s", name, strings.Join(kinds, " + "), r.Stop, r.Began, r.Ended)
	}
	if r.Again > 0 {
		s.note(p.Now(), "%s: delivered %d times more", name, r.Again)
	}
	if r.Copy != nil {
		s.note(p.Now(), "%s: a copy, %v, billed %d", name, r.Copy, r.Copy.Usage.Total())
	}
}

func TestConformance(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return // what a failed property test left behind is no story
		}
		var faults []string
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "faults":
				faults = strings.Split(d.Input, "\n")
				return ""
			case "calls":
				return calls(t, faults, d.Input)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
	t.Run("LLM-02 a script's position is the call's ordinal, not the order of asking", func(t *testing.T) { positions(t) })
	t.Run("CON-06 recorded counts hold for the request and for later calls of its lineage", func(t *testing.T) { recorded(t) })
	t.Run("LLM-08 a plan's draws are the same whatever other agents call", func(t *testing.T) { unshared(t) })
	t.Run("LLM-01 a query holds the request and its stream, and nothing of the simulator", func(t *testing.T) { blind(t) })
}

// calls runs lines of `lineage call attempt at [abort]`, calls and attempts from 1.
func calls(t *testing.T, faults []string, input string) string {
	s := newStage(t, faults, nil)
	for _, line := range strings.Split(input, "\n") {
		var lineage, at, abort string
		var call, attempt int
		if n, _ := fmt.Sscan(line, &lineage, &call, &attempt, &at, &abort); n < 4 {
			t.Fatalf("bad line %q", line)
		}
		if abort == "" {
			abort = "0s"
		}
		a, err := vtime.ParseDuration(at)
		if err != nil {
			t.Fatal(err)
		}
		b, err := vtime.ParseDuration(abort)
		if err != nil {
			t.Fatal(err)
		}
		req := s.request(lineage, call-1, attempt-1)
		s.make(fmt.Sprintf("%s call %d attempt %d", lineage, call, attempt), a, b, req)
	}
	if err := s.k.Run(); err != nil {
		t.Fatal(err)
	}
	return s.log.String()
}

// answers asks a source for a lineage's call.
func answers(t *testing.T, s mockllm.Source, q mockllm.Query) string {
	t.Helper()
	var a mockllm.Answer
	a.Reset()
	if err := s.Answer(&q, &a); err != nil {
		return err.Error()
	}
	return a.Blocks[0].Content.Raw()
}

func positions(t *testing.T) {
	turn := func(text string) scenarios.Turn { return scenarios.Turn{Text: &scenarios.Content{Text: text}} }
	checked := turn("third")
	checked.Contains = "Go on."
	missing := turn("fourth")
	missing.Contains = "never said"
	book, err := script.NewBook([]scenarios.Script{
		{Agent: "main", Turns: []scenarios.Turn{turn("first"), turn("second"), checked, missing}},
		{Agent: "main/*", Turns: []scenarios.Turn{turn("a child's")}},
	}, filler())
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, nil, book)
	ask := func(lineage string, call int) string {
		r := s.request(lineage, call, 0)
		return answers(t, mockllm.Sources{book}, mockllm.Query{Head: r.Head, Stream: r.Stream})
	}
	for _, c := range []struct {
		lineage string
		call    int
		want    string
	}{
		{"main", 2, "third"}, {"main", 0, "first"}, {"main/4.1", 0, "a child's"}, {"main", 1, "second"}, {"main", 0, "first"},
		{"main", 3, `script "main", turn 4: the request of main does not contain "never said": change the turn's contains, or what comes before it`},
		{"main", 4, `script "main" has 4 turns, and main makes call 5: add a turn, or let the last one call no tool`},
		{"other", 0, "no script speaks for other, there are scripts for main, main/*: add a script with agent: other"},
		{"main/4.1/0.1", 0, "no script speaks for main/4.1/0.1, there are scripts for main, main/*: add a script with agent: main/4.1/0.1, or with a pattern such as main/4.1/*"},
	} {
		if got := ask(c.lineage, c.call); got != c.want {
			t.Errorf("%s call %d: %q, want %q", c.lineage, c.call, got, c.want)
		}
	}
}

func recorded(t *testing.T) {
	out := int64(77)
	book, err := script.NewBook([]scenarios.Script{{Agent: "main", Turns: []scenarios.Turn{
		{Text: &scenarios.Content{Text: "one"}, Counts: map[int]int64{1: 6000, -1: 6010}, Output: &out},
		{Text: &scenarios.Content{Text: "two"}},
	}}}, filler())
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, nil, book)
	var got []llm.Usage
	s.k.Spawn("main", func(p *kernel.Proc) error {
		for call := range 2 {
			var r llm.Response
			req := s.request("main", call, 0)
			if err := complete(p, s.server, req, &r); err != nil {
				return err
			}
			got = append(got, r.Usage)
		}
		return nil
	})
	if err := s.k.Run(); err != nil {
		t.Fatal(err)
	}
	profile, err := cachemodel.Lookup(model)
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Usage{Input: profile.Tail, Write5m: 6010, Output: 77}
	if len(got) != 2 || got[0] != want || got[1].Read != 6010 {
		t.Errorf("usage %+v, want first %+v and then 6010 read", got, want)
	}
}

func unshared(t *testing.T) {
	log := func(input string) (mine []string) {
		for _, l := range strings.Split(calls(t, []string{"529 chance=1/2"}, input), "\n") {
			if strings.Contains(l, "main call") {
				mine = append(mine, l[strings.Index(l, "main call"):strings.Index(l, "main call")+40])
			}
		}
		return mine
	}
	alone := log("main 1 1 0s\nmain 2 1 20s\nmain 3 1 40s\nmain 4 1 60s")
	beside := log("x 1 1 0s\nmain 1 1 0s\nx 2 1 1s\nx 2 2 2s\nmain 2 1 20s\nx 3 1 30s\nmain 3 1 40s\nmain 4 1 60s")
	if strings.Join(alone, "\n") != strings.Join(beside, "\n") || !strings.Contains(strings.Join(alone, ""), "529") {
		t.Errorf("alone\n%s\nbeside another agent\n%s", strings.Join(alone, "\n"), strings.Join(beside, "\n"))
	}
}

func blind(t *testing.T) {
	var q mockllm.Query
	spy := sourceFunc(func(got *mockllm.Query, a *mockllm.Answer) error {
		q = *got
		a.Say(llm.Text, llm.NewText(llm.Prose, "yes"))
		return nil
	})
	s := newStage(t, nil, spy)
	req := s.request("main", 3, 1)
	s.make("main", 0, 0, req)
	if err := s.k.Run(); err != nil {
		t.Fatal(err)
	}
	if q != (mockllm.Query{Head: req.Head, Model: model, Stream: req.Stream, MaxTokens: 8192}) {
		t.Errorf("query %+v", q)
	}
}

type sourceFunc func(*mockllm.Query, *mockllm.Answer) error

func (f sourceFunc) Answer(q *mockllm.Query, a *mockllm.Answer) error { return f(q, a) }
