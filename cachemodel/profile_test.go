package cachemodel_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording/recordingtest"
)

func lookup(t *testing.T, id string) *cachemodel.Profile {
	t.Helper()
	p, err := cachemodel.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTable(t *testing.T) {
	t.Run("CACHE-41 every rate stands for itself, in whole picodollars: writes are 1.25 and 2 times the input, reads by model", testMultipliers)
	t.Run("CACHE-41 the error for an unknown model lists ids that a scenario can name, and no others", testHint)
	t.Run("CACHE-41 where hidden tokens do not count, the error for an unknown model lists every model that can be billed, and no others", testBillable)
	t.Run("CACHE-41 a dated id or an alias finds its family, and a scenario is held to the dated id", testIDs)
	t.Run("CACHE-98 the newer rows are what was read, figure by figure", testNewerRows)
	t.Run("CACHE-98 what no source gives is another model's, and is said", testAssume)
	t.Run("CACHE-98 a model has a first day and a day of retirement, and a price only between the table's days", testDays)
	t.Run("CACHE-41 CACHE-17 a model is refused for the figure that was not found, by its name", testRequire)
	t.Run("CACHE-41 the worked example of the price page costs what it says (GOLD-A8)", testWorkedExample)
	t.Run("CACHE-41 a prompt longer than 100,000 tokens costs five times as much on Haiku 5.5", testLongPrompt)
	t.Run("CACHE-38 tail tokens that were not measured are among the options that touched a figure", testTail)
	t.Run("CACHE-41 the table agrees with the price list of 2026-11-10", testPriceList)
	t.Run("CACHE-V2 the worked figures of the data agree with those in the stories", testGolden)
}

// testMultipliers: thousandths of the input rate for a read, by model.
func testMultipliers(t *testing.T) {
	read := map[string]cachemodel.Picodollars{"claude-fable-5-1": 25, "claude-mythos-5-1": 25, "claude-fable-5-2": 25,
		"claude-opus-5-5": 50, "claude-sonnet-5-5": 50}
	for _, id := range cachemodel.Models() {
		p := lookup(t, id)
		if !p.Found.Rates {
			continue
		}
		want := read[id]
		if want == 0 {
			want = 100
		}
		for _, r := range []cachemodel.Rates{p.Rates, p.Above} {
			if 4*r.Write5m != 5*r.Input || r.Write1h != 2*r.Input || 1000*r.Read != want*r.Input {
				t.Errorf("%s: rates %+v", id, r)
			}
		}
		if p.Source == "" || p.Date == "" {
			t.Errorf("%s: no source or date", id)
		}
	}
	if r := lookup(t, "claude-sonnet-4-6").Rates; r.Input != 3_000_000 || r.Read != 300_000 || r.Output != 15_000_000 {
		t.Errorf("$3, $0.30 and $15 a million are %+v", r)
	}
}

// testHint reads the ids that the error for an unknown model lists.
func testHint(t *testing.T) {
	_, err := cachemodel.Lookup("gpt-7")
	_, list, _ := strings.Cut(err.Error(), "name one of ")
	ids := strings.Split(list, ", ")
	for _, id := range ids {
		p, err := cachemodel.Lookup(id)
		if err != nil || p.CheckPinned(id) != nil || p.Require(false) != nil {
			t.Errorf("%q is listed, yet no scenario can name it: %v", id, err)
		}
	}
	if len(ids) < 2 {
		t.Errorf("listed: %q", ids)
	}
}

// testBillable reads the same list where no tools are billed.
func testBillable(t *testing.T) {
	_, err := cachemodel.LookupBillable("gpt-7")
	_, list, _ := strings.Cut(err.Error(), "name one of ")
	listed := strings.Split(list, ", ")
	var want []string
	for _, id := range cachemodel.Models() {
		p := lookup(t, id)
		if p.Require(true) == nil {
			want = append(want, p.Pinned())
		}
		if got, err := cachemodel.LookupBillable(id); (err == nil) != (p.Require(true) == nil) || err == nil && got != p {
			t.Errorf("%s: %v", id, err)
		}
	}
	if !slices.Equal(listed, want) || !slices.Contains(listed, "claude-fable-5-1") {
		t.Errorf("listed %q, want %q", listed, want)
	}
}

func testIDs(t *testing.T) {
	p := lookup(t, "claude-sonnet-4-5-20250929")
	if p.ID != "claude-sonnet-4-5" || lookup(t, "claude-sonnet-4-5") != p || lookup(t, "claude-sonnet-4-0").ID != "claude-sonnet-4" {
		t.Error("an id found another row")
	}
	if err := p.CheckPinned("claude-sonnet-4-5"); err == nil || !strings.HasSuffix(err.Error(), "write claude-sonnet-4-5-20250929") {
		t.Errorf("undated: %v", err)
	}
	if err := lookup(t, "claude-opus-5").CheckPinned("claude-opus-5"); err != nil {
		t.Errorf("the only id there is: %v", err)
	}
	for id, hint := range map[string]string{
		"claude-sonnet-4-5-20240101": "no release of claude-sonnet-4-5 dated 20240101; write claude-sonnet-4-5-20250929",
		"gpt-7":                      "is not in the table, so there is no price for it: name one of ",
	} {
		if _, err := cachemodel.Lookup(id); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func testRequire(t *testing.T) {
	for _, c := range []struct {
		id    string
		exact bool
		want  string
	}{
		{"claude-sonnet-4-6", true, ""},
		{"claude-fable-5-2", true, "minimum cacheable length is not established"},
		{"claude-fable-5-2", false, ""},
		{"claude-mythos-preview", false, "rates are not established"},
		{"claude-3-5-haiku-20241022", false, "rates are not established"},
		{"claude-opus-5-5", true, ""},
	} {
		err := lookup(t, c.id).Require(c.exact)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, exact %v: %v", c.id, c.exact, err)
		}
	}
}

func testWorkedExample(t *testing.T) {
	p := lookup(t, "claude-opus-5")
	for _, c := range []struct {
		u    llm.Usage
		want cachemodel.Picodollars
	}{
		{llm.Usage{Input: 50_000, Output: 15_000}, 625_000_000_000},
		{llm.Usage{Input: 10_000, Read: 40_000, Output: 15_000}, 445_000_000_000},
	} {
		if got := p.Cost(c.u); got != c.want {
			t.Errorf("%+v costs %d, not %d", c.u, got, c.want)
		}
		if got := p.CostUncached(c.u); got != 625_000_000_000 {
			t.Errorf("%+v costs %d without a cache", c.u, got)
		}
	}
}

func testLongPrompt(t *testing.T) {
	p := lookup(t, "claude-haiku-5-5")
	short, long := p.Cost(llm.Usage{Input: 99_999, Read: 1}), p.Cost(llm.Usage{Input: 99_999, Read: 2})
	if short != 99_999*100_000+10_000 || long != 99_999*500_000+2*50_000 {
		t.Errorf("100,000 tokens cost %d, one more %d", short, long)
	}
}

func testTail(t *testing.T) {
	var b llm.Builder
	head := b.Append(b.Border(b.Border(b.Root(llm.Scope{}, llm.Salts{}), llm.System, llm.Salts{}), llm.Messages, llm.Salts{}),
		llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "hello")})
	for id, want := range map[string]string{"claude-sonnet-4-6": "[]", "claude-opus-5": "[tail_tokens=3 (claude-opus-5)]"} {
		e := cachemodel.NewAnthropic(cachemodel.DefaultAnthropicOptions())
		for range 2 {
			req := cachemodel.Request{Request: &llm.Request{Head: head, MaxTokens: 1}, Profile: lookup(t, id), Counts: counts{}}
			if err := e.Admit(0, &req, &cachemodel.Admission{}); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(e.Options()); got != want {
			t.Errorf("%s: options %s, want %s", id, got, want)
		}
	}
}

// testPriceList holds the table against the list row by row. What only one of
// them has is named here, with the reason.
func testPriceList(t *testing.T) {
	var list struct {
		Models []struct {
			Provider, ID                         string
			Input, Output, CacheRead, CacheWrite float64
			Context                              int64
			Tiers                                []struct{ InputTokensAbove, Input, Output, CacheRead, CacheWrite float64 }
		}
	}
	if err := json.Unmarshal(recordingtest.Read(t, "prices", "prices-2026-11-10.json"), &list); err != nil {
		t.Fatal(err)
	}
	pico := func(dollars float64) cachemodel.Picodollars { return cachemodel.Picodollars(math.Round(dollars * 1e6)) }
	seen := map[string]bool{}
	for _, m := range list.Models {
		if m.Provider != "anthropic" {
			continue
		}
		p := lookup(t, m.ID)
		seen[p.ID] = true
		if r := p.Rates; pico(m.Input) != r.Input || pico(m.Output) != r.Output || pico(m.CacheRead) != r.Read || pico(m.CacheWrite) != r.Write5m {
			t.Errorf("%s: the list says %+v, the table %+v", m.ID, m, r)
		}
		if m.Context != p.Window {
			t.Errorf("%s: the list's window is %d, the table's %d", m.ID, m.Context, p.Window)
		}
		for _, tier := range m.Tiers {
			if r := p.Above; int64(tier.InputTokensAbove) != p.LongPrompt || pico(tier.Input) != r.Input || pico(tier.Output) != r.Output ||
				pico(tier.CacheRead) != r.Read || pico(tier.CacheWrite) != r.Write5m {
				t.Errorf("%s: the list's tier is %+v, the table's %+v", m.ID, tier, r)
			}
		}
	}
	var unlisted []string
	for _, id := range cachemodel.Models() {
		if !seen[id] {
			unlisted = append(unlisted, id)
		}
	}
	sort.Strings(unlisted)
	// Retired models, limited releases and a preview are not on the list.
	want := "claude-haiku-3-5 claude-mythos-5 claude-mythos-5-1 claude-mythos-preview claude-opus-4 claude-opus-4-1 claude-sonnet-4"
	if got := strings.Join(unlisted, " "); got != want {
		t.Errorf("not on the list: %s; known: %s", got, want)
	}
}
