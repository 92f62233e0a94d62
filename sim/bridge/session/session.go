// Package session is the process behind a bridge's session: the main conversation of
// a scenario, whose user speaks by lines of stream-json.
//
// Rules:
//   - A run is a function of its spec, so what the user says and answers becomes part
//     of a spec: with each line that comes the conversation runs from its beginning,
//     and what was told already is not told again.
//   - Every line that comes is answered by a state at last, so that whoever reads knows
//     that there is no more.
//   - A line that nothing can be done with is refused by name.
package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/bridge"
	"agentsim/sim/kernel"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// MaxMessages bounds what a user says in one session.
const MaxMessages = 1000

// Session is a conversation that waits for its user's next line.
type Session struct {
	id       string
	spec     sim.Spec
	ends     vtime.Instant // of the token; 0 for never
	messages []scenarios.UserStep
	answers  []scenarios.AnswerSpec
	asked    string         // the question that waits for an answer
	input    string         // what it asks about
	state    string         // what the session waits for
	waiting  []bridge.Line  // of the user, while it waits for something else
	late     vtime.Duration // that requests waited for tokens
	now      vtime.Instant  // of the line that came last
	since    vtime.Instant  // the session waits for its user
	told     int            // lines
	out      []bridge.Line
}

// New is a session on a scenario's main conversation. token is the environment's, "" for
// none.
func New(spec *sim.Spec, id, token string) (*Session, error) {
	sc := spec.Scenario
	switch {
	case sc.Main == nil || len(sc.Roots) > 0 || len(sc.Recorded) > 0:
		return nil, fmt.Errorf("scenario %s has not the one conversation main, which a session is", sc.Name)
	case len(sc.Permissions.Answers) > 0:
		return nil, fmt.Errorf("scenario %s has permissions.answers; a session's user answers by lines: leave them out, --set permissions.answers=[]", sc.Name)
	case len(sc.Main.Then) > 0:
		return nil, fmt.Errorf("scenario %s has main.then; a session's user speaks by lines: leave it out, --set main.then=[]", sc.Name)
	}
	s := &Session{id: id, spec: *spec, state: bridge.Idle}
	return s, s.setToken(token)
}

// setToken has requests go out with a token. One that cannot be decoded holds.
func (s *Session) setToken(token string) error {
	s.ends = 0
	if token == "" {
		return nil
	}
	end, err := bridge.Ends(token)
	if err != nil && !errors.Is(err, bridge.ErrNoEnd) {
		return err
	}
	s.ends = end
	return nil
}

// Take takes a line and returns what it comes to. A line that says when it comes is one
// that the session has waited for until then.
func (s *Session) Take(text []byte) ([]bridge.Line, error) {
	s.out = nil
	l, err := bridge.ParseLine(text)
	if err == nil {
		s.now = max(s.now, l.At)
		err = s.take(l)
	}
	var no refusal
	if errors.As(err, &no) || l == nil {
		s.say(bridge.Line{Type: bridge.System, Subtype: bridge.Refused, Error: err.Error()})
		err = nil
	}
	s.say(bridge.Line{Type: bridge.System, Subtype: bridge.Rests, State: s.state})
	return s.out, err
}

// Terminate, Kill and Close end the session where it is no process of its own.
func (s *Session) Terminate() bool { return true }

// Kill ends it.
func (s *Session) Kill() {}

// Close ends it.
func (s *Session) Close() error { return nil }

// refusal is why nothing can be done with a line.
type refusal string

func (r refusal) Error() string { return string(r) }

func (s *Session) take(l *bridge.Line) error {
	if l.At < 0 {
		return refusal("a line comes at an instant since the session began, not before it")
	}
	switch l.Type {
	case bridge.User:
		if l.Message == nil || len(text(l.Message.Content)) == 0 {
			return refusal("a message of the user has text")
		}
		if len(s.messages)+len(s.waiting) >= MaxMessages {
			return refusal(fmt.Sprintf("a session has at most %d messages of its user", MaxMessages))
		}
		s.waiting = append(s.waiting, *l)
		return s.run()
	case bridge.ControlResponse:
		if err := s.answer(l.Response); err != nil {
			return err
		}
		return s.run()
	case bridge.Environment:
		return s.environment(l.Variables)
	}
	return refusal("a session takes no line of type " + l.Type)
}

// environment takes new variables; the token is the only one that is read.
func (s *Session) environment(set map[string]string) error {
	token, given := set[bridge.TokenVariable]
	if len(set) != 1 || !given {
		return refusal("the one variable that a session reads is " + bridge.TokenVariable)
	}
	if err := s.setToken(token); err != nil {
		return refusal(err.Error())
	}
	if s.state == bridge.Expired {
		s.late += s.waited()
		s.state = ""
		return s.run()
	}
	return nil
}

