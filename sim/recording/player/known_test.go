package player

import (
	"fmt"
	"testing"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

// known plays a session in hindsight.
func known(t *testing.T, s *recording.Session) (*Known, *Result) {
	t.Helper()
	one := []*recording.Session{s}
	k := Hindsight(one, 0)
	return k, play1(t, Options{Known: k}, one...)
}

func TestHindsight(t *testing.T) {
	t.Run("IMP-08 a history lost within the lifetime is lost again, whatever of it was read", func(t *testing.T) {
		for _, read := range []int64{0, 9_000, 25_000} {
			k, r := known(t, session(alone,
				told{pred: -1, start: 0, write: 20_000}, told{pred: 0, start: 10, read: 20_000, write: 30_000},
				told{pred: 1, start: 20, read: read, write: 51_000 - read}, told{pred: 2, start: 30, read: 51_000, write: 5}))
			wantReads(t, r, 0, 0, 20_000, read, 51_000)
			if k.From[0][2] != Anew || k.From[0][3] != AsTold {
				t.Errorf("read %d: goes on from %v", read, k.From[0])
			}
		}
	})
	t.Run("IMP-08 a request that missed only the last write goes on from the one before", func(t *testing.T) {
		k, r := known(t, session(alone,
			told{pred: -1, start: 0, write: 20_000}, told{pred: 0, start: 10, read: 20_000, write: 30_000}, told{pred: 1, start: 20, read: 20_000, write: 31_000}))
		wantReads(t, r, 0, 0, 20_000, 20_000)
		if k.From[0][2] != 0 {
			t.Errorf("goes on from %v", k.From[0])
		}
	})
	t.Run("IMP-08 a read that is short of a sixteenth at most shows nothing", func(t *testing.T) {
		k, _ := known(t, session(alone, told{pred: -1, start: 0, write: 16_000}, told{pred: 0, start: 10, read: 15_000, write: 2_000}))
		if k.From[0][1] != AsTold {
			t.Errorf("goes on from %v", k.From[0])
		}
		if k, _ = known(t, session(alone, told{pred: -1, start: 0, write: 16_000}, told{pred: 0, start: 10, read: 14_999, write: 2_000})); k.From[0][1] != Anew {
			t.Errorf("goes on from %v", k.From[0])
		}
	})
	t.Run("IMP-08 what came too late was not lost: a longer lifetime would have kept it, unless it read another static prefix than before", func(t *testing.T) {
		s := func(read int64) *recording.Session {
			return session(alone, told{pred: -1, start: 0, read: 9_000, write: 20_000}, told{pred: 0, start: 400, read: read, write: 30_000 - read})
		}
		for read, want := range map[int64]int32{0: AsTold, 9_000: AsTold, 8_000: Anew} {
			k, r := known(t, s(read))
			if k.From[0][1] != want {
				t.Errorf("read %d: goes on from %d, want %d", read, k.From[0][1], want)
			}
			wantReads(t, r, 0, 9_000, read)
		}
	})
	t.Run("IMP-08 a request of the client's own shows in a read of more than was left, or of what had expired, and in nothing else", func(t *testing.T) {
		for _, c := range []struct {
			start, read, reads int64
			want               vtime.Instant
		}{
			{100, 20_000, 20_000, 0},          // read all that was left, in time
			{100, 20_400, 20_000, at(40) + 2}, // more than was left
			{330, 20_000, 20_000, at(40) + 2}, // what had expired
			{330, 0, 0, 0},                    // it had, and nothing renewed it
			{400, 20_000, 20_000, at(300)},    // it came as late as it could
		} {
			k, r := known(t, session(alone, told{pred: -1, start: 0, last: 40, write: 20_000}, told{pred: 0, start: c.start, read: c.read, write: 21_000 - c.read, user: true}))
			if k.Hidden[0][1] != c.want {
				t.Errorf("after %d s, %d read: at %s, want %s", c.start, c.read, k.Hidden[0][1], c.want)
			}
			wantReads(t, r, 0, 0, c.reads)
		}
		k, _ := known(t, session(alone, told{pred: -1, start: 0, last: 40, write: 20_000}, told{pred: 0, start: 330, read: 20_000, write: 5}))
		if k.Hidden[0][1] != 0 {
			t.Error("one is seen before a tool's result")
		}
	})
	t.Run("IMP-08 a static prefix is what a request read of it, else its thread's, else a like thread's, earlier before later", func(t *testing.T) {
		threads := []recording.Thread{alone[0]}
		for _, name := range []string{"a", "b", "c"} {
			threads = append(threads, recording.Thread{Name: name, Kind: recording.SubAgent, Type: "Explore", Parent: 0, SpawnedBy: 0})
		}
		threads[3].Type = "Plan"
		k, _ := known(t, session(threads,
			told{pred: -1, start: 0, write: 20_000},
			told{thread: 1, pred: -1, start: 5, write: 12_000}, told{thread: 3, pred: -1, start: 6, write: 12_000},
			told{thread: 2, pred: -1, start: 10, read: 9_000, write: 3_000}, told{thread: 2, pred: 3, start: 15, read: 12_000, write: 3_000},
			told{pred: 0, start: 400, read: 7_000, write: 14_000}))
		if got, want := fmt.Sprint(k.Static[0]), "[7000 9000 0 9000 9000 7000]"; got != want {
			t.Errorf("static prefixes %s, want %s", got, want)
		}
	})
	t.Run("IMP-08 others keep a static prefix alive where it was read though nobody recorded had used it, and from then on", func(t *testing.T) {
		k, r := known(t, session(alone,
			told{pred: -1, start: 0, read: 9_000, write: 20_000}, told{pred: 0, start: 10, read: 29_000, write: 5}, told{pred: 1, start: 1_000, write: 30_000},
			told{pred: 2, start: 1_010, read: 30_000, write: 5}))
		if got := fmt.Sprint(k.Warm[0]); got != "[true true false false]" {
			t.Errorf("kept alive: %s", got)
		}
		wantReads(t, r, 0, 9_000, 29_000, 0, 30_000)
	})
	t.Run("IMP-08 in hindsight an earlier reading of the same session reproduces itself, and nothing is learned that was not given", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawnSession(t)
			k := Hindsight([]*recording.Session{s}, 0)
			a, err := Play([]*recording.Session{s}, Options{Known: k})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := Play([]*recording.Session{s}, Options{Known: k, Hidden: true})
			for i := range a.Requests[0] {
				if a.Requests[0][i].Usage != b.Requests[0][i].Usage {
					t.Fatalf("request %d: %+v, with what is given anyway %+v", i, a.Requests[0][i].Usage, b.Requests[0][i].Usage)
				}
			}
		})
	})
}

// drawnSession is a random thread whose reads are those of a cache that now and
// then loses a history.
func drawnSession(t *rapid.T) *recording.Session {
	var reqs []told
	at, left := int64(0), int64(0)
	for i := range rapid.IntRange(1, 12).Draw(t, "requests") {
		at += rapid.SampledFrom([]int64{5, 200, 310, 900}).Draw(t, "gap")
		size := left + rapid.Int64Range(1, 9_000).Draw(t, "grow")
		read := rapid.SampledFrom([]int64{left, 0, left / 3}).Draw(t, "read")
		reqs = append(reqs, told{pred: int32(i) - 1, start: at, read: read, write: size - read, user: rapid.Bool().Draw(t, "user")})
		left = size
	}
	return session(alone, reqs...)
}
