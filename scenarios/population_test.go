package scenarios

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim/vtime"
)

// crowd is a scenario whose sessions can share a kernel.
const crowd = `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5, aliases: {haiku: claude-haiku-5-5}}
project: {files: {a.go: x}}
script: {main: {user: Go.}, answers: [{agent: main, turns: [{spawn: {Explore: [a], prompt: Go.}}, {say: x}]}, {agent: main/*, turns: [{read: a.go}, {say: x}]}]}
`

func populated(t *testing.T, text string, sets ...string) *Scenario {
	t.Helper()
	f, err := Parse("my.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Effective("", sets)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPopulation(t *testing.T) {
	t.Run("POP-01 a population that could not be what it says is refused, with place and cure", populationRefused)
	t.Run("POP-01 a shard is an ordinary scenario with a root for each session, and reads back", func(t *testing.T) {
		s := populated(t, crowd+"population: {sessions: 23, workspace: 3, shard: 9, arrivals: {every: 5m}}\n")
		roundTrip(t, s)
		for i, want := range []int{9, 9, 5} {
			x := Shard(s, i)
			roundTrip(t, x)
			if len(x.Roots) != want || x.Main != nil || x.Population != nil || x.Seed != 42+uint64(i) {
				t.Errorf("shard %d has %d roots, seed %d", i, len(x.Roots), x.Seed)
			}
		}
		x := Shard(s, 1)
		if r := x.Roots[4]; r.Name != "s05" || r.Workspace != "default-02" || r.At != 5*vtime.Minute || x.Scripts[1].Agent != "*/*" {
			t.Errorf("%+v, answers of %s", r, x.Scripts[1].Agent)
		}
		if s.Scripts[1].Agent != "main/*" {
			t.Error("a shard changed its scenario")
		}
	})
	t.Run("POP-01 who does work has a kernel of its own, with the names that the file says", func(t *testing.T) {
		s := populated(t, "agentsim: 1\nname: my\nprovider: {model: claude-sonnet-5-5}\nproject: {files: {a.go: x}}\nstructure: inline\nwork: [{id: a, kind: research, reads: [a.go]}]\nscript: {main: {user: Go.}}\npopulation: {sessions: 3}\n")
		if x := Shard(s, 2); s.Population.Shards() != 3 || x.Main == nil || x.Seed != 44 {
			t.Errorf("%d shards, %+v", s.Population.Shards(), x.Main)
		}
	})
	t.Run("POP-01 arrivals come at the same distance, at random ones, or by the hours of a week", arrive)
	t.Run("POP-01 limits of an organisation are split by sessions", func(t *testing.T) {
		s := populated(t, strings.Replace(crowd, "aliases:", "rate_limits: {requests: {most: 40, refill: 30ms}}, aliases:", 1)+"population: {sessions: 100, shard: 25, limits: split}\n")
		if r := Shard(s, 0).Provider.RateLimits.Requests; r.Most != 10 || r.Refill != 120*vtime.Millisecond {
			t.Errorf("%+v", r)
		}
		if r := s.Provider.RateLimits.Requests; r.Most != 40 {
			t.Errorf("a shard changed its scenario: %+v", r)
		}
	})
	t.Run("POP-04 one shard of so many is audited, by a hash, and at least one", func(t *testing.T) {
		n := func(sets ...string) (hits []int) {
			s := populated(t, crowd+"population: {sessions: 5000, shard: 5}\n", sets...)
			for i := range s.Population.Shards() {
				if Audited(s, i) {
					hits = append(hits, i)
				}
			}
			return hits
		}
		if hits := n(); len(hits) < 10 || len(hits) > 32 || slices.Equal(hits, n("seed=7")) {
			t.Errorf("of 1,000 shards %d: %v", len(hits), hits)
		}
		if hits := n("population.audit=1"); len(hits) != 1000 {
			t.Errorf("with audit: 1 %d of 1,000", len(hits))
		}
		if hits := n("population.audit=1_000_000"); !slices.Equal(hits, []int{0}) {
			t.Errorf("where the hash finds none: %v", hits)
		}
	})
}

func populationRefused(t *testing.T) {
	for given, want := range map[string]string{
		"sessions: 0":                                          "my.yaml:6:24: population.sessions is out of range: from 1 to 1000000000",
		"workspace: 5":                                         "a population has from 1 to",
		"sessions: 100, workspace: 51":                         "sessions of a workspace run in one shard",
		"sessions: 100, workspace: 4, shard: 6":                "my.yaml:6:50: a shard has whole workspaces of 4, and from 1 to 50 sessions",
		"sessions: 100, shard: 51":                             "population.shard is out of range: from 1 to 50",
		"sessions: 100, shard: 0":                              "population.shard is out of range: from 1 to 50",
		"sessions: 100, workspace: 0":                          "population.workspace is out of range: from 1 to 50",
		"sessions: 100, audit: 0":                              "^ 1 audits every shard, 50 one of 50",
		"sessions: 100, arrivals: {every: 5m}":                 "nothing depends on when sessions arrive",
		"sessions: 100, workspace: 2, arrivals: {}":            "one of every, poisson and hours",
		"sessions: 9, workspace: 2, arrivals: {hours: [1, 2]}": "2 hours are neither a day nor a week",
		"sessions: 100, limits: split":                         "there is nothing to split",
		"sessions: 100, limits: shared":                        "unknown way with limits",
		"sessions: 100, workspace: 2, arrivals: {hours: [" + strings.Repeat("0, ", 23) + "0]}": "no session ever arrives",
	} {
		_, err := Parse("my.yaml", []byte(crowd+"population: {"+given+"}\n"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "^") {
			t.Errorf("%s: %v, want %s with place and cure", given, err, want)
		}
	}
	f, err := Parse("my.yaml", []byte(crowd+"population: {sessions: 100, shard: 10}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for set, want := range map[string]string{
		"provider.rate_limits={requests: {most: 40, refill: 30ms}}":                      "couple the 10 shards of a population",
		"provider.rate_limits={input: {most: 9, refill: 30ms}}; population.limits=split": "a shard of 10 of 100 sessions has less than one of 9",
		"provider.platform=bedrock":        "an organisation has one cache, which would couple the 10 shards",
		"lab.faults=[429 call=1]":          "sessions cannot run together in one shard: faults count calls",
		"main.then=[{at: 3s, message: x}]": "at, on, show and to in main.then are of one session",
		"answers.2.turns.1={run: ls}":      "sessions cannot run together in one shard: tool Bash may change what others find",
		"answers.2.agent=m*/*":             "answers must be for main or what it starts",
	} {
		if _, err := f.Effective("", strings.Split(set, "; ")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", set, err, want)
		}
	}
}

func arrive(t *testing.T) {
	at := func(sessions, arrivals string) (all []vtime.Duration) {
		s := populated(t, crowd+"population: {sessions: "+sessions+", workspace: 50, arrivals: {"+arrivals+"}}\n")
		for i := range s.Population.Shards() {
			x := Shard(s, i)
			for _, r := range x.Roots {
				all = append(all, r.At)
			}
			if last := all[len(all)-1]; x.Limits.Time < last+24*vtime.Hour {
				t.Errorf("%s: a shard may last %s, and its last session begins at %s", arrivals, x.Limits.Time, last)
			}
		}
		return all
	}
	if got := at("51", "every: 5m"); got[0] != 0 || got[2] != 10*vtime.Minute || got[50] != 0 {
		t.Errorf("every: %v", got)
	}
	random, n := at("5_000", "poisson: 5m"), 0
	for i, d := range random {
		gap := d
		if i%50 > 0 {
			gap -= random[i-1]
		}
		if gap < 0 {
			t.Fatalf("session %d comes before the one ahead of it", i)
		}
		if gap < 5*vtime.Minute {
			n++
		}
	}
	if n < 3050 || n > 3270 { // 1 − 1/e of them are 3,161
		t.Errorf("%d of 5,000 gaps are below their mean", n)
	}
	hours := make([]string, 168)
	for i := range hours {
		hours[i] = "0"
	}
	hours[9], hours[167] = "3", "1"
	counts := map[vtime.Duration]int{}
	for _, d := range at("4_000", "hours: ["+strings.Join(hours, ", ")+"]") {
		counts[d/vtime.Hour]++
	}
	if len(counts) != 2 || counts[9] < 2_850 || counts[9] > 3_150 {
		t.Errorf("hours: %v", counts)
	}
}
