package scenarios

import (
	"agentsim/sim/llm"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"agentsim/scenarios/document"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// roundTrip holds Canonical against Parse: equal scenario, equal text.
func roundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Scenario) {
	t.Helper()
	text := s.Canonical()
	f, err := Parse("canonical.yaml", text)
	if err != nil {
		t.Fatalf("canonical text does not parse: %v\n%s", err, text)
	}
	again, err := f.Effective("", nil)
	if err != nil {
		t.Fatalf("canonical text has no effective scenario: %v\n%s", err, text)
	}
	if d := cmp.Diff(s, again, cmpopts.IgnoreFields(Scenario{}, "Expect"), cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("canonical text reads back to another scenario:\n%s\n%s", d, text)
	}
	if string(again.Canonical()) != string(text) {
		t.Fatalf("one scenario has two texts:\n%s\n%s", text, again.Canonical())
	}
}

func TestCanonical(t *testing.T) {
	t.Run("SCN-04 the effective scenario reads back to an equal one, for every variant of the library", func(t *testing.T) {
		for _, name := range Names() {
			f, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range f.VariantNames() {
				s, err := f.Effective(v, nil)
				if err != nil {
					t.Fatal(err)
				}
				roundTrip(t, s)
			}
		}
	})
	t.Run("SCN-04 any text, size, duration and tool input survives the canonical form", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { roundTrip(rt, drawScenario(rt)) })
	})
	t.Run("SCN-04 tool inputs keep the key order of the file", func(t *testing.T) {
		f, err := Parse("my.yaml", []byte(strings.Replace(baseScript, "[{text: hello}]",
			`[{tools: [{name: Read, input: {z: 1, a: {y: "x", b: [1.50, true, null, "1"]}}}]}, {text: done}]`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Effective("", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.Scripts[0].Turns[0].Tools[0].Raw, `{"z":1,"a":{"y":"x","b":[1.50,true,null,"1"]}}`; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		roundTrip(t, s)
	})
}

// drawScenario makes a scripted scenario with hard values in it.
func drawScenario(t *rapid.T) *Scenario {
	s := Defaults()
	word := rapid.StringMatching(`[a-z][a-z0-9-]{0,8}`)
	hard := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "true", "12", "- a", "a: b", "#c", "a\nb\n", "\n", "tab\t", "é", "\u2028", "\U0001F600", "'", "\"", "{", "~", "null", "a #b", "x ", "\\", "%", "@", "|", "0x1", "1e3", "---"}))
	s.Name = word.Draw(t, "name")
	s.About.Why = hard.Draw(t, "why")
	s.About.LookAt = rapid.SliceOfN(hard, 0, 3).Draw(t, "look_at")
	s.About.Source = hard.Draw(t, "source")
	s.Seed = rapid.Uint64().Draw(t, "seed")
	s.Provider.Model = "claude-sonnet-4-5-20250929"
	s.Provider.Counter = "recorded"
	s.Provider.Breakpoints = Plan{Name: "explicit", Explicit: []llm.Marks{{At: []int{1, -1}}, {FromCall: 3, At: []int{2}}}}
	s.Limits.Time = vtime.Duration(rapid.Int64Range(1, int64(document.MaxDuration)).Draw(t, "time"))
	s.Project.Files.Literal = map[string]Content{"a.go": {Text: hard.Draw(t, "file")}, word.Draw(t, "path"): {Tokens: drawSize(t), Class: "code", Blocks: 3}}
	s.Main = &Root{User: &Content{Text: hard.Draw(t, "user")}, Tools: &[]string{}, Context: ptr(false), Settings: &SettingsSpec{Thinking: "adaptive"}}
	s.Main.Then = []UserStep{{After: literal(vtime.Second), Message: &Content{Bytes: 40}}, {At: ptr(vtime.Duration(time.Second)), Interrupt: true}}
	s.Scripts = []Script{{Agent: "main", Turns: []Turn{
		{Text: &Content{Text: hard.Draw(t, "text")}, Counts: map[int]int64{1: 20, -1: 40}, Output: ptr(int64(7)),
			Tools: []ToolTurn{{Name: word.Draw(t, "tool"), Raw: "{" + document.JSONText(hard.Draw(t, "key")) + ":" + document.JSONText(hard.Draw(t, "value")) + "}"}}},
		{Thinking: &Content{Tokens: drawSize(t)}, Text: &Content{}},
	}}}
	s.Provider.Latency.Queue, s.Provider.Latency.Jitter = drawSpan(t, 1), drawSpan(t, 0)
	switch j := s.Provider.Latency.Jitter; {
	case j.Literal() && j.Lo%rng.Micro != 0:
		s.Provider.Latency.Jitter = nil
	case j.Dist == nil && j.Lo == 0:
		j.Lo = j.Hi // as it is read
	}
	s.Tools.Read, s.Tools.Edit = drawSpan(t, 0), drawSpan(t, 0)
	s.Permissions.Answers = []AnswerSpec{{After: *drawSpan(t, 0), Reply: "allow"}}
	if _, err := s.Provider.Latency.Whole(); err != nil {
		t.Fatal(err)
	}
	return s
}

// drawSpan makes a time from least nanoseconds on: a literal one, or one drawn in
// microseconds.
func drawSpan(t *rapid.T, least int64) *rng.Span {
	if rapid.Bool().Draw(t, "literal") {
		return literal(vtime.Duration(rapid.Int64Range(least, 1e12).Draw(t, "ns")))
	}
	s := drawSize(t)
	if s.Lo == s.Hi || s.Lo < least {
		return literal(vtime.Hour)
	}
	return &rng.Span{Lo: s.Lo * rng.Micro, Hi: s.Hi * rng.Micro, Dist: s.Dist}
}

func drawSize(t *rapid.T) document.Size {
	lo := rapid.Int64Range(0, 1000).Draw(t, "lo")
	hi := lo + rapid.Int64Range(0, 1000).Draw(t, "span")
	s := document.Size{Lo: lo, Hi: hi, Set: true}
	shape := rng.Shape(rapid.Uint8Range(0, 4).Draw(t, "shape"))
	if shape == 0 {
		return s
	}
	s.Dist = &rng.Dist{Shape: shape, Lo: lo, Hi: hi}
	switch shape {
	case rng.Empirical:
		s.Dist.Points = []rng.Quantile{{P: 0, Value: lo}, {P: rapid.Int64Range(1, rng.Millionth-1).Draw(t, "share"), Value: hi}, {P: rng.Millionth, Value: hi}}
		return s
	case rng.Gamma:
		s.Dist.B = rapid.Int64Range(1, rng.MaxHalves).Draw(t, "halves")
	case rng.Lognormal:
		s.Dist.B = rapid.Int64Range(1, rng.MaxSigma).Draw(t, "sigma")
	}
	s.Dist.A = rapid.Int64Range(1, 100_000).Draw(t, "a")
	return s
}
