package metrics

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"

	"github.com/cockroachdb/datadriven"
)

// rates are small, so that bills can be added up by eye: plain 10, written 12
// and 20, read 1, output 50 picodollars a token. A prompt over 10,000 tokens
// costs twice as much.
var rates10 = cachemodel.Rates{Input: 10, Write5m: 12, Write1h: 20, Read: 1, Output: 50}

var testProfile = &cachemodel.Profile{Rates: rates10, LongPrompt: 10_000,
	Above: cachemodel.Rates{Input: 20, Write5m: 24, Write1h: 40, Read: 2, Output: 100}}

func testPrice(model string) (*cachemodel.Profile, error) {
	if model == "priced" {
		return testProfile, nil
	}
	return nil, errors.New("no price")
}

// story turns lines `seconds agent verb key=value …` into events.
type story struct {
	fold    *Fold
	builder llm.Builder
	agents  map[string]int32
	seq     uint64
}

func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, name string) {
		s := &story{}
		datadriven.RunTest(t, name, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "fold":
				return s.tell(t, d)
			case "show":
				return s.show(t, d)
			case "misses":
				r := s.fold.Run()
				return fmt.Sprintf("%+v\n%+v\n", r.Total.AllMisses(), r.Narrow)
			case "agents":
				return s.rows()
			}
			t.Fatalf("%s: no command %q", d.Pos, d.Cmd)
			return ""
		})
	})
}

// tell folds a whole transcript; the output is each call's own line.
func (s *story) tell(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	items := 0
	d.MaybeScanArgs(t, "items", &items)
	watch := ""
	d.MaybeScanArgs(t, "watch", &watch)
	*s = story{agents: map[string]int32{}}
	s.fold = New(Options{Items: items, Price: testPrice, Watch: strings.Split(watch, "+"),
		Assigned: func(text string) []string {
			kinds := map[string]string{"look": "research", "mend": "implement", "check": "verify", "tell": "answer"}
			if kinds[text] == "" {
				return nil
			}
			return []string{kinds[text]}
		},
		Tokens: func(_ string, n *llm.Node) int64 { return n.Cum.Total() },
		OnCall: func(c *Call) {
			fmt.Fprintf(&out, "call %d of %d, attempt %d: %s–%s prompt %d cost %d uncached %d", c.Call, c.Agent, c.Attempt,
				c.Sent, c.Ended, c.Usage.Prompt(), c.Cost, c.Uncached)
			if c.Miss.Reason != llm.NotMissed {
				fmt.Fprintf(&out, " missed %s at block %d byte %d", c.Miss.Reason, c.Miss.Pos, c.Miss.Byte)
			}
			fmt.Fprintln(&out)
		}})
	for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
		w := strings.Fields(line)
		at, err := vtime.ParseDuration(w[0])
		if err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
		args := map[string]string{}
		for _, kv := range w[3:] {
			k, v, _ := strings.Cut(kv, "=")
			args[k] = v
		}
		s.emit(at, w[1], s.body(t, w[1], w[2], args))
	}
	return out.String()
}

func (s *story) emit(at vtime.Duration, who string, b transcript.Body) {
	s.fold.Emit(&transcript.Event{Seq: s.seq, At: vtime.Instant(at), Phase: 1, Agent: s.ordinal(who), Body: b})
	s.seq++
}

func (s *story) ordinal(who string) int32 {
	if who == "run" {
		return -1
	}
	n, ok := s.agents[who]
	if !ok {
		n = int32(len(s.agents))
		s.agents[who] = n
	}
	return n
}

