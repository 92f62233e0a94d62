package baseline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/metrics"
	"agentsim/metrics/sharedprefix"

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

// read reads runs whose events stand as lines `event …` and whose blocks stand as
// lines `block …` instead of packed.
func (s *story) read(d *datadriven.TestData, into **File) string {
	semantics := 2
	d.MaybeScanArgs(&testing.T{}, "semantics", &semantics)
	text := d.Input
	var plain []string
	blocks := map[int][]string{}
	lines := map[int][]string{}
	runs := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "variant ") {
			runs++
		}
		if event, ok := strings.CutPrefix(line, "  event "); ok {
			lines[runs] = append(lines[runs], event)
			continue
		}
		if block, ok := strings.CutPrefix(line, "  block "); ok {
			blocks[runs] = append(blocks[runs], block)
			continue
		}
		plain = append(plain, line)
	}
	f, err := Read("x.baseline", fmt.Sprintf("agentsim baseline %d\nsemantics %d\n", Version, semantics)+strings.Join(plain, "\n"))
	if err != nil {
		return err.Error()
	}
	for i, r := range f.Runs {
		r.Lines = lines[i+1]
		if blocks[i+1] == nil {
			continue
		}
		if r.Outline, err = sharedprefix.ParseOutline(blocks[i+1]); err != nil {
			return err.Error()
		}
	}
	*into = f
	return ""
}

// causes prints where what differs comes from.
func (s *story) causes() string {
	var out strings.Builder
	words := [...]string{"same", "other", "not said"}
	for _, v := range Compare(s.base, s.now, nil, nil).Variants {
		c := v.Cause
		if c == nil {
			fmt.Fprintf(&out, "%s: nothing differs\n", v.Name())
			continue
		}
		fmt.Fprintf(&out, "%s: spec %s, tool %d, prices %s %s\n", v.Name(), words[c.Spec], c.Tool, words[c.Priced], strings.Join(c.Prices, "; "))
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
	limits, err := ReadThresholds("limits", input)
	if err != nil {
		return err.Error()
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
					r.Figures = []Figure{{"cost", metrics.Whole(rapid.Int64().Draw(t, "cost"), metrics.Picodollars)},
						{"cache.hit_ratio", metrics.Value{Num: 1, Den: rapid.Int64Range(1, 9).Draw(t, "den"), Unit: metrics.Ratio}}}
					r.Siblings = []metrics.Shared{{Who: "main#1", Siblings: 2, Block: 3, Byte: 4, Of: 5}}
					r.Parted = []metrics.Shared{{Who: "main#2", Block: 3, Byte: 4, Of: 5}}
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
		if first.String() != second.String() || len(g.Runs) != len(f.Runs) || len(g.Runs) > 0 && fmt.Sprint(g.Runs[0].Outline) != fmt.Sprint(f.Runs[0].Outline) {
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
	const good = "agentsim baseline 1\nsemantics 2\n\nscenario hello seed 42\nvariant -\n  run 9c1e digest d00d events 1 outcome completed\n  cost 5 picodollars\n"
	rapid.Check(t, func(t *rapid.T) {
		text := good + rapid.StringMatching(`([a-z|]{1,9} ?[-0-9a-zA-Z/=]{0,9} ?[a-z0-9]{0,9}\n){0,6}`).Draw(t, "rest")
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		f, err := Read("x", text[:cut])
		var e *Error
		if err == nil {
			if f.Semantics != 2 {
				t.Fatalf("read %+v of %q", f, text[:cut])
			}
			return
		}
		if e, _ = err.(*Error); e == nil || e.Line < 1 || e.Col < 1 || !strings.Contains(e.Error(), "^") {
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
		if got := cut(in); got != want {
			t.Errorf("cut(%s) = %s, want %s", in, got, want)
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
