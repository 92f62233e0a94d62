package metrics

import (
	"errors"
	"testing"
)

func TestTotals(t *testing.T) {
	one := func(typ string, calls int64) *Run {
		r := &Run{Started: 1, Events: 10, Types: []Type{{Name: typ, Agents: 1}}, Models: []Model{{Name: "m"}}}
		r.Types[0].CutShort[1] = calls % 2
		r.Types[0].Tally.Calls, r.Total.Calls, r.Models[0].Cost.Read = calls, calls, 7
		return r
	}
	t.Run("POP-02 totals are exact sums, by type and by model", func(t *testing.T) {
		var sum Totals
		for _, r := range []*Run{one("b", 3), one("a", 1<<62), one("b", 1<<62-4)} {
			if err := sum.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if sum.Runs != 3 || sum.Started != 3 || sum.Events != 30 || sum.Total.Calls != 1<<63-1 || len(sum.Models) != 1 || sum.Models[0].Cost.Read != 21 {
			t.Errorf("%+v", sum)
		}
		if len(sum.Types) != 2 || sum.Types[0].Name != "a" || sum.Types[1].Agents != 2 || sum.Types[1].Tally.Calls != 1<<62-1 {
			t.Errorf("%+v", sum.Types)
		}
		if n := sum.Run().CutShort(); n != (CutShort{1: 1}) || sum.Types[1].CutShort != n {
			t.Errorf("cut short are %v, of %v", n, sum.Types)
		}
		if err := sum.Add(one("a", 1)); !errors.Is(err, ErrTooLarge) || sum.Runs != 3 || sum.Total.Calls != 1<<63-1 {
			t.Errorf("a sum that no number holds: %v, %d", err, sum.Total.Calls)
		}
	})
	t.Run("POP-06 how much runs differ is kept exactly", func(t *testing.T) {
		var s Spread
		for range 3 {
			s.Add(1 << 62)
		}
		if s.N != 3 || s.Sum.BitLen() != 64 || s.Squares.BitLen() != 126 {
			t.Errorf("%d of %s, %s", s.N, s.Sum.String(), s.Squares.String())
		}
	})
}
