package whatif

import (
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

// drawn is a random session: a main thread, sub-agents of its answers, reads as a
// cache with losses, expiries and requests of the client's own would bill them.
func drawn(t *rapid.T) *recording.Session {
	threads := []recording.Thread{main1()}
	var reqs []told
	last := []int32{-1}
	left := []int64{0}
	at := int64(0)
	hour := rapid.Bool().Draw(t, "hour")
	for n := rapid.IntRange(1, 14).Draw(t, "requests"); n > 0; n-- {
		at += rapid.SampledFrom([]int64{400, 3_000, 60_000, 295_000, 320_000, 900_000, 4_000_000}).Draw(t, "gap")
		th := rapid.IntRange(0, len(threads)-1).Draw(t, "thread")
		if len(reqs) > 0 && rapid.IntRange(0, 3).Draw(t, "spawn") == 0 {
			threads = append(threads, agent("a"+string(rune('a'+len(threads))), int32(rapid.IntRange(0, len(reqs)-1).Draw(t, "by"))))
			last, left = append(last, -1), append(left, 0)
			th = len(threads) - 1
		}
		r := told{thread: int32(th), pred: last[th], at: at, hour: hour, output: 10, blocks: rapid.IntRange(0, 14).Draw(t, "blocks"),
			user: rapid.Bool().Draw(t, "user"), compacted: last[th] >= 0 && rapid.IntRange(0, 9).Draw(t, "compacted") == 0}
		grow := rapid.SampledFrom([]int64{100, 5_000, 30_000}).Draw(t, "grow")
		size := left[th] + grow
		if r.compacted {
			size = grow
		}
		r.read = min(rapid.SampledFrom([]int64{left[th], 0, 9_000, left[th] + 50, left[th] - 70}).Draw(t, "read"), size)
		r.read = max(r.read, 0)
		r.write = size - r.read
		last[th], left[th] = int32(len(reqs)), size
		reqs = append(reqs, r)
	}
	return session(threads, reqs...)
}

// questions are all that may be asked of any session, most of which will refuse
// some.
func questions() []*Question {
	return []*Question{{Lifetime: allKinds(llm.TTL5m)}, {Lifetime: allKinds(llm.TTL1h)}, {NoCache: true}, {Model: allModels("claude-sonnet-4-6")},
		{Model: allModels(opus48), Factor: 1300}, {KeepAlive: 20 * vtime.Minute}, {Stagger: true, Static: 3_000}}
}

func tryAsk(t *rapid.T, s *recording.Session, q *Question) *Answer {
	a, err := Ask(s, q, plainly)
	if err != nil {
		if _, ok := err.(*Refusal); !ok {
			t.Fatal(err)
		}
		return nil
	}
	return a
}

func TestLaws(t *testing.T) {
	t.Run("IMP-08 a question that changes nothing answers with the reproduction itself", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			if a := tryAsk(t, drawn(t), &Question{}); a.If != a.Model {
				t.Fatalf("%+v, reproduced %+v", a.If, a.Model)
			}
		})
	})
	t.Run("IMP-08 the recorded bill and its reproduction do not depend on what is asked, nor do prompts on the cache", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawn(t)
			base := tryAsk(t, s, &Question{})
			for _, q := range questions() {
				a := tryAsk(t, s, q)
				if a == nil {
					continue
				}
				if q.Static == 0 && (a.Recorded != base.Recorded || a.Model != base.Model || a.Alone != base.Alone) {
					t.Fatalf("%+v: %+v and %+v, else %+v and %+v", q, a.Recorded, a.Model, base.Recorded, base.Model)
				}
				if got, want := a.If.Total().Usage.Prompt()-a.Refreshes.Total().Usage.Prompt(), a.Model.Total().Usage.Prompt(); got != want && q.Factor == 0 {
					t.Fatalf("%+v: %d prompt tokens, recorded %d", q, got, want)
				}
			}
		})
	})
	t.Run("IMP-08 a longer lifetime never reads less", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawn(t)
			a, b := tryAsk(t, s, &Question{Lifetime: allKinds(llm.TTL5m)}), tryAsk(t, s, &Question{Lifetime: allKinds(llm.TTL1h)})
			short, long := reads(a, b)
			if long < short {
				t.Fatalf("an hour reads %d, five minutes %d", long, short)
			}
		})
	})
	t.Run("IMP-08 no cache never costs less than a cache whose writes cost what input does", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := tryAsk(t, drawn(t), &Question{NoCache: true})
			u := a.Model.Total().Usage
			free := cachemodel.Picodollars(u.Input+u.Written())*5_000_000 + cachemodel.Picodollars(u.Read)*500_000 + cachemodel.Picodollars(u.Output)*25_000_000
			if a.If.Total().Cost < free || a.If.Total().Usage.Read != 0 {
				t.Fatalf("no cache costs %d, a free-write cache %d", a.If.Total().Cost, free)
			}
		})
	})
	t.Run("IMP-08 keeping alive changes nothing where no conversation is idle for longer than its lifetime less the margin", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawn(t)
			for i := range s.Requests {
				s.Requests[i].Start = ms(int64(i) * 15_000) // 14 of them stay within five minutes
				s.Requests[i].First, s.Requests[i].Last = s.Requests[i].Start.Add(answerTime), s.Requests[i].Start.Add(2*answerTime)
			}
			if a := tryAsk(t, s, &Question{KeepAlive: vtime.Hour}); a.If != a.Model || len(a.Gaps) > 0 {
				t.Fatalf("%+v, without %+v", a.If, a.Model)
			}
		})
	})
	t.Run("IMP-08 kept alive a session of one TTL never reads less, its refreshes aside", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawn(t)
			for i := range s.Requests {
				// A request for an hour reads a prefix that refreshes for five minutes kept
				// alive, so it writes none of its own: with two TTLs less may be read.
				if ttl, _ := s.Lifetime(i); ttl == llm.TTL1h {
					t.Skip("may ask for two TTLs")
				}
			}
			kept := tryAsk(t, s, &Question{KeepAlive: maxKeepAlive})
			if got := kept.If.Total().Usage.Read - kept.Refreshes.Total().Usage.Read; got < kept.Model.Total().Usage.Read {
				t.Fatalf("kept alive it reads %d, left alone %d", got, kept.Model.Total().Usage.Read)
			}
		})
	})
}

// reads are what the shorter and the longer lifetime read; one of the two is as
// recorded.
func reads(short, long *Answer) (int64, int64) {
	switch {
	case short == nil:
		return long.Model.Total().Usage.Read, long.If.Total().Usage.Read
	case long == nil:
		return short.If.Total().Usage.Read, short.Model.Total().Usage.Read
	}
	return short.If.Total().Usage.Read, long.If.Total().Usage.Read
}
