package bridge

import (
	"encoding/json"
	"errors"
	"fmt"

	"agentsim/sim/kernel"
	"agentsim/sim/vtime"
)

// Control is a control plane, over a network. The answer is JSON or nonsense; an error
// that is no *Refusal is a connection that broke, before the call arrived or after.
type Control interface {
	Call(p *kernel.Proc, c *Call) ([]byte, error)
}

// Verb is what a call asks for.
type Verb string

// The verbs.
const (
	Register  Verb = "register"  // an environment; {"environment_id"}
	Poll      Verb = "poll"      // for work; {"work"}, null for none
	Heartbeat Verb = "heartbeat" // of a session, the first says that it runs; {"ok"}
	Post      Verb = "post"      // line Number of a session, from 1; {"ok"}
	Events    Verb = "events"    // for a session behind Number, waiting for one; {"events"}
	Refresh   Verb = "refresh"   // of a session's inner token; {"token"}
	Complete  Verb = "complete"  // a session, with how it ended in Status; {"ok"}
)

// Call is a call of the control plane.
type Call struct {
	Verb   Verb
	Token  string // the outer one
	Work   string // of calls about a session
	Number int
	Line   *Line  // of Post
	Status Status // of Complete
}

// Status is how a session ended.
type Status string

// How sessions end.
const (
	Completed Status = "completed"
	Failed    Status = "failed"    // the process ended by itself
	TimedOut  Status = "timed_out" // it took too long
	Stopped   Status = "stopped"   // the bridge did
)

// Refusal is a call that the control plane will never carry out.
type Refusal struct{ Why string }

func (r *Refusal) Error() string { return "the control plane refuses: " + r.Why }

// Work is a session that a control plane wants run.
type Work struct {
	ID      string `json:"id"`
	Session string `json:"session_id"`
	Token   string `json:"token"` // the inner one
}

// Event is something that a control plane has for a session: a line for its process, or
// with End its end.
type Event struct {
	Number int   `json:"n"`
	Line   *Line `json:"line,omitempty"`
	End    bool  `json:"end,omitempty"`
}

// said is what a control plane answers.
type said struct {
	OK          bool    `json:"ok,omitempty"`
	Environment string  `json:"environment_id,omitempty"`
	Work        *Work   `json:"work,omitempty"`
	Events      []Event `json:"events,omitempty"`
	Token       string  `json:"token,omitempty"`
}

// check says what an answer lacks that its verb needs.
func (s *said) check(v Verb) error {
	switch {
	case v == Register && s.Environment == "":
		return errors.New("no environment_id")
	case v == Poll && s.Work != nil && (s.Work.ID == "" || s.Work.Session == ""):
		return errors.New("work without an id or a session")
	case v == Refresh && s.Token == "":
		return errors.New("no token")
	case (v == Heartbeat || v == Post || v == Complete) && !s.OK:
		return errors.New("not ok")
	}
	return nil
}

// Waits between tries, doubled from the first to the last.
const (
	FirstWait = 2 * vtime.Second
	LastWait  = vtime.Minute
)

// call calls once.
func (b *Bridge) call(p *kernel.Proc, c Call) (*said, error) {
	c.Token = b.cfg.Token
	text, err := b.control.Call(p, &c)
	if err != nil {
		return nil, err
	}
	var out said
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("nonsense: %w", err)
	}
	if err := out.check(c.Verb); err != nil {
		return nil, fmt.Errorf("nonsense: %w", err)
	}
	return &out, nil
}

// insist calls until there is an answer, or a refusal.
func (b *Bridge) insist(p *kernel.Proc, c Call) (*said, error) {
	for wait := FirstWait; ; wait = min(2*wait, LastWait) {
		out, err := b.call(p, c)
		var refused *Refusal
		if err == nil || errors.As(err, &refused) {
			return out, err
		}
		if p.Aborted() == nil {
			b.tell("%s %s: again in %s: %v", c.Verb, c.Work, wait, err)
		}
		if err := p.Sleep(wait); err != nil {
			return nil, err
		}
	}
}
