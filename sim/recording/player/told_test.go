package player

import (
	"testing"

	"agentsim/sim/recording"
)

// telling is a session of a conversation that grows by 1,000 tokens with each
// request, ten seconds apart, all with the same settings.
func telling(version string, n int, change func(i int, r *recording.Request)) *recording.Session {
	var reqs []told
	for i := range n {
		reqs = append(reqs, told{pred: int32(i - 1), start: int64(10 * i), read: 20_000 + 1000*int64(i-1), write: 1000, version: version})
	}
	reqs[0].read, reqs[0].write = 12_000, 8000
	s := session(alone, reqs...)
	for i := range s.Requests {
		change(i, &s.Requests[i])
	}
	return s
}

func TestTold(t *testing.T) {
	thinking := func(modes string) func(int, *recording.Request) {
		return func(i int, r *recording.Request) {
			r.Settings.Thinking = map[byte]string{'t': "typed", 'u': "untyped"}[modes[i]]
		}
	}
	t.Run("IMP-11 a changed thinking setting goes back to the last end of that setting, before client 2.1.38", func(t *testing.T) {
		wantReads(t, play1(t, Options{}, telling("2.1.37", 5, thinking("ttuut"))), 0, 0, 20_000, 12_000, 22_000, 21_000)
		wantReads(t, play1(t, Options{}, telling("2.1.38", 5, thinking("ttuut"))), 0, 0, 20_000, 21_000, 22_000, 23_000)
		wantReads(t, play1(t, Options{}, telling("2.1.37", 3, thinking("t  "))), 0, 0, 20_000, 21_000)
	})
	t.Run("CACHE-92 each effort has a cache of its own, but for models and clients that keep the prefix", func(t *testing.T) {
		effort := func(i int, r *recording.Request) { r.Settings.Effort = []string{"high", "high", "low", "high"}[i] }
		wantReads(t, play1(t, Options{}, telling("2.1.200", 4, effort)), 0, 0, 20_000, 12_000, 21_000)
		free := func(i int, r *recording.Request) { effort(i, r); r.Model = "claude-opus-5-5" }
		wantReads(t, play1(t, Options{}, telling("2.1.260", 4, free)), 0, 0, 20_000, 21_000, 22_000)
		wantReads(t, play1(t, Options{}, telling("2.1.259", 4, free)), 0, 0, 20_000, 12_000, 21_000)
	})
	t.Run("CACHE-94 fast mode is another key from its first use on", func(t *testing.T) {
		wantReads(t, play1(t, Options{}, telling("2.1.200", 4, func(i int, r *recording.Request) {
			r.Settings.Speed = []string{"standard", "fast", "fast", "fast"}[i]
		})), 0, 0, 12_000, 21_000, 22_000)
	})
	for _, w := range []recording.What{recording.ResumeTold, recording.MicrocompactTold, recording.VersionTold} {
		t.Run("IMP-11 a line that tells of "+w.String()+" loses the history", func(t *testing.T) {
			wantReads(t, play1(t, Options{}, telling("2.1.38", 3, func(i int, r *recording.Request) {
				if i == 2 {
					r.Told = []recording.Told{{What: w, Line: 9}}
				}
			})), 0, 0, 20_000, 12_000)
		})
	}
	t.Run("IMP-11 behind another version of the client the static prefix is as long as it was, where others keep it warm", func(t *testing.T) {
		first := session(alone, told{pred: -1, start: 0, read: 12_000, write: 500, version: "1.0.0"})
		s := telling("1.0.0", 2, func(i int, r *recording.Request) {
			if r.Start += at(10); i == 1 {
				r.Version, r.Told = "1.0.1", []recording.Told{{What: recording.VersionTold}}
			}
		})
		s.ID = "later"
		wantReads(t, play1(t, Options{}, first, s), 1, 12_000, 12_000)
	})
	t.Run("IMP-11 a line that tells of something else, such as a skill, loses nothing", func(t *testing.T) {
		wantReads(t, play1(t, Options{}, telling("2.1.38", 3, func(i int, r *recording.Request) {
			r.Told = []recording.Told{{What: recording.SkillTold}, {What: recording.ErrorTold}, {What: recording.MCPTold}}
		})), 0, 0, 20_000, 21_000)
	})
	t.Run("IMP-11 a summary of the client's own leaves the whole answer, where its length is known", func(t *testing.T) {
		away := func(known bool) *recording.Session {
			return telling("2.1.178", 3, func(i int, r *recording.Request) {
				r.Usage.Input, r.Usage.Output, r.OutputKnown = 102, 400, known
				if i == 2 {
					r.UserTurn, r.Told = true, []recording.Told{{What: recording.AwayTold}}
				}
			})
		}
		wantReads(t, play1(t, Options{Hidden: true}, away(true)), 0, 0, 20_000, 21_500)
		wantReads(t, play1(t, Options{Hidden: true}, away(false)), 0, 0, 20_000, 21_000)
	})
	t.Run("IMP-12 nothing of a request whose predecessor is missing is learned as a static prefix", func(t *testing.T) {
		orphan := session(alone, told{pred: -1, start: 0, read: 90_000, write: 500})
		later := session(alone, told{pred: -1, start: 60, read: 0, write: 99_000})
		later.ID = "later"
		wantReads(t, play1(t, Options{}, orphan, later), 1, 90_000)
		orphan.Requests[0].Orphan = true
		wantReads(t, play1(t, Options{}, orphan, later), 1, 0)
	})
	t.Run("IMP-11 with hindsight what was read counts, whatever lines tell", func(t *testing.T) {
		s := telling("2.1.37", 3, thinking("ttu"))
		wantReads(t, play1(t, Options{Known: Hindsight([]*recording.Session{s}, 0)}, s), 0, 12_000, 20_000, 21_000)
	})
}
