package judge

import (
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

func TestTold(t *testing.T) {
	for _, c := range []struct {
		told  recording.What
		cause recording.Cause
	}{
		{recording.ThinkingTold, recording.SettingsCause}, {recording.EffortTold, recording.SettingsCause}, {recording.SpeedTold, recording.SettingsCause},
		{recording.ResumeTold, recording.ResumeCause}, {recording.MicrocompactTold, recording.MicrocompactCause},
		{recording.VersionTold, recording.ClientCause}, {recording.MCPTold, recording.MCPCause}, {recording.ToolListTold, recording.ToolListCause},
		{recording.AgentListTold, recording.ToolListCause}, {recording.SkillListTold, recording.ToolListCause}, {recording.PlanTold, recording.PlanCause},
		{recording.SkillTold, recording.SkillCause}, {recording.ErrorTold, recording.RetryCause}, {recording.AwayTold, recording.NoiseCause},
	} {
		t.Run("IMP-11 a miss behind a line that tells of "+c.told.String()+" is named after it", func(t *testing.T) {
			s := two(10, 9_000, func(r *recording.Request) { r.Told = []recording.Told{{What: c.told, File: 1, Line: 7}} })
			if got := Classify(s)[1].Cause; got != c.cause {
				t.Errorf("cause %q, want %q", got, c.cause)
			}
			if by, ok := s.Requests[1].Explains(c.cause.String()); ok != (c.cause != recording.NoiseCause) || ok && by.Line != 7 {
				t.Errorf("told by %+v, %v", by, ok)
			}
		})
	}
	t.Run("IMP-11 an entry that had expired is gone whatever lines tell, but for settings", func(t *testing.T) {
		for w, want := range map[recording.What]recording.Cause{recording.ResumeTold: recording.ExpiredCause, recording.ThinkingTold: recording.SettingsCause} { // order: each is a test of its own
			s := two(400, 0, func(r *recording.Request) { r.Told = []recording.Told{{What: w}} })
			if got := Classify(s)[1].Cause; got != want {
				t.Errorf("%v: cause %q, want %q", w, got, want)
			}
		}
	})
	t.Run("IMP-15 an entry that was written for an hour is not told to have been written for five minutes", func(t *testing.T) {
		s := two(4000, 0, nil)
		s.Requests[0].Usage.Write5m, s.Requests[0].Usage.Write1h = 0, 6000
		if got := Classify(s)[1].Cause; got != recording.HourCause {
			t.Errorf("cause %q", got)
		}
	})
	t.Run("IMP-12 a step that reads the end of any ancestor has lag, a user turn only that of the last write", func(t *testing.T) {
		for _, c := range []struct {
			read   int64
			change func(*recording.Request)
			lag    bool
		}{
			{20_000, nil, true}, {21_000, nil, true}, {20_001, nil, false}, {20_000, user, false}, {21_000, user, true},
			{20_000, func(r *recording.Request) { r.Model = sonnet }, false}, {20_000, func(r *recording.Request) { r.Start = at(600) }, false},
		} {
			s := two(10, 20_000, nil)
			for i, u := range []llm.Usage{{Read: 21_000, Write5m: 500}, {Read: c.read, Write5m: 60_000}} {
				r := s.Requests[1]
				r.Pred, r.Start, r.Usage = int32(i+1), at(int64(11+i)), u
				s.Requests = append(s.Requests, r)
			}
			if c.change != nil {
				c.change(&s.Requests[3])
			}
			if got := Classify(s)[3].Class; (got == recording.Visibility) != c.lag {
				t.Errorf("read %d: %v", c.read, got)
			}
			s.Requests[1].Model = sonnet // whose entries no other model reads
			if got := Classify(s)[3].Class; got == recording.Visibility && c.read == 20_000 {
				t.Errorf("read %d of another model's: %v", c.read, got)
			}
		}
	})
}
