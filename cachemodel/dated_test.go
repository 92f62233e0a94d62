package cachemodel_test

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/cachemodel"
)

// testNewerRows pins the rows from Opus 5 on, which few runs depend on: minimum,
// window, what was found, and where from.
func testNewerRows(t *testing.T) {
	const found, all = "rates, minimum", "rates, minimum, hidden"
	for id, want := range map[string]string{
		"claude-fable-5-2":  "minimum 0, window 1000000, found rates, 2026-11-10",
		"claude-fable-5-1":  "minimum 512, window 1000000, found " + found + ", 2026-10-08",
		"claude-fable-5":    "minimum 512, window 1000000, found " + found + ", 2026-08-01",
		"claude-mythos-5-1": "minimum 512, window 0, found " + found + ", 2026-10-08",
		"claude-mythos-5":   "minimum 512, window 0, found " + found + ", 2026-08-01",
		"claude-opus-5-5":   "minimum 512, window 1000000, found " + found + ", 2026-10-08",
		"claude-opus-5":     "minimum 512, window 1000000, found " + all + ", 2026-08-01",
		"claude-sonnet-5-5": "minimum 512, window 1000000, found " + found + ", 2026-10-08",
		"claude-sonnet-5":   "minimum 1024, window 1000000, found " + all + ", 2026-08-01",
		"claude-haiku-5-5":  "minimum 512, window 1000000, found " + found + ", 2026-10-08",
	} {
		p := lookup(t, id)
		var names []string
		for _, f := range []struct {
			is   bool
			name string
		}{{p.Found.Rates, "rates"}, {p.Found.Minimum, "minimum"}, {p.Found.Hidden, "hidden"}, {p.Found.Tail, "tail"}} {
			if f.is {
				names = append(names, f.name)
			}
		}
		got := fmt.Sprintf("minimum %d, window %d, found %s, %s", p.Minimum, p.Window, strings.Join(names, ", "), p.Date)
		if got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// testAssume: every priced model gets what it lacks from another one, by name.
func testAssume(t *testing.T) {
	for id, want := range map[string]string{
		"claude-sonnet-4-6": "",
		"claude-sonnet-5-5": "claude-sonnet-5-5: 354 hidden tok for tools (474 where one is forced), as of claude-sonnet-5 (not published)",
		"claude-opus-4":     "claude-opus-4: 313 hidden tok for tools (315 where one is forced), as of claude-opus-4-1 (not published)",
		"claude-fable-5-2": "claude-fable-5-2: minimum cacheable length 512 tok, as of claude-fable-5-1 (not published)\n" +
			"claude-fable-5-2: 286 hidden tok for tools (406 where one is forced), as of claude-opus-5 (not published)",
		"claude-mythos-5-1": "claude-mythos-5-1: 286 hidden tok for tools (406 where one is forced), as of claude-opus-5 (not published)\n" +
			"claude-mythos-5-1: window 1000000 tok, as of claude-fable-5-1 (not published)",
	} {
		if _, taken := lookup(t, id).Assume(true); strings.Join(taken, "\n") != want {
			t.Errorf("%s: assumed %q", id, taken)
		}
	}
	for _, id := range cachemodel.Models() {
		p := lookup(t, id)
		if !p.Found.Rates {
			continue
		}
		full, _ := p.Assume(true)
		if full.Minimum == 0 || full.HiddenAuto == 0 || full.HiddenForced < full.HiddenAuto || full.Window == 0 || full.Rates != p.Rates {
			t.Errorf("%s: incomplete: %+v", id, full)
		}
		if bare, _ := p.Assume(false); bare.HiddenAuto != p.HiddenAuto {
			t.Errorf("%s: hidden tokens that do not count were assumed", id)
		}
	}
}

func testDays(t *testing.T) {
	if got := cachemodel.Newest(); got != "2026-11-10" {
		t.Errorf("the newest day is %s", got)
	}
	for _, c := range []struct{ id, day, err, gone string }{
		{"claude-sonnet-4-5", "2025-09-28", "has no price on 2025-09-28: change the day to 2025-09-29 or later", "retires on 2026-11-30"},
		{"claude-sonnet-4-5", "2025-09-29", "", "retires on 2026-11-30"},
		{"claude-sonnet-5-5", "2026-10-07", "change the day to 2026-10-08 or later", ""},
		{"claude-opus-4-1", "2026-08-04", "", "retires on 2026-08-05"},
		{"claude-opus-4-1", "2026-08-05", "", "retired on 2026-08-05"},
		{"claude-sonnet-5-5", "2026-11-11", "no price is known for 2026-11-11: change the day to 2026-11-10 or earlier", ""},
	} {
		p := lookup(t, c.id)
		if err := p.OnDay(c.day); c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s on %s: %v", c.id, c.day, err)
		}
		if got := p.Retirement(c.day); got != c.gone {
			t.Errorf("%s on %s: %q", c.id, c.day, got)
		}
	}
	if got := lookup(t, "claude-sonnet-4-5").On(cachemodel.Bedrock).Retirement("2026-11-10"); got != "" {
		t.Errorf("on Bedrock: %q", got)
	}
}
