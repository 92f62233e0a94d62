package judge

import (
	"fmt"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

const (
	opus   = "claude-opus-4-5-20251101"
	sonnet = "claude-sonnet-4-5-20250929"
)

func at(seconds int64) vtime.Instant {
	return vtime.Instant(0).Add(vtime.Duration(seconds) * vtime.Second)
}

// two is a session of two requests: the first reads 14,000 and writes 6,000, so
// 20,000 can be read by the second, which gap seconds later reads so many.
func two(gap, read int64, change func(*recording.Request)) *recording.Session {
	s := &recording.Session{Origin: "o", ID: "s", Threads: []recording.Thread{{Name: "main", Parent: -1, SpawnedBy: -1}}}
	s.Requests = []recording.Request{
		{Pred: -1, Model: opus, Start: at(0), First: at(1), Last: at(2), Billed: true, WritesKnown: true,
			Usage: llm.Usage{Read: 14_000, Write5m: 6_000, Input: 3}},
		{Pred: 0, Model: opus, Start: at(gap), First: at(gap + 1), Last: at(gap + 2), Billed: true, WritesKnown: true,
			Usage: llm.Usage{Read: read, Write5m: 21_000 - min(read, 20_500), Input: 3}},
	}
	if change != nil {
		change(&s.Requests[1])
	}
	return s
}

func user(r *recording.Request) { r.UserTurn = true }

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name   string
		s      *recording.Session
		class  recording.Class
		cause  recording.Cause
		within bool
	}{
		{"everything that was left, exact", two(10, 20_000, nil), recording.Exact, recording.NoCause, true},
		{"more than was left, over by a hidden request", two(10, 20_400, user), recording.Over, recording.HiddenCause, true},
		{"what the predecessor read, visibility lag", two(10, 14_000, nil), recording.Visibility, recording.LagCause, true},
		{"the same past the lifetime is the static prefix, expired", two(400, 14_000, nil), recording.StaticPrefix, recording.ExpiredCause, false},
		{"nothing past the lifetime, zero and expired", two(400, 0, nil), recording.Zero, recording.ExpiredCause, false},
		{"nothing within the lifetime, noise", two(10, 0, nil), recording.Zero, recording.NoiseCause, true},
		{"less than half, the static prefix", two(10, 9_000, nil), recording.StaticPrefix, recording.NoiseCause, true},
		{"a little less, short-near", two(10, 19_000, nil), recording.ShortNear, recording.NoiseCause, true},
		{"a little less at a user turn of a model that strips thinking", two(10, 19_000, func(r *recording.Request) { r.UserTurn, r.Model = true, sonnet }),
			recording.ShortNear, recording.ModelCause, true},
		{"another model", two(10, 0, func(r *recording.Request) { r.Model = sonnet }), recording.Zero, recording.ModelCause, true},
		{"the first after a compaction", two(10, 9_000, func(r *recording.Request) { r.Compacted = true }), recording.StaticPrefix, recording.CompactCause, true},
		{"a prompt shorter than what was left, rewritten", two(10, 9_000, func(r *recording.Request) { r.Usage.Write5m = 1_000 }), recording.StaticPrefix, recording.HistoryCause, true},
		{"its marks were gone", two(10, 0, func(r *recording.Request) { r.Changed = "marks: none from block 4 (user text) on" }), recording.Zero, recording.MarksCause, true},
		{"its mark asks for another lifetime within the lifetime", two(10, 0, func(r *recording.Request) { r.Changed = "ttl: block 4 (user text), 1h after 5m" }), recording.Zero, recording.NoiseCause, true},
		{"its mark asks for another lifetime past the lifetime, expired", two(400, 0, func(r *recording.Request) { r.Changed = "ttl: block 4 (user text), 1h after 5m" }), recording.Zero, recording.ExpiredCause, false},
		{"the server says tools", two(10, 9_000, func(r *recording.Request) { r.ServerMiss = "tools_changed" }), recording.StaticPrefix, recording.ToolsCause, true},
		{"the server says system", two(10, 9_000, func(r *recording.Request) { r.ServerMiss = "system_changed" }), recording.StaticPrefix, recording.SystemCause, true},
		{"the server does not find the message past the lifetime, expired", two(400, 0, func(r *recording.Request) { r.ServerMiss = "previous_message_not_found" }), recording.Zero, recording.ExpiredCause, false},
	} {
		t.Run("IMP-05 "+c.name, func(t *testing.T) {
			got := Classify(c.s)[1]
			if got.Class != c.class || got.Cause != c.cause || got.Within != c.within || got.Expected != 20_000 {
				t.Errorf("%s by %q, within %v, of %d; want %s by %q, within %v, of 20000", got.Class, got.Cause, got.Within, got.Expected, c.class, c.cause, c.within)
			}
		})
	}
	t.Run("IMP-05 thinking that a model strips is the cause where the predecessor's model is the same", func(t *testing.T) {
		s := two(10, 19_000, user)
		s.Requests[0].Model, s.Requests[1].Model = sonnet, sonnet
		if got := Classify(s)[1]; got.Cause != recording.ThinkingCause {
			t.Errorf("cause %q", got.Cause)
		}
	})
	t.Run("IMP-05 a read that an earlier collapse or a thread's first request had is the static prefix", func(t *testing.T) {
		s := two(10, 14_000, nil)
		s.Requests[0].Usage = llm.Usage{Read: 13_000, Write5m: 7_000}
		if got := Classify(s)[1]; got.Class != recording.ShortNear {
			t.Errorf("class %s of a read that nothing explains", got.Class)
		}
		s.Requests = append(s.Requests, recording.Request{Pred: 1, Model: opus, Start: at(20), Usage: llm.Usage{Read: 13_000}})
		if got := Classify(s)[2]; got.Class != recording.StaticPrefix {
			t.Errorf("class %s of what the first request read", got.Class)
		}
	})
	t.Run("IMP-05 a request after one without marks reads what an earlier one left, which no hidden request did", func(t *testing.T) {
		s := two(10, 0, func(r *recording.Request) {
			r.Changed, r.Usage = "marks: none from block 4 (user text) on", llm.Usage{Input: 21_000}
		})
		s.Requests = append(s.Requests, recording.Request{Pred: 1, Model: opus, Start: at(20), Usage: llm.Usage{Read: 20_000, Write5m: 2_000}})
		if got := Classify(s)[2]; got.Class != recording.Over || got.Cause != recording.NoCause {
			t.Errorf("%s by %q", got.Class, got.Cause)
		}
	})
	t.Run("IMP-05 without the server's diagnosis the cause is inferred from usage alone", func(t *testing.T) {
		s := two(10, 9_000, func(r *recording.Request) { r.ServerMiss = "tools_changed" })
		if got := Infer(s)[1]; got.Cause != recording.NoiseCause {
			t.Errorf("inferred %q", got.Cause)
		}
	})
	t.Run("IMP-05 a user turn expires from the last answer on, a tool loop from the predecessor's start", func(t *testing.T) {
		late := func(change func(*recording.Request)) recording.Cause {
			s := two(390, 0, change)
			s.Requests[0].Last = at(100)
			return Classify(s)[1].Cause
		}
		if got := late(user); got != recording.NoiseCause {
			t.Errorf("at a user turn %q, want noise: 290 s after the answer", got)
		}
		if got := late(nil); got != recording.ExpiredCause {
			t.Errorf("in a tool loop %q, want ttl: 390 s after the start", got)
		}
	})
	t.Run("IMP-13 errors over all requests, in tokens and money, beside predictors that fail where they know nothing of lifetimes", everything)
	t.Run("IMP-13 the expected loss has its rate from the other half", expectedLoss)
	t.Run("IMP-06 figures are sums over requests: exact steps, signed and absolute error, the naive baseline beside them", sums)
	t.Run("IMP-06 the naive baseline expects nothing past the lifetime, nor of another model", func(t *testing.T) {
		for name, s := range map[string]*recording.Session{ // order: each is a test of its own
			"at the lifetime": two(300, 20_000, nil),
			"another model":   two(10, 20_000, func(r *recording.Request) { r.Model = sonnet }),
		} {
			if c := mustJudge(t, s).Repos[0].Followers(); c.Naive != (Error{20_000, -20_000}) {
				t.Errorf("%s: naive is off by %+v", name, c.Naive)
			}
		}
	})
	t.Run("IMP-06 first requests whose static prefix an earlier thread told are counted apart", func(t *testing.T) {
		s := two(10, 20_000, nil)
		s.Threads = append(s.Threads, s.Threads[0])
		again := s.Requests[0]
		again.Thread, again.Start, again.First, again.Last = 1, at(20), at(21), at(22)
		s.Requests = append(s.Requests, again)
		r := &mustJudge(t, s).Repos[0]
		if r.Known.N != 1 || r.Known.Predicted != 1 || r.Cells[First][0].N != 2 {
			t.Errorf("%d of %d first requests with a known prefix, %d exact", r.Known.N, r.Cells[First][0].N, r.Known.Predicted)
		}
	})
	t.Run("CACHE-V4 of the requests that lost their history those after more than five minutes are counted", func(t *testing.T) {
		late := two(400, 0, nil)
		late.ID = "late"
		if r := &mustJudge(t, late, two(10, 0, nil)).Repos[0]; r.Resets != 2 || r.Late != 1 {
			t.Errorf("%d of %d resets came late", r.Late, r.Resets)
		}
	})
	t.Run("IMP-06 steps that missed only the previous write are counted apart", func(t *testing.T) {
		rep := mustJudge(t, two(10, 14_000, nil))
		if n, exact, lag := rep.Repos[0].Steps(); n != 0 || exact != 0 || lag != 1 {
			t.Errorf("%d steps, %d exact, %d lagging; want 0, 0, 1", n, exact, lag)
		}
	})
	t.Run("IMP-06 sessions that cannot be played are left out and counted by reason", func(t *testing.T) {
		s := two(10, 20_000, nil)
		s.Client, s.Requests[0].WritesKnown = "codex", false
		rep := mustJudge(t, s, two(10, 20_000, nil))
		if got := fmt.Sprint(rep.Unplayable); got != "[{the API bills no writes (codex) 1 2}]" || rep.Repos[0].Sessions != 1 {
			t.Errorf("left out %s, judged %d", got, rep.Repos[0].Sessions)
		}
	})
	t.Run("IMP-05 the server's diagnosis is counted against ours", func(t *testing.T) {
		rep := mustJudge(t, two(10, 9_000, func(r *recording.Request) { r.ServerMiss, r.ServerMissed = "tools_changed", 10_500 }))
		if got := fmt.Sprint(rep.Agreement); got != "[{tools_changed noise 1 10500 11000}]" {
			t.Errorf("agreement %s", got)
		}
	})
	t.Run("IMP-03 an API without billed writes is observed by gap: whole prompts, parts, collapses, multiples of 128", observed)
}

