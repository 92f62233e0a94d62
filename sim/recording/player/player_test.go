package player

import (
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

const (
	opus   = "claude-opus-4-5-20251101"
	sonnet = "claude-sonnet-4-5-20250929"
)

// told is one request of a test's session: instants in seconds.
type told struct {
	thread      int32
	pred        int32
	model       string
	start, last int64
	read, write int64
	ttl         llm.TTL
	user        bool
	compacted   bool
	blocks      int
	version     string
}

func session(threads []recording.Thread, reqs ...told) *recording.Session {
	s := &recording.Session{Origin: "o", ID: "s", Threads: threads}
	for _, t := range reqs {
		r := recording.Request{Thread: t.thread, Pred: t.pred, Model: t.model, Version: t.version, AnswerBlocks: t.blocks,
			Start: at(t.start), First: at(t.start) + 1, Last: at(max(t.last, t.start)) + 2,
			Usage: llm.Usage{Input: 3, Read: t.read, Write5m: t.write}, WritesKnown: true, Billed: true,
			UserTurn: t.user, Compacted: t.compacted}
		if r.Model == "" {
			r.Model = opus
		}
		if t.ttl == llm.TTL1h {
			r.Usage.Write5m, r.Usage.Write1h = 0, t.write
		}
		s.Requests = append(s.Requests, r)
	}
	return s
}

func at(seconds int64) vtime.Instant {
	return vtime.Instant(0).Add(vtime.Duration(seconds) * vtime.Second)
}

var alone = []recording.Thread{{Name: "main", Parent: -1, SpawnedBy: -1}}

func play1(t *testing.T, opt Options, s ...*recording.Session) *Result {
	t.Helper()
	opt.Cache.LookbackCrossesLevels = true
	r, err := Play(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reads are what the model says was read, request by request.
func reads(r *Result, si int) (out []int64) {
	for _, p := range r.Requests[si] {
		out = append(out, p.Usage.Read)
	}
	return out
}

func wantReads(t *testing.T, r *Result, si int, want ...int64) {
	t.Helper()
	got := reads(r, si)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("reads %v, want %v", got, want)
		}
	}
}

func TestConformance(t *testing.T) {
	t.Run("IMP-04 request n is a prefix of E tokens, then its new ones, then its plain input, and reads E while it is warm", func(t *testing.T) {
		r := play1(t, Options{}, session(alone,
			told{pred: -1, start: 0, write: 20_000},
			told{pred: 0, start: 10, read: 20_000, write: 500},
			told{pred: 1, start: 309, read: 20_500, write: 700}))
		wantReads(t, r, 0, 0, 20_000, 20_500)
		for i, want := range []int64{20_003, 20_503, 21_203} {
			if got := r.Requests[0][i].Usage.Prompt(); got != want {
				t.Errorf("prompt %d is %d tokens, want %d", i, got, want)
			}
		}
		if got := r.Requests[0][2].Usage.Write5m; got != 700 {
			t.Errorf("the third one writes %d, want its 700 new tokens", got)
		}
	})
	t.Run("IMP-04 past its lifetime a conversation is written anew, within the slack it is read", func(t *testing.T) {
		s := func(gap int64) *recording.Session {
			return session(alone, told{pred: -1, start: 0, write: 20_000}, told{pred: 0, start: gap, read: 0, write: 20_500})
		}
		wantReads(t, play1(t, Options{}, s(301)), 0, 0, 0)
		slack := Options{}
		slack.Cache.LateExpiry = 5 * vtime.Second
		wantReads(t, play1(t, slack, s(301)), 0, 0, 20_000)
		wantReads(t, play1(t, slack, s(306)), 0, 0, 0)
	})
	t.Run("IMP-04 the recorded lifetime is played, by what was written", func(t *testing.T) {
		r := play1(t, Options{}, session(alone,
			told{pred: -1, start: 0, write: 20_000, ttl: llm.TTL1h}, told{pred: 0, start: 3_599, read: 20_000, write: 5, ttl: llm.TTL1h}))
		wantReads(t, r, 0, 0, 20_000)
	})
	t.Run("IMP-04 a conversation goes on where the predecessor says, also back from a branch", func(t *testing.T) {
		r := play1(t, Options{}, session(alone,
			told{pred: -1, start: 0, write: 20_000},
			told{pred: 0, start: 10, read: 20_000, write: 9_000},
			told{pred: 0, start: 20, read: 20_000, write: 100}))
		wantReads(t, r, 0, 0, 20_000, 20_000)
	})
	t.Run("IMP-05 a compaction, another model and a prompt that shrank leave the static prefix only", func(t *testing.T) {
		first := told{pred: -1, start: 0, read: 15_000, write: 20_000}
		for name, next := range map[string]told{ // order: each is a test of its own
			"compacted": {pred: 0, start: 10, read: 15_000, write: 30_000, compacted: true},
			"shrank":    {pred: 0, start: 10, read: 15_000, write: 10_000},
		} {
			r := play1(t, Options{}, session(alone, first, next))
			if got := r.Requests[0][1]; got.Usage.Read != 15_000 || !got.Cut {
				t.Errorf("%s: read %d of a conversation that was cut: %v", name, got.Usage.Read, got.Cut)
			}
		}
		r := play1(t, Options{}, session(alone, first, told{pred: 0, start: 10, model: sonnet, write: 40_000},
			told{pred: 1, start: 20, read: 35_000, write: 9_000}))
		wantReads(t, r, 0, 0, 0, 35_000)
	})
	t.Run("IMP-06 a static prefix is predicted from an earlier thread of the same version, model and type, and from no other", func(t *testing.T) {
		threads := append([]recording.Thread{}, alone...)
		threads = append(threads, recording.Thread{Kind: recording.SubAgent, Type: "Explore", Parent: 0}, recording.Thread{Kind: recording.SubAgent, Type: "Explore", Parent: 0},
			recording.Thread{Kind: recording.SubAgent, Type: "Plan", Parent: 0})
		r := play1(t, Options{}, session(threads,
			told{thread: 1, pred: -1, start: 0, read: 9_000, write: 5_000, version: "1"},
			told{thread: 1, pred: 0, start: 5, read: 14_000, write: 500, version: "1"},
			told{thread: 2, pred: -1, start: 10, read: 9_000, write: 6_000, version: "1"},
			told{thread: 3, pred: -1, start: 11, read: 9_000, write: 6_000, version: "1"},
			told{thread: 2, pred: -1, start: 12, read: 9_000, write: 6_000, version: "2"}))
		wantReads(t, r, 0, 0, 14_000, 9_000, 0, 0)
	})
	t.Run("IMP-06 where most lookups found a static prefix that nobody here kept, others are taken to keep it warm", func(t *testing.T) {
		reqs := []told{{pred: -1, start: 0, read: 15_000, write: 20_000}, {pred: 0, start: 4_000, read: 15_000, write: 30_000}}
		r := play1(t, Options{}, session(alone, append(reqs, told{pred: 1, start: 9_000, read: 15_000, write: 31_000})...))
		if got := r.Requests[0][2].Usage.Read; got != 15_000 {
			t.Errorf("read %d, want the static prefix of 15000", got)
		}
		cold := session(alone, told{pred: -1, start: 0, read: 15_000, write: 20_000}, told{pred: 0, start: 4_000, write: 45_000},
			told{pred: 1, start: 9_000, write: 46_000})
		if got := play1(t, Options{}, cold).Requests[0][2].Usage.Read; got != 0 {
			t.Errorf("read %d, want nothing: the last lookup found nothing", got)
		}
	})
	t.Run("IMP-06 a static prefix that was read is there, whoever wrote it", func(t *testing.T) {
		// Two cold lookups speak against others who keep it warm.
		r := play1(t, Options{}, session(alone, told{pred: -1, start: 0, write: 20_000}, told{pred: 0, start: 4_000, write: 21_000},
			told{pred: 1, start: 8_000, read: 9_000, write: 21_000}, told{pred: 2, start: 8_100, compacted: true, read: 9_000, write: 10_000}))
		wantReads(t, r, 0, 0, 0, 0, 9_000)
	})
	t.Run("IMP-05 at a user turn the client's own request after the last answer renews the conversation", func(t *testing.T) {
		s := session(append([]recording.Thread{}, alone...), told{pred: -1, start: 0, last: 100, write: 20_000}, told{pred: 0, start: 390, user: true, read: 20_000, write: 50})
		wantReads(t, play1(t, Options{Hidden: true}, s), 0, 0, 20_000)
		wantReads(t, play1(t, Options{}, s), 0, 0, 0)
		s.Threads[0].Kind = recording.SubAgent
		wantReads(t, play1(t, Options{Hidden: true}, s), 0, 0, 0)
		s.Threads[0].Kind, s.Requests[1].UserTurn = recording.Main, false
		wantReads(t, play1(t, Options{Hidden: true}, s), 0, 0, 0)
	})
	t.Run("IMP-05 a model that strips earlier thinking at a user turn has written the shorter prompt in the client's own request", func(t *testing.T) {
		strip := func(model string) *recording.Session {
			return session(alone, told{pred: -1, start: 0, last: 20, write: 20_000, model: model},
				told{pred: 0, start: 40, user: true, read: 17_000, write: 100, model: model})
		}
		wantReads(t, play1(t, Options{Hidden: true}, strip(sonnet)), 0, 0, 17_100)
		wantReads(t, play1(t, Options{Hidden: true}, strip(opus)), 0, 0, 0)
	})
	t.Run("CACHE-13 an entry of another lifetime that stands more than 20 positions back is not found", func(t *testing.T) {
		reqs := []told{{pred: -1, start: 0, write: 20_000, ttl: llm.TTL1h, blocks: 2}}
		size := int64(20_000)
		for i := range int32(9) {
			reqs = append(reqs, told{pred: i, start: 10 + int64(i), read: size, write: 100, blocks: 2})
			size += 100
		}
		late := told{pred: 9, start: 2_000, write: size + 50}
		if got := reads(play1(t, Options{}, session(alone, append(reqs, late)...)), 0)[10]; got != 0 {
			t.Errorf("read %d: the entry of an hour stands 27 positions back", got)
		}
		late.pred = 3
		if got := reads(play1(t, Options{}, session(alone, append(reqs[:4:4], late)...)), 0)[4]; got != 20_000 {
			t.Errorf("read %d, want 20000: the entry stands within reach", got)
		}
	})
	t.Run("CACHE-28 siblings that start before the first one's response begins read nothing of it", func(t *testing.T) {
		threads := append([]recording.Thread{}, alone...)
		for range 3 {
			threads = append(threads, recording.Thread{Kind: recording.SubAgent, Type: "Explore", Parent: 0})
		}
		s := session(threads, told{thread: 1, pred: -1, start: 0, read: 9_000, write: 5_000},
			told{thread: 2, pred: -1, start: 1, read: 0, write: 14_000}, told{thread: 3, pred: -1, start: 1, read: 9_000, write: 5_000})
		s.Requests[0].First, s.Requests[0].Last = at(4), at(5)
		wantReads(t, play1(t, Options{}, s), 0, 0, 0, 0)
	})
	t.Run("IMP-06 an extra request renews what was left and is billed apart", func(t *testing.T) {
		s := session(alone, told{pred: -1, start: 0, write: 20_000}, told{pred: 0, start: 500, write: 20_500})
		r := play1(t, Options{Extra: func(_, i int) []vtime.Instant {
			if i == 0 {
				return []vtime.Instant{at(290)}
			}
			return nil
		}}, s)
		wantReads(t, r, 0, 0, 20_000)
		if x := r.Requests[0][0].Extra; len(x) != 1 || x[0].Read != 20_000 {
			t.Errorf("the extra request's bill is %v", x)
		}
	})
	t.Run("IMP-06 what a request asks for can be altered: lifetime, model, breakpoints", func(t *testing.T) {
		s := session(alone, told{pred: -1, start: 0, write: 20_000}, told{pred: 0, start: 500, write: 20_500})
		long := play1(t, Options{Alter: func(_, _ int, a *Ask) { a.TTL = llm.TTL1h }}, s)
		wantReads(t, long, 0, 0, 20_000)
		none := play1(t, Options{Alter: func(_, _ int, a *Ask) { a.Uncached = true }}, s)
		if u := none.Requests[0][1].Usage; u != (llm.Usage{Input: 20_503}) {
			t.Errorf("without breakpoints the bill is %+v", u)
		}
	})
	t.Run("IMP-04 what holds no bill, no writes or an unknown model is refused with the reason", func(t *testing.T) {
		for want, spoil := range map[string]func(*recording.Request){ // order: each is a test of its own
			"has no usage":    func(r *recording.Request) { r.Billed = false },
			"without writes":  func(r *recording.Request) { r.WritesKnown = false },
			"is not in the":   func(r *recording.Request) { r.Model = "gpt-5.4" },
			"s: request 1 of": func(r *recording.Request) { r.Billed = false },
		} {
			s := session(alone, told{pred: -1, write: 20_000})
			spoil(&s.Requests[0])
			if _, err := Play([]*recording.Session{s}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want it to say %q", err, want)
			}
		}
	})
	t.Run("IMP-04 whatever the session, prompts keep their size and playing twice says the same", laws)
}

// laws holds every session that can be told: the model never invents or loses a
// token, and reads no more than the prompt.
func laws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "requests")
		var reqs []told
		clock := int64(0)
		for i := range n {
			clock += rapid.SampledFrom([]int64{0, 1, 10, 299, 301, 3_700}).Draw(t, "gap")
			reqs = append(reqs, told{pred: int32(rapid.IntRange(-1, i-1).Draw(t, "pred")), start: clock,
				last: clock + rapid.Int64Range(0, 400).Draw(t, "took"),
				read: rapid.Int64Range(0, 40_000).Draw(t, "read"), write: rapid.Int64Range(0, 40_000).Draw(t, "write"),
				model: rapid.SampledFrom([]string{opus, sonnet}).Draw(t, "model"), user: rapid.Bool().Draw(t, "user"),
				compacted: rapid.Bool().Draw(t, "compacted"), ttl: llm.TTL(rapid.IntRange(0, 1).Draw(t, "ttl")), blocks: rapid.IntRange(0, 9).Draw(t, "blocks")})
		}
		s := session(alone, reqs...)
		opt := Options{Hidden: rapid.Bool().Draw(t, "hidden"), Cache: cachemodel.DefaultAnthropicOptions()}
		one, err := Play([]*recording.Session{s}, opt)
		if err != nil {
			t.Fatal(err)
		}
		two, _ := Play([]*recording.Session{s}, opt)
		for i := range s.Requests {
			u, p := one.Requests[0][i].Usage, s.Requests[i].Usage
			if u.Prompt() != p.Prompt() {
				t.Fatalf("request %d: %d tokens became %d", i, p.Prompt(), u.Prompt())
			}
			if u != two.Requests[0][i].Usage {
				t.Fatalf("request %d: %+v, and again %+v", i, u, two.Requests[0][i].Usage)
			}
		}
	})
}
