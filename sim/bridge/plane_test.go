package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"

	"github.com/golang-jwt/jwt/v5"
)

// Away is a time in which a control plane cannot be reached.
type Away struct{ From, To vtime.Instant }

// Network is how a control plane is reached, and what becomes of calls on the way.
type Network struct {
	Link     vtime.Duration // one way
	Away     []Away
	Loss     int64 // of a thousand calls, lost before they arrive, and as many answers
	Nonsense int64 // of a thousand answers
}

// Users is what is done at a control plane by those whose sessions run.
type Users struct {
	Messages []string            // of each user, one after another
	Thinks   vtime.Duration      // from a question to its answer
	Deny     func(q *Ask) string // why a question is denied; "" for not
	Twice    bool                // every answer is given twice
}

// Times of a control plane.
const (
	leaseFor = 3 * BeatEvery     // without a heartbeat work is given away again
	holdFor  = 20 * vtime.Second // a call for events that has none
	attempts = 3                 // at a session
)

var errBroken = errors.New("the connection broke")

// plane is a simulated control plane with its users.
type plane struct {
	k        *kernel.Kernel
	key      rng.Key
	net      Network
	users    Users
	outer    string
	life     vtime.Duration // of inner tokens
	slow     vtime.Duration // that a refresh takes
	works    []*work
	calls    uint64
	news     *kernel.Signal
	nonsense int
}

// work is a session, as a control plane has it.
type work struct {
	Row
	taken   bool
	leased  vtime.Instant // until
	events  []Event
	asked   map[string]bool // questions
	results int             // of the present attempt
	said    int             // messages
}

// add has a session run.
func (c *plane) add(id string) {
	w := &work{Row: Row{ID: id, Attempts: 1}, asked: map[string]bool{}}
	c.works = append(c.works, w)
	c.speak(w)
}

// name is what the present attempt at a session is called.
func (w *work) name() string { return fmt.Sprintf("%s.%d", w.ID, w.Attempts) }

// Call answers a call, if it and its answer arrive.
func (c *plane) Call(p *kernel.Proc, call *Call) ([]byte, error) {
	c.calls++
	key := c.key.At(c.calls)
	if err := p.Sleep(c.net.Link); err != nil {
		return nil, err
	}
	if c.away() || key.Sub("call").Between(1, 1000) <= c.net.Loss {
		return nil, errBroken
	}
	if call.Verb == Refresh && c.slow > 0 {
		if err := p.Sleep(c.slow); err != nil {
			return nil, err
		}
	}
	if call.Verb == Events {
		if err := c.hold(p, call); err != nil {
			return nil, err
		}
	}
	out, err := c.serve(call)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	if err := p.Sleep(c.net.Link); err != nil {
		return nil, err
	}
	if c.away() || key.Sub("answer").Between(1, 1000) <= c.net.Loss {
		return nil, errBroken
	}
	if key.Sub("nonsense").Between(1, 1000) <= c.net.Nonsense {
		c.nonsense++
		return []byte(rubbish[key.Sub("rubbish").Between(0, int64(len(rubbish)-1))]), nil
	}
	return text, nil
}

// rubbish is what control planes answer that make no sense.
var rubbish = []string{"", "<html>502</html>", "null", "[]", `{"ok":"yes"}`, `{"work":{"id":7}}`, `{"events":[{"n":-1},{"n":99}]}`, `{"token":""}`, `{"work":{}}`}

func (c *plane) away() bool {
	now := c.k.Now()
	return slices.ContainsFunc(c.net.Away, func(a Away) bool { return now >= a.From && now < a.To })
}

// hold waits until there is an event, or for a while.
func (c *plane) hold(p *kernel.Proc, call *Call) error {
	until := p.Now().Add(holdFor)
	for p.Now() < until {
		w := c.find(call.Work)
		if w == nil || len(w.events) > call.Number || c.away() {
			return nil
		}
		if _, err := c.news.WaitUntil(p, until); err != nil {
			return err
		}
	}
	return nil
}

// changed wakes who waits for events.
func (c *plane) changed() {
	c.news.Fire()
	c.news = kernel.NewSignal(c.k, "events")
}

// over reports whether every session has ended.
func (c *plane) over() bool {
	return !slices.ContainsFunc(c.works, func(w *work) bool { return w.Status == "" })
}

func (c *plane) find(name string) *work {
	for _, w := range c.works {
		if w.name() == name {
			return w
		}
	}
	return nil
}