func (s *story) body(t *testing.T, who, verb string, args map[string]string) transcript.Body {
	num := func(k string) (n int64) {
		fmt.Sscan(args[k], &n)
		return n
	}
	usage := llm.Usage{Input: num("in"), Write5m: num("w5"), Write1h: num("w1"), Read: num("read"), Output: num("out")}
	cache := llm.CacheReport{Miss: llm.Miss{Reason: reason(args["miss"]), Lost: num("lost"), Pos: int32(num("pos")), Byte: num("byte")},
		Life: vtime.Duration(num("life")) * vtime.Minute, Left: vtime.Duration(num("left")) * vtime.Second}
	model := "priced"
	if m, ok := args["model"]; ok {
		model = m
	}
	switch verb {
	case "begins":
		return &transcript.RunStart{Scenario: args["scenario"], Variant: args["variant"], Seed: 7}
	case "ends":
		return &transcript.RunEnd{Outcome: transcript.RunOutcome(args["outcome"])}
	case "start":
		b := &transcript.AgentStart{Lineage: who, Parent: -1, Type: args["type"], Structure: transcript.Structure(args["type"])}
		b.ID = llm.AgentID(s.ordinal(who) + 0x100)
		if p, ok := args["parent"]; ok {
			b.Parent, b.ToolUse = s.ordinal(p), llm.ToolUseID{1}
		}
		_, b.Async = args["async"]
		return b
	case "end":
		return &transcript.AgentEnd{Status: "completed", Turns: int(num("turns"))}
	case "request":
		return &transcript.Request{Call: int(num("call")), Attempt: int(num("attempt")), Model: model, Head: s.chain(args["says"])}
	case "response":
		return &transcript.Response{Call: int(num("call")), Attempt: int(num("attempt")), Model: model, Resp: &llm.Response{Usage: usage, Cache: cache}}
	case "error":
		return &transcript.APIError{Call: int(num("call")), Attempt: int(num("attempt")), Model: model,
			Err: &llm.APIError{Status: int(num("status")), Usage: usage, Cache: cache}}
	case "tool":
		return &transcript.ToolCall{Name: args["name"], Cause: args["cause"]}
	case "wakes":
		return &transcript.WakeUp{Why: args["why"], Prefix: num("prefix")}
	case "hears":
		return &transcript.Notification{Op: args["op"], TaskID: llm.AgentID(s.ordinal(args["of"]) + 0x100).String()}
	case "item":
		return &transcript.Item{Item: args["id"], Outcome: transcript.Outcome(args["outcome"]), Missing: strings.Split(args["missing"], ",")}
	}
	t.Fatalf("no verb %q", verb)
	return nil
}

// chain is a conversation of one-word blocks, such as a.b.c.
func (s *story) chain(words string) *llm.Node {
	n := s.builder.Root(llm.Scope{Model: "priced"}, llm.Salts{})
	n = s.builder.Border(n, llm.System, llm.Salts{})
	n = s.builder.Border(n, llm.Messages, llm.Salts{})
	for _, w := range strings.Split(words, ".") {
		role := llm.User
		if w == "answer" {
			role = llm.Assistant
		}
		n = s.builder.Append(n, role, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, w)})
	}
	return n
}

func reason(name string) llm.MissReason {
	for r := llm.NotMissed; int(r) < NumMisses; r++ {
		if r.String() == name {
			return r
		}
	}
	panic("no reason " + name)
}

// rows prints what is kept of each agent.
func (s *story) rows() string {
	var out strings.Builder
	for _, a := range s.fold.Run().Agents {
		fmt.Fprintf(&out, "%s %s %s–%s %d turns, %s, path %s\n", a.Lineage, a.Type, a.Started, a.Ended, a.Turns, a.Status, a.Path)
	}
	return out.String()
}

// show prints the metrics asked for, or all that have data and are not zero.
func (s *story) show(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	typ := ""
	d.MaybeScanArgs(t, "of", &typ)
	r := s.fold.Run()
	names := strings.Fields(d.Input)
	for _, n := range Names() {
		if len(names) == 0 {
			if v, ok := Lookup(r, typ, n.Name); ok && v.Num != 0 {
				fmt.Fprintf(&out, "%-22s %s %s\n", n.Name, v, n.Unit)
			}
		}
	}
	for _, name := range names {
		v, ok := Lookup(r, typ, name)
		if !ok {
			fmt.Fprintf(&out, "%-22s no data\n", name)
			continue
		}
		fmt.Fprintf(&out, "%-22s %s\n", name, v)
	}
	return out.String()
}
