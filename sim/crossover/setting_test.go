package crossover

import (
	"errors"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

func TestSettings(t *testing.T) {
	bands := map[string][2]int64{"short-directives": {100, 200}, "long-tool-loops": {5_000, 10_000}}
	t.Run("CACHE-X2 both experiences come out of simulated settings: short directives save 80 to 90 %, long tool loops cost 5 to 10 times as much", func(t *testing.T) {
		for _, s := range Settings() {
			band, ok := bands[s.Name]
			if !ok || len(s.Turns) == 0 {
				t.Fatalf("setting %q has no band, or no turns", s.Name)
			}
			for _, turns := range s.Turns {
				q := s.Query
				if q.Turns = turns; q.Check() != nil || q.Ideal {
					t.Fatalf("%s at %d turns: %v", s.Name, turns, q.Check())
				}
				r, err := NewLab().Row(q, false)
				if err != nil {
					t.Fatal(err)
				}
				if per := int64(r.Simulated.Fork) * 1000 / int64(r.Simulated.Fresh); per < band[0] || per > band[1] {
					t.Errorf("%s at %d turns: forks cost %d per mille of fresh children, not %v", s.Name, turns, per, band)
				}
			}
		}
		if _, err := SettingNamed("short"); err == nil || !strings.Contains(err.Error(), "short-directives long-tool-loops") {
			t.Errorf("a setting that does not exist: %v", err)
		}
	})
}

func TestScenarios(t *testing.T) {
	t.Run("CACHE-X2 what is called simulated is a scenario that anybody can run: the loader reads its text back, and the run's digest is the same", func(t *testing.T) {
		q := usual()
		q.Siblings, q.Cold, q.Stagger = 3, true, 2*vtime.Second
		l := NewLab()
		var texts [][]byte
		var digests []string
		l.Run = func(s *sim.Spec, o sim.Options) (*sim.Result, error) {
			r, err := sim.Run(s, o)
			if err == nil {
				texts, digests = append(texts, s.Scenario.Canonical()), append(digests, r.Digest)
			}
			return r, err
		}
		if _, err := l.Row(q, false); err != nil {
			t.Fatal(err)
		}
		if len(texts) < 2 {
			t.Fatalf("%d runs", len(texts))
		}
		for i, text := range texts {
			f, err := scenarios.Parse("generated.yaml", text)
			if err != nil {
				t.Fatal(err)
			}
			sc, err := f.Effective("", nil)
			if err != nil {
				t.Fatal(err)
			}
			spec, err := sim.NewSpec(sc, "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := sim.Run(spec, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Digest != digests[i] {
				t.Errorf("%s: digest %s, the lab's runs have %v", f.Name, r.Digest, digests)
			}
		}
	})
}

func TestCheck(t *testing.T) {
	t.Run("CACHE-X2 a query that no world can be made of names the value and its range", func(t *testing.T) {
		for _, c := range []struct {
			change      func(*Query)
			field, what string
		}{
			{func(q *Query) { q.Model = "gpt-5.5" }, "model", "not in the table"},
			{func(q *Query) { q.Model = "claude-fable-5-2" }, "model", "not established"},
			{func(q *Query) { q.Prefix = 0 }, "prefix", "0 is outside 1 to 1000000"},
			{func(q *Query) { q.Own = 40_001 }, "own", "part of what a child must know"},
			{func(q *Query) { q.Turns = 201 }, "turns", "a fork ends after 200 turns"},
			{func(q *Query) { q.Siblings = 51 }, "siblings", "1 to 50"},
			{func(q *Query) { q.Stagger = -1 }, "stagger", "outside 0s to 1h"},
			{func(q *Query) { q.Prefix = 199_999 }, "prefix", "takes 200000"},
		} {
			q := usual()
			c.change(&q)
			var e *Error
			if err := q.Check(); !errors.As(err, &e) || e.Field != c.field || !strings.Contains(e.What, c.what) {
				t.Errorf("want %s: … %s …, got %v", c.field, c.what, err)
			}
		}
		q := usual()
		if err := q.Check(); err != nil {
			t.Error(err)
		}
	})
	t.Run("CACHE-X2 an interrupt ends the comparison, and so does a run that fails", func(t *testing.T) {
		for _, c := range []struct {
			outcome transcript.RunOutcome
			want    string
		}{{sim.Interrupted, "interrupted"}, {sim.Limited, "ended as limit"}} {
			l := NewLab()
			l.Run = func(*sim.Spec, sim.Options) (*sim.Result, error) { return &sim.Result{Outcome: c.outcome}, nil }
			if _, err := l.Row(usual(), true); err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrInterrupted) != (c.outcome == sim.Interrupted) {
				t.Errorf("%s: %v", c.outcome, err)
			}
		}
		l := NewLab()
		l.Run = func(*sim.Spec, sim.Options) (*sim.Result, error) { return &sim.Result{Outcome: sim.Completed}, nil }
		if _, err := l.Row(usual(), false); err == nil || !strings.Contains(err.Error(), "0 calls where 1") {
			t.Errorf("a run without calls: %v", err)
		}
	})
}