// serve carries a call out. Whatever comes twice is done once.
func (c *plane) serve(call *Call) (*said, error) {
	if call.Token != c.outer {
		return nil, &Refusal{"the token is not the bridge's"}
	}
	switch call.Verb {
	case Register:
		return &said{Environment: "env-1"}, nil
	case Poll:
		return c.poll(), nil
	}
	w := c.find(call.Work)
	switch {
	case call.Verb == Complete && (w == nil || w.Status != ""):
		return &said{OK: true}, nil // it is over
	case w == nil:
		return nil, &Refusal{"there is no work " + call.Work}
	}
	switch call.Verb {
	case Heartbeat:
		w.Beats++
		w.leased = c.k.Now().Add(leaseFor)
	case Post:
		if call.Number == w.Lines+1 {
			w.Lines++
			c.hear(w, call.Line)
		}
	case Events:
		return &said{Events: w.events[min(max(call.Number, 0), len(w.events)):]}, nil
	case Refresh:
		w.Tokens++
		return &said{Token: c.token(w)}, nil
	case Complete:
		c.complete(w, call.Status)
	}
	return &said{OK: true}, nil
}

// poll gives away work that nobody has, or whose bridge has not been heard of.
func (c *plane) poll() *said {
	for _, w := range c.works {
		if w.Status == "" && (!w.taken || c.k.Now() >= w.leased) {
			w.taken, w.leased = true, c.k.Now().Add(leaseFor)
			return &said{Work: &Work{ID: w.name(), Session: w.ID, Token: c.token(w)}}
		}
	}
	return &said{}
}

// token is a new inner token.
func (c *plane) token(w *work) string { return newToken(w.ID, c.k.Now().Add(c.life)) }

// complete takes a session's end. One that ended by itself is tried again.
func (c *plane) complete(w *work, status Status) {
	if status == Failed && w.Attempts < attempts {
		w.Attempts++
		w.taken, w.Lines, w.results = false, 0, 0
		c.changed()
		return
	}
	w.Ended++
	w.Status = status
}

// hear takes a line of a session's process.
func (c *plane) hear(w *work, l *Line) {
	for _, a := range Activities(l) {
		w.Last = a
	}
	switch {
	case l.Type == ControlRequest && l.Request != nil:
		if !w.asked[l.RequestID] {
			w.asked[l.RequestID] = true
			w.Asked++
			c.k.At(c.k.Now().Add(c.users.Thinks), deciding{c, w, l})
		}
	case l.Type == System && l.Subtype == Refused:
		w.Refused++
	case l.Type == System && l.Subtype == Unrefreshed:
		w.Lost++
	case l.Type == Result:
		if w.results++; w.results == w.said {
			c.speak(w)
		}
	}
}

// speak says the user's next message, or ends the session.
func (c *plane) speak(w *work) {
	if w.said == len(c.users.Messages) {
		c.event(w, Event{End: true})
		return
	}
	c.event(w, Event{Line: &Line{Type: User, Message: &Message{Role: "user", Content: Content{{Type: "text", Text: c.users.Messages[w.said]}}}}})
	w.said++
}

// event has something for a session.
func (c *plane) event(w *work, e Event) {
	e.Number = len(w.events) + 1
	w.events = append(w.events, e)
	c.changed()
}

// deciding is a user who thinks about a question.
type deciding struct {
	c *plane
	w *work
	l *Line
}

// Fire decides.
func (d deciding) Fire(vtime.Instant) {
	out := &Decision{Behavior: "allow"}
	if d.c.users.Deny != nil {
		if why := d.c.users.Deny(d.l.Request); why != "" {
			out = &Decision{Behavior: "deny", Message: why}
		}
	}
	answer := &Line{Type: ControlResponse, Response: &Reply{Subtype: "success", RequestID: d.l.RequestID, Response: out}}
	d.c.event(d.w, Event{Line: answer})
	if d.c.users.Twice {
		d.c.event(d.w, Event{Line: answer})
	}
}

// newToken is an inner token. Nobody looks at its signature.
func newToken(subject string, ends vtime.Instant) string {
	claims := jwt.RegisteredClaims{Subject: subject, ExpiresAt: &jwt.NumericDate{Time: time.Unix(int64(ends)/int64(vtime.Second), 0)}}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("key"))
	if err != nil {
		panic(err) // of a text and a number
	}
	return TokenPrefix + text
}
