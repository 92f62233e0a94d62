package whatif

import (
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

func TestCache(t *testing.T) {
	t.Run("IMP-08 refreshes are paid for: a gap of a quarter of an hour takes three and saves a write, a longer one takes all and saves nothing", func(t *testing.T) {
		a := ask(t, pause(), &Question{KeepAlive: 20 * vtime.Minute})
		// Behind the second request, which left 20,500 tokens: after 290, 580 and 870 s.
		usage(t, "refreshes", a.Refreshes.Total().Usage, llm.Usage{Read: 3 * 20_500, Output: 3})
		usage(t, "what if", a.If.Total().Usage, llm.Usage{Input: 9, Read: 20_000 + 20_500 + 3*20_500, Write5m: 21_000, Output: 303})
		paid, saved := at(500, 3*20_500)+at(25_000, 3), at(6250-500, 20_500)
		want := Gap{From: 10 * vtime.Minute, UpTo: 20 * vtime.Minute, N: 1, Refreshes: 3, Paid: paid, Saved: saved}
		if len(a.Gaps) != 1 || a.Gaps[0] != want {
			t.Errorf("gaps %+v, want %+v", a.Gaps, want)
		}
		if a.Saved() != saved-paid {
			t.Errorf("saved %d, want %d", a.Saved(), saved-paid)
		}
		b := ask(t, pause(), &Question{KeepAlive: 10 * vtime.Minute}) // gives up before
		if len(b.Gaps) != 1 || b.Gaps[0].Refreshes != 2 || b.Gaps[0].Saved != 0 || b.Saved() >= 0 {
			t.Errorf("gaps %+v, saved %d", b.Gaps, b.Saved())
		}
		assumes(t, b, "it refreshes until 10m0s have passed")
		assumes(t, b, "11 refreshes in a row cost less")
	})
	t.Run("IMP-08 keeping alive adds nothing to a session without idle gaps, nor behind its last request", func(t *testing.T) {
		s := pause()
		s.Requests = s.Requests[:2]
		a := ask(t, s, &Question{KeepAlive: vtime.Hour})
		if a.If != a.Model || len(a.Gaps) != 0 {
			t.Errorf("%+v, without %+v", a.If.Total(), a.Model.Total())
		}
	})
	t.Run("IMP-08 a refresh comes ten seconds before the lifetime ends, needed or not", func(t *testing.T) {
		for gap, want := range map[int64]int64{289_000: 0, 291_000: 1} {
			s := pause()
			s.Requests[2].Start, s.Requests[2].First, s.Requests[2].Last = ms(10_000+gap), ms(11_000+gap), ms(12_000+gap)
			s.Requests[2].Usage = llm.Usage{Input: 3, Read: 20_500, Write5m: 500, Output: 100}
			if a := ask(t, s, &Question{KeepAlive: vtime.Hour}); a.Refreshes.Total().Requests != want || a.Saved() > 0 {
				t.Errorf("idle for %d ms: %d refreshes, want %d; saved %d", gap, a.Refreshes.Total().Requests, want, a.Saved())
			}
		}
	})
	t.Run("IMP-08 with a lifetime of an hour refreshes come once an hour", func(t *testing.T) {
		s := pause()
		s.Requests[2].Start, s.Requests[2].First, s.Requests[2].Last = ms(5_000_000), ms(5_001_000), ms(5_002_000)
		a := ask(t, s, &Question{KeepAlive: 2 * vtime.Hour, Lifetime: allKinds(llm.TTL1h)})
		usage(t, "refreshes", a.Refreshes.Total().Usage, llm.Usage{Read: 20_500, Output: 1})
		if len(a.Gaps) != 1 || a.Gaps[0].Saved != at(10_000-500, 20_500) {
			t.Errorf("gaps %+v", a.Gaps)
		}
	})
}
