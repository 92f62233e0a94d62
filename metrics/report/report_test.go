package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Quantity(0), "0"}, {Quantity(999), "999"}, {Quantity(1000), "1.00 k"}, {Quantity(9994), "9.99 k"},
		{Quantity(9995), "10.0 k"}, {Quantity(99_949), "99.9 k"}, {Quantity(99_950), "100 k"}, {Quantity(999_499), "999 k"},
		{Quantity(999_500), "1.00 M"}, {Quantity(2_910_000), "2.91 M"}, {Quantity(-1500), "-1.50 k"},
		{Quantity(999_600_000_000), "1000 G"},
		{Money(0), "$0.00"}, {Money(1_600_000_000_000), "$1.60"}, {Money(1_599_999_999_999), "$1.60"}, {Money(42_000_000_00), "$0.0042"},
		{Money(-1_600_000_000_000), "-$1.60"}, {Money(99_999_000_000), "$0.1000"},
		{Time(0), "0ms"}, {Time(250 * vtime.Millisecond), "250ms"}, {Time(12340 * vtime.Millisecond), "12.3s"},
		{Time(9*vtime.Minute + 12*vtime.Second), "9m12s"}, {Time(3*vtime.Hour + vtime.Second), "3h00m01s"},
		{Percent(959, 1000), "95.9 %"}, {Percent(1, 3), "33.3 %"}, {Percent(0, 0), "–"}, {Percent(-1, 2), "-50.0 %"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func sample() []Row {
	inline := &metrics.Run{Outcome: "completed", Started: 1, Makespan: 552 * vtime.Second, Items: metrics.Outcomes{Done: 9, Total: 9}}
	inline.Total = metrics.Tally{Calls: 38, Cost: 1_600_000_000_000,
		Usage: llm.Usage{Input: 1100, Write5m: 118_000, Read: 2_790_000, Output: 21_000}}
	inline.Models = []metrics.Model{{Name: "m", Cost: metrics.Parts{Written: 500_000_000_000, Read: 1_100_000_000_000}}}
	fork := &metrics.Run{Outcome: "completed", Started: 9, Makespan: 138 * vtime.Second, Items: metrics.Outcomes{Done: 9, Total: 9}}
	fork.Total = metrics.Tally{Calls: 64, WakeUps: 8, WakeUpTokens: 490_000, WakeUpCost: 300_000_000_000, Cost: 1_910_000_000_000,
		Usage: llm.Usage{Input: 1600, Write5m: 109_000, Read: 3_740_000, Output: 25_000}}
	fork.Total.Misses[llm.MissLookBack] = metrics.Missed{Calls: 1, Lost: 61_402}
	fork.Models = []metrics.Model{{Name: "m", Cost: metrics.Parts{Written: 450_000_000_000, Read: 1_460_000_000_000}}}
	return []Row{{Variant: "inline", Run: inline}, {Variant: "fork", Run: fork}}
}

func TestCompare(t *testing.T) {
	var b strings.Builder
	if err := Comparison(sample(), columnSets["default"]).write(&b, Style{}, ""); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n")
	if err := Misses(sample()).write(&b, Style{}, ""); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n" + strings.Join(Why(sample()), "\n") + "\n")
	b.WriteString(strings.Join(Texts(WakeUps(sample())), "\n") + "\n")
	want := `VARIANT  AGENTS  CALLS  PROMPT  CACHE READ  CACHE WRITE  UNCACHED  OUTPUT  HIT RATE   COST   TIME  RE-INVOCATIONS  DONE
inline        1     38  2.91 M      2.79 M        118 k    1.10 k  21.0 k    95.9 %  $1.60  9m12s               0   9/9
fork          9     64  3.85 M      3.74 M        109 k    1.60 k  25.0 k    97.1 %  $1.91  2m18s      8 × 61.3 k   9/9

VARIANT  MISS REASON  CALLS  TOKENS WRITTEN AGAIN
fork     look-back        1                61.4 k

fork costs $0.31 more than inline: cache read +$0.36, cache write -$0.05
fork paid $0.30 for the prompts of 8 re-invocations at 61.3 k tokens of prefix on average, 15.7 % of its bill
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestColourOnlyUnderlines(t *testing.T) {
	var plain, color strings.Builder
	if err := Comparison(sample(), columnSets["default"]).write(&plain, Style{}, ""); err != nil {
		t.Fatal(err)
	}
	if err := Comparison(sample(), columnSets["default"]).write(&color, Style{Color: true}, ""); err != nil {
		t.Fatal(err)
	}
	stripped := strings.NewReplacer("\x1b[1m", "", "\x1b[32m", "", "\x1b[0m", "").Replace(color.String())
	if stripped != plain.String() || color.String() == plain.String() {
		t.Errorf("colour changes more than the looks:\n%q\n%q", plain.String(), color.String())
	}
}

func TestNothingIsSaidOfUnknownBills(t *testing.T) {
	rows := sample()
	rows[0].Run.Models = append(rows[0].Run.Models, metrics.Model{Name: "other", Unpriced: true})
	if got := Why(rows); got != nil {
		t.Errorf("Why = %q for a bill that is not known", got)
	}
	if got := cost(rows[0].Run).String(); got != "?" {
		t.Errorf("cost = %q, want ?", got)
	}
	if got := Why(sample()[:1]); got != nil {
		t.Errorf("Why = %q for one variant", got)
	}
}

func TestConformance(t *testing.T) {
	t.Run("CLI-03 why a bill differs leaves out what prints as nothing or is under a hundredth of the difference", smallParts)
	t.Run("CLI-03 only variants that finished and did as much of the same work are compared by their bills", sameWorkOnly)
	t.Run("CLI-03 variants with work of another size are compared among themselves", sizes)
	t.Run("CLI-03 a bill less than a hundredth above the cheapest is not explained, an equal one is told", smallDifferences)
	t.Run("CLI-03 where variants have other models, the price of their tokens comes first, and the parts are what other amounts cost", otherModels)
	t.Run("CLI-03 REPO-09 so where variants pay other prices for one model", otherPrices)
	t.Run("CLI-03 where another variant would be the cheapest had no call missed, that is told", missesDecide)
	t.Run("CLI-03 what misses are of the writes is told as what was paid for again", paidAgain)
	t.Run("CLI-03 calls that read what had nearly expired are told from one per cent of a known bill on", nearMisses)
	t.Run("CON-17 what wake-ups cost is told from one per cent of a known bill on", cheapWakeUps)
	t.Run("TRI-07 of remarks that variants have in common the two that weigh most are told", loudest)
}

func smallParts(t *testing.T) {
	// The difference is a dollar; a cent of it counts, less does not.
	bill := func(written, read, output cachemodel.Picodollars) metrics.Parts {
		return metrics.Parts{Written: written, Read: read, Output: output}
	}
	const cent = 10_000_000_000
	for _, c := range []struct {
		b    metrics.Parts
		want string
	}{
		{bill(99*cent, cent, 0), "cache write +$0.99, cache read +$0.01"},
		{bill(101*cent-1, 0, -cent+1), "cache write +$1.01"},
		{bill(40_000_000, 0, 0), ""},
		{bill(cent, -cent, 0), "cache write +$0.0100, cache read -$0.0100"},
		{bill(35*cent, -20*cent, -8*cent+1), "cache write +$0.3500, cache read -$0.2000, output -$0.0800"},
		{bill(15*cent, cent/2-1, 0), "cache write +$0.15"},
	} {
		if got := parts(metrics.Parts{}, c.b); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func smallDifferences(t *testing.T) {
	const bill = 1_000_000_000_000 // a dollar
	for _, c := range []struct {
		more cachemodel.Picodollars
		want string
	}{
		{0, "fork costs the same as inline"},
		{1, ""},
		{bill/100 - 1, ""},
		{bill / 100, "fork costs $0.0100 more than inline: cache read +$0.0100"},
	} {
		rows := sample()
		for i, read := range []cachemodel.Picodollars{bill, bill + c.more} {
			rows[i].Run.Total.Cost = read
			rows[i].Run.Models = []metrics.Model{{Name: "m", Cost: metrics.Parts{Read: read}}}
		}
		if got := strings.Join(Why(rows), "\n"); got != c.want {
			t.Errorf("%d more: got %q, want %q", c.more, got, c.want)
		}
	}
}

func sizes(t *testing.T) {
	rows := append(sample(), sample()...)
	for _, r := range rows[2:] {
		r.Run.Items = metrics.Outcomes{Done: 2, Total: 2}
	}
	rows[2].Variant, rows[3].Variant = "small-inline", "small-fork"
	rows[2].Run.Total.Cost = rows[0].Run.Total.Cost / 2
	const want = "fork costs $0.31 more than inline: cache read +$0.36, cache write -$0.05\nsmall-fork costs $1.11 more than small-inline: cache read +$0.36, cache write -$0.05"
	if got := strings.Join(Why(rows), "\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func otherModels(t *testing.T) {
	rows := sample()
	is := func(i int, name string, written, read cachemodel.Picodollars) {
		run := rows[i].Run
		run.Models = []metrics.Model{{Name: name, Cost: metrics.Parts{Written: written, Read: read}}}
		run.Total.Cost = written + read
	}
	// At 4 and 0.2 dollars a million, where the other has half of that: fewer are written.
	is(0, "small", 118_000*2_000_000, 2_790_000*100_000)
	is(1, "large", 109_000*4_000_000, 3_740_000*200_000)
	const dearer = "fork costs $0.67 more than inline: its tokens are dearer +$0.52 (large; inline has small), cache read +$0.19, cache write -$0.04"
	if got := strings.Join(Why(rows), "\n"); got != dearer {
		t.Errorf("got %q, want %q", got, dearer)
	}
	is(0, "large", 118_000*2_000_000, 2_790_000*100_000)
	is(1, "small", 318_000*1_900_000, 3_740_000*90_000)
	rows[1].Run.Total.Usage.Write5m = 318_000
	const cheaper = "fork costs $0.43 more than inline: its tokens are cheaper -$0.07 (small; inline has large), cache write +$0.40, cache read +$0.10"
	if got := strings.Join(Why(rows), "\n"); got != cheaper {
		t.Errorf("got %q, want %q", got, cheaper)
	}
}

func otherPrices(t *testing.T) {
	rows := sample()
	for i, price := range []int64{2, 3} {
		run := rows[i].Run
		run.Total.Usage = llm.Usage{Read: 1_000_000, Write5m: 100_000}
		run.Models = []metrics.Model{{Name: "m", Prices: fmt.Sprint("write=$", price), Usage: run.Total.Usage,
			Cost: metrics.Parts{Written: cachemodel.Picodollars(100_000 * price * 1_000_000), Read: cachemodel.Picodollars(1_000_000 * price * 100_000)}}}
		run.Total.Cost = run.Models[0].Cost.Total()
	}
	const want = "fork costs $0.20 more than inline: its tokens are dearer +$0.20 (m at other prices than inline has)"
	if got := strings.Join(Why(rows), "\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rows[1].Run.Models[0].Prices = rows[0].Run.Models[0].Prices
	if got := strings.Join(Why(rows), "\n"); strings.Contains(got, "prices") {
		t.Errorf("got %q", got)
	}
}

// missesDecide has fork cost 31 cents more than inline, with one miss.
func missesDecide(t *testing.T) {
	const cent = 10_000_000_000
	for _, c := range []struct {
		fork, inline cachemodel.Picodollars // what misses cost
		done         int64                  // items of fork's nine
		want         string
	}{
		{31 * cent, 0, 9, ""},
		{32 * cent, 0, 9, "misses decide which is the cheapest: without its 1 miss (look-back) fork would cost $1.59, and inline $1.60"},
		{32 * cent, cent, 9, ""},
		{41 * cent, 4 * cent, 9, "misses decide which is the cheapest: without its 1 miss (look-back) fork would cost $1.50, and inline without its own $1.56"},
		{32 * cent, 0, 8, ""},
	} {
		rows := sample()
		rows[1].Run.Total.Misses[llm.MissLookBack].Cost, rows[1].Run.Items.Done = c.fork, c.done
		rows[0].Run.Total.Misses[llm.MissExpired] = metrics.Missed{Cost: c.inline}
		if c.inline > 0 {
			rows[0].Run.Total.Misses[llm.MissExpired].Calls = 1
		}
		got := ""
		for _, line := range Why(rows) {
			if strings.HasPrefix(line, "misses") {
				got = line
			}
		}
		if got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

func paidAgain(t *testing.T) {
	rows := sample()
	rows[1].Run.Total.Usage.Write5m = 218_000
	const want = "; it writes 100 k tokens more, and misses made it pay for 61.4 k again (look-back: 1 call more)"
	if got := Why(rows)[0]; !strings.HasSuffix(got, want) {
		t.Errorf("got %q", got)
	}
}

func nearMisses(t *testing.T) {
	rows := sample()
	near := metrics.Narrow{Calls: 2, Cost: 16_000_000_000, Left: 25 * vtime.Second, Life: 5 * vtime.Minute, Lineage: "main", Number: 101}
	rows[0].Run.Narrow = near
	const want = "inline had 2 calls read the cache in the last tenth of a TTL, closest to expiry 25.0s before 5m00s were over (main, call 101); too late, they would have cost $0.0160 more"
	if got := strings.Join(Texts(NearMisses(rows)), "\n"); got != want {
		t.Errorf("got %q", got)
	}
	other := 0
	if rows[1].Run.Total.Cost < rows[0].Run.Total.Cost {
		other = 1
	}
	rows[0].Run.Narrow, rows[other].Run.Narrow = metrics.Narrow{}, near
	rows[other].Run.Narrow.Cost = 3 * (rows[0].Run.Total.Cost + rows[1].Run.Total.Cost)
	if got, end := strings.Join(Texts(NearMisses(rows)), "\n"), ", and "+variantName(rows[1-other])+" would be the cheapest"; !strings.HasSuffix(got, end) {
		t.Errorf("got %q, want the end %q", got, end)
	}
	rows[other].Run.Narrow, rows[0].Run.Narrow = metrics.Narrow{}, near
	rows[0].Run.Narrow.Cost--
	if got := Texts(NearMisses(rows)); got != nil {
		t.Errorf("less than one per cent: %q", got)
	}
	rows[0].Run.Narrow = near
	rows[0].Run.Models[0].Unpriced = true
	if got := Texts(NearMisses(rows)); got != nil {
		t.Errorf("a bill that is not known: %q", got)
	}
}

func cheapWakeUps(t *testing.T) {
	rows := sample()
	rows[1].Run.Total.WakeUpCost = 19_000_000_000
	if got := Texts(WakeUps(rows)); got != nil {
		t.Errorf("WakeUps = %q", got)
	}
	rows = sample()
	rows[1].Run.Models[0].Unpriced = true
	if got := Texts(WakeUps(rows)); got != nil {
		t.Errorf("WakeUps = %q for a bill that is not known", got)
	}
}

// sameWorkOnly changes one thing at a time about a run that costs 31 cents more
// than another; what is compared with it costs 31 cents more still.
func sameWorkOnly(t *testing.T) {
	root := func(name string, status transcript.Ending) []metrics.Agent {
		return []metrics.Agent{{Lineage: name, Parent: -1, Status: status}, {Lineage: name + "/1.1", Status: "failed"}}
	}
	for _, c := range []struct {
		name   string
		change func(inline, fork *metrics.Run)
		want   string
	}{
		{"nothing", func(_, _ *metrics.Run) {}, "fork costs $0.31 more than inline: cache read +$0.36, cache write -$0.05"},
		{"fewer done", func(_, fork *metrics.Run) { fork.Items.Done = 8 }, ""},
		{"the cheap one did fewer", func(inline, _ *metrics.Run) { inline.Items.Done = 8 }, ""},
		{"none did all", func(inline, fork *metrics.Run) { inline.Items.Done, fork.Items.Done = 8, 8 }, "no bills are compared: no variant did all of the work"},
		{"both met a limit", func(inline, fork *metrics.Run) { inline.Outcome, fork.Outcome = "limit", "limit" }, "no bills are compared: no variant did all of the work"},
		{"other items", func(_, fork *metrics.Run) { fork.Items.Total = 10 }, ""},
		{"a limit", func(_, fork *metrics.Run) { fork.Outcome = "limit" }, ""},
		{"the cheap one met a limit", func(inline, _ *metrics.Run) { inline.Outcome = "limit" }, ""},
		{"a failed root", func(_, fork *metrics.Run) { fork.Agents = root("main", "failed") }, ""},
		{"a root out of turns", func(_, fork *metrics.Run) { fork.Agents = root("main", "max_turns") }, ""},
		{"other roots, items", func(inline, fork *metrics.Run) {
			inline.Agents, fork.Agents = root("a", "completed"), root("b", "completed")
		}, "fork costs $0.31 more than inline: cache read +$0.36, cache write -$0.05"},
		{"other roots, no items", func(inline, fork *metrics.Run) {
			inline.Items, fork.Items = metrics.Outcomes{}, metrics.Outcomes{}
			inline.Agents, fork.Agents = root("a", "completed"), root("b", "completed")
		}, ""},
		{"the same bill", func(inline, fork *metrics.Run) {
			fork.Total.Cost, fork.Models = inline.Total.Cost, inline.Models
		}, "fork costs the same as inline"},
	} {
		rows := sample()
		c.change(rows[0].Run, rows[1].Run)
		if got := strings.Join(Why(rows), "\n"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// loudest: of four remarks of one kind the two that weigh most are told, of three all.
func loudest(t *testing.T) {
	list := []Remark{{"a", 1}, {"b", 9}, {"c", 3}, {"d", 9}}
	if got := Loudest(list, ": there"); !slices.Equal(got, []string{"b", "d", "2 more variants have as much of this or less: there"}) {
		t.Error(got)
	}
	if got := Loudest(list[:3], ": there"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Error(got)
	}
}