// answer takes the answer to the question that waits for one.
func (s *Session) answer(r *bridge.Reply) error {
	switch {
	case r == nil || s.state != bridge.Asks || r.RequestID != s.asked:
		return refusal("nobody waits for this answer")
	case r.Subtype != "success" || r.Response == nil:
		return refusal("an answer has subtype success and a response")
	}
	a := scenarios.AnswerSpec{Nth: len(s.answers) + 1, Reply: r.Response.Behavior, After: s.span()}
	d := r.Response
	switch {
	case d.Behavior == "deny":
		a.Feedback = d.Message
	case d.Behavior != "allow":
		return refusal("an answer allows or denies")
	case d.UpdatedInput == nil || same(d.UpdatedInput, s.input):
	case d.UpdatedInput[0] != '{':
		return refusal("updatedInput is an object")
	case len(d.UpdatedPermissions) > 0:
		return refusal("an answer updates the input or permissions, not both")
	default:
		a.Reply, a.Edit = "edit", &scenarios.ToolTurn{Raw: string(d.UpdatedInput)}
	}
	for _, u := range d.UpdatedPermissions {
		if u.Type != "addRules" || u.Behavior != "allow" || u.Destination != "session" || d.Behavior != "allow" {
			return refusal("of updates of permissions a session takes rules that allow, for itself")
		}
		for _, r := range u.Rules {
			rule := r.Tool
			if r.Content != "" {
				rule += "(" + r.Content + ")"
			}
			if _, err := permission.ParseRule(rule, permission.Session); err != nil {
				return refusal(err.Error())
			}
			a.Reply, a.Rules = "always", append(a.Rules, rule)
		}
	}
	s.answers = append(s.answers, a)
	s.state = ""
	return nil
}

// run runs the conversation as far as it goes with what the user has said, and tells
// what is new.
func (s *Session) run() error {
	for {
		if s.state == bridge.Idle {
			if len(s.waiting) == 0 {
				return nil
			}
			s.listen(s.waiting[0].Message.Content)
			s.waiting, s.state = s.waiting[1:], ""
		}
		if s.state != "" {
			return nil
		}
		if err := s.play(); err != nil {
			return err
		}
	}
}

// listen makes a message part of the conversation.
func (s *Session) listen(said bridge.Content) {
	after := s.span()
	s.messages = append(s.messages, scenarios.UserStep{Message: &scenarios.Content{Text: text(said)}, After: &after})
}

// play runs what was said so far.
func (s *Session) play() error {
	spec, sc := s.spec, *s.spec.Scenario
	main := *sc.Main
	main.User, main.Then = s.messages[0].Message, s.messages[1:]
	sc.Main = &main
	sc.Permissions.Answers = slices.Clone(s.answers)
	spec.Scenario = &sc
	t := &teller{s: s}
	res, err := sim.Run(&spec, sim.Options{NoAudit: true, OnKernel: func(k *kernel.Kernel) { t.stop = k.Interrupt }, Sinks: sinks(t)})
	switch {
	case err != nil:
		return err
	case t.stopped:
	case res.Outcome != sim.Completed:
		s.result(t, fmt.Sprintf("%s: %s", res.Outcome, res.Detail))
	default:
		s.result(t, "")
	}
	s.told = t.lines
	return nil
}

// result tells how the answer to a message of the user ended.
func (s *Session) result(t *teller, failed string) {
	l := bridge.Line{Type: bridge.Result, Subtype: "success", At: t.at, Turns: t.calls, Usage: &t.usage, Result: t.last}
	if failed != "" {
		l.Subtype, l.IsError, l.Error = "error_during_execution", true, failed
	}
	s.say(l)
	s.wait(bridge.Idle, t.at)
}

// wait has the session wait for something.
func (s *Session) wait(state string, at vtime.Instant) {
	s.state, s.since = state, max(s.now, at.Add(s.late))
}

// waited is how long it has, and span that as a scenario has it.
func (s *Session) waited() vtime.Duration { return max(0, s.now.Sub(s.since)) }

func (s *Session) span() rng.Span { return rng.Span{Lo: int64(s.waited()), Hi: int64(s.waited())} }

// say tells a line, on the session's clock.
func (s *Session) say(l bridge.Line) {
	l.Session = s.id
	if l.At > 0 {
		l.At = l.At.Add(s.late)
	}
	s.out = append(s.out, l)
}

// same reports whether two JSON texts differ in white space alone.
func same(a []byte, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// text is what blocks of a user say.
func text(c bridge.Content) (out string) {
	for _, b := range c {
		if b.Type == "text" {
			out += b.Text
		}
	}
	return out
}
