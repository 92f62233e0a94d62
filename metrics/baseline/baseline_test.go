package baseline

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/metrics"
	"agentsim/metrics/sharedprefix"
	"agentsim/scenarios/document"
	"agentsim/sim/transcript"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"
)

// TestStories runs testdata/*.txt: a baseline and runs in the baseline's own
// form, thresholds, and what the comparison says.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, name string) {
		s := &story{}
		datadriven.RunTest(t, name, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "baseline":
				return s.read(d, &s.base)
			case "runs":
				return s.read(d, &s.now)
			case "compare":
				return s.compare(d.Input)
			case "causes":
				return s.causes()
			case "broken":
				_, err := Read("x.baseline", d.Input)
				return fmt.Sprint(err)
			case "threshold":
				return s.threshold(d.Input)
			}
			t.Fatalf("%s: no command %q", d.Pos, d.Cmd)
			return ""
		})
	})
}

type story struct{ base, now *File }

// read reads runs as stories write them, a line for each thing.
func (s *story) read(d *datadriven.TestData, into **File) string {
	f, group := &File{Semantics: 2}, &Run{}
	d.MaybeScanArgs(&testing.T{}, "semantics", &f.Semantics)
	var r *Run
	for line := range strings.SplitSeq(d.Input, "\n") {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		number := func(i int) int64 {
			n, err := strconv.ParseInt(w[i], 10, 64)
			if err != nil {
				panic(d.Pos + ": " + line)
			}
			return n
		}
		switch w[0] {
		case "scenario":
			group = &Run{Scenario: w[1], Seed: uint64(number(3))}
		case "variant":
			r = &Run{Scenario: group.Scenario, Seed: group.Seed, Variant: w[1], Figures: map[string]metrics.Value{}}
			f.Runs = append(f.Runs, r)
		case "run":
			r.ID, r.Digest, r.Events, r.Outcome = w[1], w[3], int(number(5)), transcript.RunOutcome(w[7])
		case "spec":
			r.Spec = w[1]
		case "prices":
			r.Prices = append(r.Prices, Price{w[1], w[2], w[3:]})
		case "event":
			r.Lines = append(r.Lines, strings.TrimPrefix(strings.TrimSpace(line), "event "))
		case "block":
			if r.Outline == nil {
				r.Outline = &sharedprefix.Outline{}
			}
			if w[1] == "=" {
				r.Outline.Ends = append(r.Outline.Ends, int(number(2)))
				break
			}
			back := int(number(1))
			p := sharedprefix.Part{Before: len(r.Outline.Parts) - back, Level: w[2], Tokens: number(3), Sum: w[4], What: strings.Join(w[5:], " ")}
			if back == 0 {
				p.Before = -1
			}
			r.Outline.Parts = append(r.Outline.Parts, p)
		default:
			var v metrics.Value
			if err := v.UnmarshalJSON([]byte(w[1])); err != nil {
				panic(err)
			}
			v.Unit = metrics.Unit(w[2])
			r.Figures[w[0]] = v
		}
	}
	*into = f
	return ""
}

// causes prints where what differs comes from.
func (s *story) causes() string {
	var out strings.Builder
	words := map[bool]string{false: "same", true: "other"}
	for _, v := range Compare(s.base, s.now, nil, nil).Variants {
		c := v.Cause
		if c == nil {
			fmt.Fprintf(&out, "%s: nothing differs\n", v.Name())
			continue
		}
		fmt.Fprintf(&out, "%s: spec %s, tool %d, prices %s %s\n", v.Name(), words[c.Spec], c.Tool, words[c.Prices != nil], strings.Join(c.Prices, "; "))
	}
	return out.String()
}

func (s *story) threshold(text string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		t, err := ParseThreshold(line)
		if err != nil {
			fmt.Fprintln(&out, err)
			continue
		}
		fmt.Fprintf(&out, "%s: ok\n", t.Text)
	}
	return out.String()
}