func mustJudge(t *testing.T, s ...*recording.Session) *Report {
	t.Helper()
	rep, err := Judge(s)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// inHalf renames a session until it is in half h.
func inHalf(s *recording.Session, h int) *recording.Session {
	for i := 0; Half(s) != h; i++ {
		s.ID = fmt.Sprint("s", i)
	}
	return s
}

// everything are errors over all requests: a first one that read a static prefix,
// and one that read all that was left after ten minutes of an hour.
func everything(t *testing.T) {
	kept, gone := two(600, 20_000, nil), two(600, 0, nil)
	kept.Requests[0].Usage = llm.Usage{Read: 4_000, Write1h: 16_000, Input: 3}
	gone.Requests[0].Usage = llm.Usage{Read: 4_000, Write5m: 16_000, Input: 3}
	gone.ID = "gone"
	a := mustJudge(t, kept, gone).Repos[0].All
	if a.N != 4 || a.Kept.N != 1 || a.Gone.N != 1 {
		t.Fatalf("%d requests, %d kept and %d gone", a.N, a.Kept.N, a.Gone.N)
	}
	for k, want := range [Predictors]struct {
		tokens     Error
		kept, gone int64
		tells      bool
	}{
		ByModel:   {Error{8_000, -8_000}, 1, 1, true}, // of first ones
		ByNaive:   {Error{8_000, -8_000}, 1, 1, true},
		ByAlways:  {Error{28_000, 12_000}, 1, 0, false},
		BySwapped: {Error{}, 0, 0, false},
	} {
		got := a.Off[k].Tokens
		if Predictor(k) != BySwapped && got != want.tokens || a.Kept.Right[k] != want.kept || a.Gone.Right[k] != want.gone || a.Tells(Predictor(k)) != want.tells {
			t.Errorf("%v: %+v, kept %d, gone %d", Predictor(k), got, a.Kept.Right[k], a.Gone.Right[k])
		}
	}
	// Of 20,500 tokens 20,000 were said to be read and none was: they were written at
	// $6.25 a million instead of $0.50.
	r := &gone.Requests[1]
	if got := paid(r, r.Usage.Read) - paid(r, 20_000); got != 20_000*5_750_000 {
		t.Errorf("the loss of 20,000 tokens costs %d", got)
	}
}

// expectedLoss is found on the other half.
func expectedLoss(t *testing.T) {
	zero, one := inHalf(two(10, 0, nil), 0), inHalf(two(10, 20_000, nil), 1)
	zero.Requests[0].Usage, one.Requests[0].Usage = llm.Usage{Write5m: 20_000}, llm.Usage{Write5m: 20_000}
	if a := mustJudge(t, zero, one).Repos[0].All; a.Loss <= 0 {
		t.Errorf("the half that lost nothing expects %d of the other's loss", a.Loss)
	}
	if a := mustJudge(t, zero).Repos[0].All; a.Loss != 0 {
		t.Errorf("a half alone expects %d", a.Loss)
	}
}

func sums(t *testing.T) {
	// In a store that holds nothing a hit past the lifetime is predicted as none.
	rep := mustJudge(t, two(10, 20_000, nil), func() *recording.Session {
		s := two(10, 20_400, user)
		s.ID = "t"
		return s
	}())
	r := &rep.Repos[0]
	c := r.Followers()
	if c.N != 2 || c.Predicted != 1 || c.Read != 40_400 || c.Off != (Error{400, -400}) || c.Naive != (Error{400, -400}) {
		t.Errorf("%+v", c)
	}
	if n, exact, _ := r.Steps(); n != 1 || exact != 1 {
		t.Errorf("%d of %d steps exact", exact, n)
	}
	if r.Usage.Read != 68_400 || r.Requests != 4 || r.Sessions != 2 {
		t.Errorf("%d requests of %d sessions read %d", r.Requests, r.Sessions, r.Usage.Read)
	}
	if got := r.Cells[MainUser][1].Class[recording.Over]; got != 1 {
		t.Errorf("%d user turns read more than was left", got)
	}
}

func observed(t *testing.T) {
	s := two(10, 20_000, nil)
	for i := range s.Requests {
		s.Requests[i].WritesKnown = false
	}
	s.Requests[0].Usage = llm.Usage{Read: 12_800, Input: 7_600}
	s.Requests[1].Usage = llm.Usage{Read: 19_968, Input: 1_000}
	more := s.Requests[1]
	more.Start, more.Last, more.Pred, more.Usage = at(700), at(702), 1, llm.Usage{Read: 3_456, Input: 20_000}
	part := more
	part.Start, part.Last, part.Pred, part.Usage = at(720), at(722), 2, llm.Usage{Read: 15_000, Input: 20_000}
	s.Requests = append(s.Requests, more, part)
	s.Threads = append(s.Threads, recording.Thread{Kind: recording.Fork, Parent: 0})
	s.Requests = append(s.Requests, recording.Request{Thread: 1, Pred: -1, Model: "gpt-5.4", Billed: true, Usage: llm.Usage{Read: 3_456, Input: 100_000}})
	got := Observe([]*recording.Session{s, two(10, 20_000, nil)})
	want := BestEffort{Sessions: 1, Requests: 5, Rounded: 4, Forks: []ForkStart{{103_456, 3_456}}}
	want.Steps[UnderMinute] = Steps{N: 2, Full: 1, Partial: 1}
	want.Steps[UnderHour] = Steps{N: 1, Collapsed: 1}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}
