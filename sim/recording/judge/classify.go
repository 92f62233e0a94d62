package judge

import (
	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// Transition says what lies between a request and its predecessor.
type Transition uint8

// The transitions.
const (
	MainLoop Transition = iota // a tool's result, main thread
	MainUser                   // a message of the user, main thread
	SubLoop                    // within a sub-agent or fork
	Compaction
	ModelSwitch
	First // no predecessor
	Transitions
)

func (t Transition) String() string {
	return [...]string{"main, tool loop", "main, user turn", "sub-agent", "compaction", "model switch", "first of thread"}[t]
}

// Verdict is what a recording says of one request.
type Verdict struct {
	Class      recording.Class
	Cause      recording.Cause // NoCause for an exact or first one
	Transition Transition
	Expected   int64          // E: tokens that the predecessor left to be read
	Age        vtime.Duration // from the predecessor's start; 0 for a first one
	TTL        llm.TTL        // lifetime of what the predecessor left
	Within     bool           // Age is no more than that lifetime
}

// Lost is how many of the expected tokens were not read.
func (v Verdict) Lost(r *recording.Request) int64 { return max(v.Expected-r.Usage.Read, 0) }

// within is 1 for a request within the lifetime, else 0.
func (v Verdict) within() int {
	if v.Within {
		return 1
	}
	return 0
}

// Classify says of each request of s how it was read and why (IMP-05).
func Classify(s *recording.Session) []Verdict { return classify(s, true) }

// Infer is Classify without the server's own diagnosis, so that the two can be
// compared.
func Infer(s *recording.Session) []Verdict { return classify(s, false) }

func classify(s *recording.Session, ask bool) []Verdict {
	out := make([]Verdict, len(s.Requests))
	statics := map[staticOf]bool{}
	for i := range s.Requests {
		r := &s.Requests[i]
		v := &out[i]
		v.Transition = transition(s, i)
		if r.Pred < 0 {
			v.Class = recording.FirstOfThread
			note(statics, r)
			continue
		}
		p := &s.Requests[r.Pred]
		v.Expected = s.Expected(i)
		v.Age = r.Start.Sub(p.Start)
		v.TTL, _ = s.Lifetime(int(r.Pred))
		v.Within = v.Age <= v.TTL.Duration()
		v.Class = class(s, r, v, statics)
		if v.Class == recording.StaticPrefix {
			note(statics, r)
		}
		v.Cause = cause(s, i, v, ask)
	}
	return out
}

func transition(s *recording.Session, i int) Transition {
	r := &s.Requests[i]
	switch {
	case r.Pred < 0:
		return First
	case r.Compacted:
		return Compaction
	case s.Requests[r.Pred].Model != r.Model:
		return ModelSwitch
	case s.Threads[r.Thread].Kind != recording.Main:
		return SubLoop
	case r.UserTurn:
		return MainUser
	}
	return MainLoop
}

// staticOf is a read that only a static prefix explains.
type staticOf struct {
	model  string
	tokens int64
}

func note(statics map[staticOf]bool, r *recording.Request) {
	if r.Usage.Read > 0 {
		statics[staticOf{r.Model, r.Usage.Read}] = true
	}
}

// class compares what was read with what was expected. A read of less than half,
// or of what a thread's first request or an earlier collapse read, is the static
// prefix.
func class(s *recording.Session, r *recording.Request, v *Verdict, statics map[staticOf]bool) recording.Class {
	p, read := &s.Requests[r.Pred], r.Usage.Read
	switch {
	case read == v.Expected:
		return recording.Exact
	case read > v.Expected:
		return recording.Over
	case read == 0:
		return recording.Zero
	case v.Within && p.Model == r.Model && !r.Compacted && (read == p.Usage.Read || !r.UserTurn && leftEarlier(s, p, read)):
		return recording.Visibility
	case read*2 < v.Expected || statics[staticOf{r.Model, read}]:
		return recording.StaticPrefix
	}
	return recording.ShortNear
}

// leftEarlier reports whether so many tokens are what a request before p left to
// be read, in one conversation of one model (IMP-12).
func leftEarlier(s *recording.Session, p *recording.Request, read int64) bool {
	for n := 0; p.Pred >= 0 && !p.Compacted && n < maxBack; n++ {
		model := p.Model
		if p = &s.Requests[p.Pred]; p.Model != model {
			return false
		}
		if p.Usage.Read+p.Usage.Written() == read {
			return true
		}
	}
	return false
}

// maxBack is how many requests are looked at for one that another reads the end of.
const maxBack = 1000

// cause says why a request read something else than expected.
func cause(s *recording.Session, i int, v *Verdict, ask bool) recording.Cause {
	r := &s.Requests[i]
	switch v.Class {
	case recording.Exact:
		return recording.NoCause
	case recording.Over:
		if s.Requests[r.Pred].ChangedBy() == recording.MarksCause {
			return recording.NoCause // it reads what a request before that one left
		}
		return recording.HiddenCause
	}
	if c, ok := serverCause[r.ServerMiss]; ok && ask {
		return c
	}
	if c := r.ChangedBy(); c != recording.NoCause && c != recording.ExpiredCause {
		return c
	}
	strips := r.UserTurn && stripsThinking(r.Model)
	switch {
	case r.Compacted:
		return recording.CompactCause
	case s.Requests[r.Pred].Model != r.Model:
		return recording.ModelCause
	}
	c := told(r)
	switch {
	case c == recording.SettingsCause:
		return c
	case expired(s, i, v) && v.TTL == llm.TTL1h:
		return recording.HourCause
	case expired(s, i, v):
		return recording.ExpiredCause
	case c == recording.ResumeCause, c == recording.MicrocompactCause, c == recording.ClientCause:
		return c // each loses the history nearly always
	case v.Class == recording.Visibility:
		return recording.LagCause
	case c != recording.NoCause:
		return c
	case r.Usage.Prompt() < v.Expected && strips, strips && v.Class == recording.ShortNear:
		return recording.ThinkingCause
	case r.Usage.Prompt() < v.Expected:
		return recording.HistoryCause
	}
	return recording.NoiseCause
}

// told is the surest cause that a line tells; NoCause for none.
func told(r *recording.Request) recording.Cause {
	for _, k := range recording.ToldCauses {
		if _, ok := r.Tells(k.Told...); ok {
			return k.Cause
		}
	}
	return recording.NoCause
}

// serverCause are the server's diagnoses that name a cause. previous_message_
// not_found and unavailable do not.
var serverCause = map[string]recording.Cause{
	"tools_changed": recording.ToolsCause, "system_changed": recording.SystemCause, "messages_changed": recording.HistoryCause,
	"model_changed": recording.ModelCause,
}

// expired reports whether the predecessor's entry was gone. At a user turn the
// client's own request after the last answer may have renewed it.
func expired(s *recording.Session, i int, v *Verdict) bool {
	return sinceUse(s, i) > v.TTL.Duration()
}

// sinceUse is how long what the predecessor left had not been used, so far as
// the recording tells.
func sinceUse(s *recording.Session, i int) vtime.Duration {
	r := &s.Requests[i]
	p := &s.Requests[r.Pred]
	if r.UserTurn && !r.Compacted && s.Threads[r.Thread].Kind == recording.Main && p.Last > p.Start && p.Last < r.Start {
		return r.Start.Sub(p.Last)
	}
	return r.Start.Sub(p.Start)
}

func stripsThinking(model string) bool {
	p, err := cachemodel.Lookup(model)
	return err == nil && p.StripsThinking
}