// compare prints what became of every variant. The input is thresholds.
func (s *story) compare(input string) string {
	var limits []*Threshold
	for line := range strings.Lines(input) {
		t, err := ParseThreshold(line)
		if err != nil {
			return err.Error()
		}
		limits = append(limits, t)
	}
	var gone []*Run
	if s.base != nil {
		for _, r := range s.base.Runs {
			if !slices.ContainsFunc(s.now.Runs, func(x *Run) bool { return x.Name() == r.Name() }) {
				gone = append(gone, r)
			}
		}
	}
	var out strings.Builder
	for _, v := range Compare(s.base, s.now, gone, limits).Variants {
		fmt.Fprintf(&out, "%s: %s\n", v.Name(), v.Verdict)
		if v.Note != "" {
			fmt.Fprintf(&out, "  %s\n", v.Note)
		}
		for _, c := range v.Changes {
			fmt.Fprintf(&out, "  %s %s → %s: %s", c.Name, text(c.Before), text(c.After), c.Verdict)
			if c.Interval != nil {
				fmt.Fprintf(&out, ", in %d seeds, by %.0f … %.0f", c.Seeds, c.Interval.Low, c.Interval.High)
			}
			for _, t := range c.Missed {
				fmt.Fprintf(&out, ", missed %s", t.Text)
			}
			for _, t := range c.Unheld {
				fmt.Fprintf(&out, ", nothing to hold against %s", t.Text)
			}
			for _, t := range c.Allowed {
				fmt.Fprintf(&out, ", met %s", t.Text)
			}
			out.WriteString("\n")
		}
		for _, line := range v.Shorter {
			fmt.Fprintf(&out, "  %s\n", line)
		}
		if v.First != nil {
			fmt.Fprintf(&out, "  seed %d: %s\n  %s\n", v.Seed, v.First, v.Where)
		}
		if v.Unkept {
			fmt.Fprintf(&out, "  seed %d: events not kept\n", v.Seed)
		}
	}
	return out.String()
}

func text(v *metrics.Value) string {
	if v == nil {
		return "none"
	}
	return v.String()
}

func TestConformance(t *testing.T) {
	t.Run("CLI-05 a baseline that is read and written again is the same bytes, events included", roundTrip)
	t.Run("CLI-05 whatever stands in a baseline, reading it gives a located error or a baseline, and never panics", hostile)
	t.Run("CLI-05 of an event hashes are cut to eight digits, numbers and words are left whole", cuts)
	t.Run("CLI-05 runs of other semantics than the baseline's are told as that", otherSemantics)
	t.Run("CLI-05 a limit is exact arithmetic on the baseline's figure, also where it is negative or large", limits)
}

func roundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &File{Semantics: rapid.IntRange(1, 9).Draw(t, "semantics")}
		for i := range rapid.IntRange(0, 3).Draw(t, "scenarios") {
			for seed := range uint64(2) {
				for _, v := range []string{"", "fork", "two words[a=1 2]"} {
					r := &Run{Scenario: fmt.Sprintf("s %d%%", i), Variant: v, Seed: seed, ID: "9c1e", Digest: "d00d", Outcome: "completed"}
					r.Figures = map[string]metrics.Value{"cost": metrics.Whole(rapid.Int64().Draw(t, "cost"), metrics.Picodollars),
						"cache.hit_ratio": {Num: 1, Den: rapid.Int64Range(1, 9).Draw(t, "den"), Unit: metrics.Ratio}}
					r.Spec, r.Prices = "5bec", []Price{{"claude-x", "2026-11-10", []string{"input=$2", "read=$0.10"}}}
					if seed == 0 {
						r.Lines = rapid.SliceOfN(rapid.StringMatching(`[a-z =0-9]{1,20}`), 1, 5).Draw(t, "lines")
						r.Events = len(r.Lines)
						r.Outline = drawOutline(t)
					}
					f.Runs = append(f.Runs, r)
				}
			}
		}
		var first, second strings.Builder
		if err := f.Write(&first); err != nil {
			t.Fatal(err)
		}
		g, err := Read("x", first.String())
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Write(&second); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() || len(g.Runs) != len(f.Runs) || len(g.Runs) > 0 && (fmt.Sprint(g.Runs[0].Outline) != fmt.Sprint(f.Runs[0].Outline) || !maps.Equal(g.Runs[0].Figures, f.Runs[0].Figures)) {
			t.Fatalf("written:\n%s\nand again:\n%s", first.String(), second.String())
		}
	})
}

// drawOutline is an outline in the order in which a sink enters blocks: those of a
// request behind those that it shares with one before.
func drawOutline(t *rapid.T) *sharedprefix.Outline {
	o := &sharedprefix.Outline{}
	for i := range rapid.IntRange(1, 4).Draw(t, "requests") {
		for j := range rapid.IntRange(1, 3).Draw(t, "blocks") {
			before := len(o.Parts) - 1
			if j == 0 && i > 0 {
				before = rapid.IntRange(-1, len(o.Parts)-1).Draw(t, "before")
			}
			o.Parts = append(o.Parts, sharedprefix.Part{Before: before, Level: "messages", What: "user text", Tokens: int64(j), Sum: "0a1b2c"})
		}
		o.Ends = append(o.Ends, len(o.Parts)-1)
	}
	return o
}

