package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return // what a failed property test left behind is no story
		}
		datadriven.RunTest(t, path, command)
	})
	t.Run("LLM-08 LLM-14 a rule's text parses back to the rule", rapid.MakeCheck(func(t *rapid.T) {
		r := drawRule(t)
		got, err := Parse(r.String())
		if err != nil || got != r {
			t.Fatalf("%q parses to %+v, %v; want %+v", r.String(), got, err, r)
		}
	}))
	t.Run("LLM-08 any text is read or refused at a column inside it", rapid.MakeCheck(func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"429", "drop", "529", "truncate", "500", "duplicate", "refusal", "slow", "times=3", "times=0", "after", "before", "event=3", "keep=2",
			"agent=a/*", "agent=[", "call=2-", "call=3-1", "chance=1/0", "chance=2/3", "retry-after=5", "retry-after=2s", "x=1", "é"}), 0, 5).Draw(t, "words")
		text := strings.Join(words, " ")
		r, err := Parse(text)
		var e *Error
		switch {
		case err == nil:
			if again, err := Parse(r.String()); err != nil || again != r {
				t.Fatalf("%q → %q → %+v, %v", text, r.String(), again, err)
			}
		case !errors.As(err, &e) || e.Column < 1 || e.Column > len(text)+1:
			t.Fatalf("%q: %v", text, err)
		}
	}))
	t.Run("LLM-08 an added rule moves no other rule's draws", rapid.MakeCheck(func(t *rapid.T) {
		mine, _ := Parse("529 chance=1/3")
		other := drawRule(t)
		other.Agent = "nobody"
		key := rng.Root(rapid.Uint64().Draw(t, "seed"))
		alone, both := NewPlan([]Rule{mine}), NewPlan([]Rule{other, mine})
		for i := range 20 {
			c := &Call{Lineage: "main", Key: key, Call: i}
			if a, b := alone.Find(c), both.Find(c); (a == nil) != (b == nil) {
				t.Fatalf("call %d: %v alone, %v beside %q", i, a, b, other)
			}
		}
	}))
	t.Run("LLM-09 the tokens ahead of an event follow from its index", rapid.MakeCheck(func(t *rapid.T) {
		s := Stream{rapid.SliceOfN(rapid.Int64Range(0, 6), 0, 4).Draw(t, "tokens")}
		var ahead, total int64
		for n := range s.Events() {
			if got := s.Before(n); got < ahead || got-ahead > 1 || got > ahead && s.Name(n-1) != "content_block_delta" {
				t.Fatalf("%v: %d tokens ahead of event %d, %d ahead of the one before", s.Tokens, got, n, ahead)
			} else {
				ahead = got
			}
		}
		for _, k := range s.Tokens {
			total += k
		}
		if ahead != total || s.Before(1<<40) != total {
			t.Fatalf("%v: %d tokens ahead of the last event", s.Tokens, ahead)
		}
	}))
}

func drawRule(t *rapid.T) Rule {
	r := Rule{Kind: Kind(rapid.IntRange(1, len(kindNames)-1).Draw(t, "kind"))}
	k := r.Kind
	r.After = (k == Overloaded || k == ServerError || k == Drop || k == Duplicate) && rapid.Bool().Draw(t, "after")
	if r.After && k != Duplicate {
		r.Event = rapid.IntRange(0, 999).Draw(t, "event")
	} else if k == RateLimited || !r.After && (k == Overloaded || k == ServerError) {
		r.RetryAfter = vtime.Duration(rapid.Int64Range(0, 1e12).Draw(t, "retry"))
	}
	if k == Truncate || k == UnknownTool || k == WrongType {
		r.Tool = rapid.IntRange(0, 9).Draw(t, "tool")
	}
	if k == Truncate || k == Refusal || k == MaxTokens {
		r.Keep = rapid.IntRange(0, 999).Draw(t, "keep")
	}
	if k == Slow {
		r.Times = rapid.IntRange(1, 999).Draw(t, "times")
	}
	r.Agent = rapid.SampledFrom([]string{anyAgent, "main", "main/*", "*/{1,2}.[0-9]"}).Draw(t, "agent")
	r.Calls, r.Attempts = drawRange(t, "calls"), drawRange(t, "attempts")
	r.Chance = Chance{1, 1}
	if m := rapid.Int64Range(1, 99).Draw(t, "m"); m > 1 {
		r.Chance = Chance{rapid.Int64Range(1, m-1).Draw(t, "n"), m}
	}
	return r
}

func drawRange(t *rapid.T, name string) Range {
	from := rapid.IntRange(1, 50).Draw(t, name)
	return Range{from, rapid.SampledFrom([]int{Open, from, from + 3}).Draw(t, name+" to")}
}

// command runs the stories: parse prints a rule or its error; find asks a plan
// about calls, which count from 1 as in the rules; events prints a stream.
func command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "parse":
		var b strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			if r, err := Parse(line); err != nil {
				fmt.Fprintf(&b, "%v\n", err)
			} else {
				fmt.Fprintf(&b, "%s\n", r)
			}
		}
		return b.String()
	case "find":
		return find(t, d)
	case "events":
		var s Stream
		for _, a := range d.CmdArgs {
			var n int64
			fmt.Sscan(a.Key, &n)
			s.Tokens = append(s.Tokens, n)
		}
		var b strings.Builder
		for n := range s.Events() {
			fmt.Fprintf(&b, "%2d %-19s after %d tokens\n", n, s.Name(n), s.Before(n))
		}
		return b.String()
	}
	t.Fatalf("unknown command %s", d.Cmd)
	return ""
}

func find(t *testing.T, d *datadriven.TestData) string {
	rulesText, callsText, _ := strings.Cut(d.Input, "\n\n")
	rules, i, err := ParseAll(strings.Split(rulesText, "\n"))
	if err != nil {
		return fmt.Sprintf("rule %d: %v", i, err)
	}
	plan := NewPlan(rules)
	var b strings.Builder
	for _, line := range strings.Split(callsText, "\n") {
		c := Call{Key: rng.Root(1)}
		if _, err := fmt.Sscan(line, &c.Lineage, &c.Call, &c.Attempt); err != nil {
			t.Fatal(err)
		}
		c.Key = c.Key.Sub(c.Lineage)
		call, attempt := c.Call, c.Attempt
		c.Call, c.Attempt = call-1, attempt-1
		if r := plan.Find(&c); r != nil {
			fmt.Fprintf(&b, "%-12s call %d attempt %d: %s\n", c.Lineage, call, attempt, r)
		} else {
			fmt.Fprintf(&b, "%-12s call %d attempt %d: nothing\n", c.Lineage, call, attempt)
		}
	}
	return b.String()
}
