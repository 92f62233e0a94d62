package cachemodel_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
)

func TestTariff(t *testing.T) {
	t.Run("CACHE-42 batch halves and US inference adds a tenth to every rate, and both multiply, exactly for every model", multiplies)
	t.Run("CACHE-42 a bill under a tariff is the list bill times its factors, to the picodollar", rapid.MakeCheck(tariffLaw))
	t.Run("CACHE-42 fast mode has rates of its own on Opus 4.8, 5 and 5.5, and a batch excludes it", fastMode)
	t.Run("CACHE-42 US inference is priced from Claude 4.6 on and refused before", byRegion)
	t.Run("CACHE-43 above 100,000 tokens Haiku 5.5 costs five times as much, under any tariff, and no other model costs more", longPrompts)
	t.Run("CACHE-18 the platforms have names, and the minimums of Bedrock stand beside the others", platforms)
	t.Run("CACHE-44 tokens read count towards the limit on Haiku 3.5 alone", limited)
}

// models are the profiles of the table.
func models(t interface{ Fatal(...any) }) []*cachemodel.Profile {
	var out []*cachemodel.Profile
	for _, id := range cachemodel.Models() {
		p, err := cachemodel.Lookup(id)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func list(r cachemodel.Rates) [5]cachemodel.Picodollars {
	return [5]cachemodel.Picodollars{r.Input, r.Write5m, r.Write1h, r.Read, r.Output}
}

func multiplies(t *testing.T) {
	for _, p := range models(t) {
		for _, c := range []struct {
			tariff cachemodel.Tariff
			n, d   cachemodel.Picodollars
		}{
			{cachemodel.Tariff{}, 1, 1}, {cachemodel.Tariff{Batch: true}, 1, 2},
			{cachemodel.Tariff{US: true}, 11, 10}, {cachemodel.Tariff{Batch: true, US: true}, 11, 20},
		} {
			if c.tariff.US && !p.PricedByRegion {
				continue
			}
			q, err := p.Under(c.tariff)
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range [][2]cachemodel.Rates{{p.Rates, q.Rates}, {p.Above, q.Above}} {
				was, is := list(pair[0]), list(pair[1])
				for i := range was {
					if is[i]*c.d != was[i]*c.n {
						t.Errorf("%s, %v: rate %d is %d, was %d", p.ID, c.tariff, i, is[i], was[i])
					}
				}
			}
		}
	}
}

func tariffLaw(t *rapid.T) {
	p := rapid.SampledFrom(models(t)).Draw(t, "model")
	tariff := cachemodel.Tariff{Batch: rapid.Bool().Draw(t, "batch"), US: p.PricedByRegion && rapid.Bool().Draw(t, "us")}
	q, err := p.Under(tariff)
	if err != nil {
		t.Fatal(err)
	}
	n := rapid.Int64Range(0, 500_000)
	u := llm.Usage{Input: n.Draw(t, "input"), Write5m: n.Draw(t, "5m"), Write1h: n.Draw(t, "1h"), Read: n.Draw(t, "read"), Output: n.Draw(t, "output")}
	want := p.Cost(u)
	if tariff.US {
		want = want / 10 * 11
	}
	if tariff.Batch {
		want /= 2
	}
	if got := q.Cost(u); got != want {
		t.Fatalf("%s, %v: %+v costs %d, want %d", p.ID, tariff, u, got, want)
	}
}

func fastMode(t *testing.T) {
	want := map[string][2]cachemodel.Picodollars{"claude-opus-4-8": {10_000_000, 50_000_000}, "claude-opus-5": {10_000_000, 50_000_000},
		"claude-opus-5-5": {8_000_000, 40_000_000}}
	for _, p := range models(t) {
		q, err := p.Under(cachemodel.Tariff{Fast: true})
		rate, has := want[p.ID]
		if (err == nil) != has {
			t.Errorf("%s: %v", p.ID, err)
		}
		if !has || err != nil {
			continue
		}
		if q.Rates.Input != rate[0] || q.Rates.Output != rate[1] || q.Rates.Write5m*4 != rate[0]*5 || q.Rates.Write1h != rate[0]*2 ||
			q.Rates.Read*p.Rates.Input != p.Rates.Read*rate[0] {
			t.Errorf("%s: %+v", p.ID, q.Rates)
		}
		if strings.Contains(q.Source, "third party") != (p.ID == "claude-opus-5-5") {
			t.Errorf("%s: the source of its fast rates is %q", p.ID, q.Source)
		}
		if _, err := p.Under(cachemodel.Tariff{Fast: true, Batch: true}); err == nil || !strings.Contains(err.Error(), "exclude each other") {
			t.Errorf("%s: fast in a batch: %v", p.ID, err)
		}
	}
}

func byRegion(t *testing.T) {
	for _, p := range models(t) {
		old := p.ID == "claude-mythos-preview" || strings.HasSuffix(p.ID, "-4") || strings.HasSuffix(p.ID, "-4-1") || strings.HasSuffix(p.ID, "-4-5") ||
			p.ID == "claude-haiku-3-5"
		if _, err := p.Under(cachemodel.Tariff{US: true}); (err != nil) != old {
			t.Errorf("%s: %v", p.ID, err)
		}
	}
}

func longPrompts(t *testing.T) {
	for _, p := range models(t) {
		for _, tariff := range []cachemodel.Tariff{{}, {Batch: true}} {
			q, err := p.Under(tariff)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range []llm.Usage{{Input: 1, Output: 1}, {Write5m: 1}, {Write1h: 1}, {Read: 1}} {
				short, long := u, u
				short.Input += 99_000
				long.Input += 100_000
				times := cachemodel.Picodollars(1)
				if p.ID == "claude-haiku-5-5" && long.Prompt() > 100_000 {
					times = 5
				}
				perShort := q.Cost(short) - q.Cost(llm.Usage{Input: 99_000})
				perLong := q.Cost(long) - times*100_000*q.Rates.Input
				if perLong != times*perShort {
					t.Errorf("%s, %v: %+v costs %d more in a long prompt and %d in a short one", p.ID, tariff, u, perLong, perShort)
				}
			}
		}
	}
}

func platforms(t *testing.T) {
	for i, name := range cachemodel.Platforms() {
		if p, err := cachemodel.PlatformNamed(name); err != nil || p.String() != name || int(p) != i {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if p, err := cachemodel.PlatformNamed(""); err != nil || p != cachemodel.ClaudeAPI {
		t.Errorf("no name is %v, %v", p, err)
	}
	if _, err := cachemodel.PlatformNamed("vertex"); err == nil || !strings.Contains(err.Error(), "google-cloud") {
		t.Errorf("an unknown name: %v", err)
	}
	for _, p := range models(t) {
		want := p.Minimum
		if p.ID == "claude-opus-4-7" || p.ID == "claude-mythos-preview" {
			want = 4096
		}
		if got := p.On(cachemodel.Bedrock).Minimum; got != want {
			t.Errorf("%s on Bedrock needs %d tokens", p.ID, got)
		}
		if p.On(cachemodel.GoogleCloud).Minimum != p.Minimum {
			t.Errorf("%s on Google Cloud needs other than %d tokens", p.ID, p.Minimum)
		}
	}
}

func limited(t *testing.T) {
	for _, p := range models(t) {
		if p.LimitsReads != (p.ID == "claude-haiku-3-5") {
			t.Errorf("%s: %v", p.ID, p.LimitsReads)
		}
	}
}
