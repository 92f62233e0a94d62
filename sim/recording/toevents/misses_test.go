package toevents_test

import (
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript"
)

// reported keeps what a run says of its second request.
type reported struct {
	miss     llm.Miss
	recorded transcript.Recorded
}

func (r *reported) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.Response:
		r.miss = b.Resp.Cache.Miss
	case *transcript.Recorded:
		r.recorded = *b
	}
}

func TestMisses(t *testing.T) {
	second := func(t *testing.T, class recording.Class, cause recording.Cause, read string) reported {
		t.Helper()
		s := parseSession(t, "thread main\nrequest a w5=1000\nrequest b at=9 pred=0 in=1100 read="+read)
		v := []judge.Verdict{{Class: recording.FirstOfThread}, {Class: class, Cause: cause, Expected: 1000}}
		var r reported
		if err := toevents.Emit(s, v, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Run("IMP-05 REC-06 each cause of a recording is one reason of the closed list, with what was lost", func(t *testing.T) {
		for cause, want := range map[recording.Cause]llm.MissReason{ // order: each pair is looked at by itself
			recording.ExpiredCause: llm.MissExpired, recording.ModelCause: llm.MissModel, recording.CompactCause: llm.MissMessages,
			recording.ToolsCause: llm.MissTools, recording.SystemCause: llm.MissSystem, recording.HistoryCause: llm.MissMessages,
			recording.ThinkingCause: llm.MissMessages, recording.LagCause: llm.MissNotYetReadable, recording.NoiseCause: llm.MissUnexplained,
			recording.MarksCause: llm.MissNoMarker,
		} {
			r := second(t, recording.ShortNear, cause, "400")
			if r.miss != (llm.Miss{Reason: want, Expected: 1000, Lost: 600, Byte: -1}) {
				t.Errorf("cause %s: %+v, want reason %s", cause, r.miss, want)
			}
			if r.recorded.Cause != cause.String() || r.recorded.Class != "short-near" || r.recorded.Expected != 1000 || r.recorded.Pred != 1 {
				t.Errorf("cause %s is told as %+v", cause, r.recorded)
			}
		}
	})
	t.Run("IMP-05 REC-06 what was read in full, or beyond, is no miss, whatever the cause", func(t *testing.T) {
		for _, read := range []string{"1000", "1030"} {
			if r := second(t, recording.Over, recording.HiddenCause, read); r.miss.Reason != llm.NotMissed || r.miss.Lost != 0 {
				t.Errorf("read %s: %+v", read, r.miss)
			}
		}
	})
	t.Run("IMP-05 REC-06 without verdicts classes and misses are left out, the rest is told", func(t *testing.T) {
		s := parseSession(t, "thread main\nrequest a w5=1000\nrequest b at=900 pred=0 w5=1100")
		var out strings.Builder
		if err := toevents.Emit(s, nil, transcript.NewText(&out)); err != nil {
			t.Fatal(err)
		}
		if text := out.String(); strings.Contains(text, " miss=") || strings.Contains(text, " class=") || strings.Count(text, " response ") != 2 {
			t.Error(text)
		}
	})
	t.Run("IMP-04 REC-06 without verdicts too, what follows a compaction does not extend what was before it", func(t *testing.T) {
		s := parseSession(t, "thread main\nrequest a w5=1000\nrequest b at=9 pred=0 w5=1100 compacted")
		var out strings.Builder
		if err := toevents.Emit(s, nil, &prompts{out: &out, before: map[int32]*llm.Node{}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "agent 0 call 1, 0 of its blocks shared") {
			t.Error(out.String())
		}
	})
}