func hostile(t *testing.T) {
	const good = `{"agentsim_baseline": 3, "semantics": 2, "scenarios": [{"scenario": "hello", "seed": 42, "variants": [
 {"variant": "", "run": "9c1e", "digest": "d00d", "outcome": "completed", "events": 1, "figures": {"cost": 5}}], "packed": "SywoAAA="}]}`
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(good)
		for range rapid.IntRange(0, 3).Draw(t, "times") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("0123456789-,:{}[]\"x\n")).Draw(t, "byte")
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		f, err := Read("x", string(text[:cut]))
		if err == nil {
			if f.Semantics < 1 {
				t.Fatalf("read %+v of %q", f, text[:cut])
			}
			return
		}
		if e := (*document.Error)(nil); !strings.HasPrefix(err.Error(), "x:") || errors.As(err, &e) && (e.Line < 1 || e.Col < 1 || !strings.Contains(e.Error(), "^")) {
			t.Fatalf("%q: %v", text[:cut], err)
		}
	})
}

func cuts(t *testing.T) {
	for in, want := range map[string]string{
		"request head=7d536b3bb9270578ed139791aa61d63b blocks=5": "request head=7d536b3b blocks=5",
		"id=toolu_bde8a19564d9709e4970080c name=Read":            "id=toolu_bde8a195 name=Read",
		"id=ac7deda17dd7dff30 lineage=main":                      "id=ac7deda1 lineage=main",
		"cost=12345678901234567890 at 123456789.000000000s cafe": "cost=12345678901234567890 at 123456789.000000000s cafe",
		"why=\"deadbeefdeadbeefdeadbeefzz\" dead":                "why=\"deadbeef" + "zz\" dead",
	} { // order: each is a case of its own
		if got := Cut(in); got != want {
			t.Errorf("Cut(%s) = %s, want %s", in, got, want)
		}
	}
}

func limits(t *testing.T) {
	pd := func(n int64) *metrics.Value { v := metrics.Whole(n, metrics.Picodollars); return &v }
	for _, c := range []struct {
		limit         string
		before, after *metrics.Value
		want          bool
	}{
		{"cost <= +2%", pd(1_000_000_000_000_000_000), pd(1_020_000_000_000_000_000), true},
		{"cost <= +2%", pd(1_000_000_000_000_000_000), pd(1_020_000_000_000_000_001), false},
		{"cost <= base-10%", pd(100), pd(90), true},
		{"cost <= base-10%", pd(100), pd(91), false},
		{"cost <= base", pd(100), pd(100), true},
		{"cost < base", pd(100), pd(100), false},
		{"cost <= base+$0.01", pd(0), pd(10_000_000_000), true},
		{"cost <= base+$0.01", pd(0), pd(10_000_000_001), false},
		{"cost >= base", pd(3), pd(2), false},
		{"cost == base", pd(3), pd(3), true},
		{"cost != base", pd(3), pd(3), false},
		{"cost > $1", pd(3), pd(2_000_000_000_000), true},
		{"cost <= +0%", nil, pd(5), false},
		{"cost <= +10%", pd(-100), pd(-90), true},
		{"cost <= +10%", pd(-100), pd(-89), false},
		{"cost >= base-10%", pd(-100), pd(-110), true},
		{"cost >= base-10%", pd(-100), pd(-111), false},
	} {
		l, err := ParseThreshold(c.limit)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Met(*c.after, c.before); got != c.want {
			t.Errorf("%s: %v to %v: %v", c.limit, c.before, c.after, got)
		}
	}
}

func otherSemantics(t *testing.T) {
	run := []*Run{{Scenario: "s", Digest: "d", Outcome: "completed"}}
	for base, want := range map[int]int{2: 2, 3: 0} { // order: each is a case of its own
		if got := Compare(&File{Semantics: base, Runs: run}, &File{Semantics: 3, Runs: run}, nil, nil).Other; got != want {
			t.Errorf("a baseline of semantics %d against 3: %d, want %d", base, got, want)
		}
	}
}

func TestThresholdPaths(t *testing.T) {
	t.Run("LANG-08 a threshold's path names a variant, all, a pattern or a cell of a matrix", func(t *testing.T) {
		names := []string{"", "fork", "fork[at=0.5,reads_per_turn=4]", "inline"}
		for text, want := range map[string]string{
			"cost <= 1": " fork fork[at=0.5,reads_per_turn=4] inline", "all.cost <= 1": " fork fork[at=0.5,reads_per_turn=4] inline",
			"fork.cost <= 1": "fork", "fork*.cost <= 1": "fork fork[at=0.5,reads_per_turn=4]", "fork[at=0.5,reads_per_turn=4].cost <= 1": "fork[at=0.5,reads_per_turn=4]",
			"s: inline.cost <= 1": "inline", "t, s*: inline.cost <= 1": "inline", "t: inline.cost <= 1": "",
		} {
			x, err := ParseThreshold(strings.Replace(text, "<= 1", "<= $1", 1))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, name := range names {
				if x.Matches("s", name) {
					got = append(got, name)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s holds for %q, want %s", text, got, want)
			}
		}
	})
}
