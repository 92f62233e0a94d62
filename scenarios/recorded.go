package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// RecordedThread is a thread of a recorded session. A thread whose lineage has a
// slash is started by the call of its parent that says so, others are roots.
type RecordedThread struct {
	Thread     string         `yaml:"thread"` // lineage
	Type       string         `yaml:"type"`   // of agent
	Background bool           `yaml:"background"`
	Head       int64          `yaml:"head"` // tokens of its tools and system prompt
	Calls      []RecordedCall `yaml:"calls"`
}

// RecordedCall is one call of the model as it was recorded.
type RecordedCall struct {
	At     vtime.Duration  `yaml:"at"`
	First  vtime.Duration  `yaml:"first"`
	Took   vtime.Duration  `yaml:"took"`
	Prompt int64           `yaml:"prompt"` // tokens that can be cached, from the first on
	Input  int64           `yaml:"input"`  // tokens behind those
	Output int64           `yaml:"output"`
	Blocks int             `yaml:"blocks"` // of the answer; 0 is 1
	Model  string          `yaml:"model"`
	TTL    *llm.TTL        `yaml:"lives"`
	From   string          `yaml:"from"`
	Head   *int64          `yaml:"head"` // the thread's head from here on, where it begins anew
	Warm   bool            `yaml:"warm"`
	Miss   *int64          `yaml:"miss"` // tokens that were found, and no more
	Hidden *vtime.Duration `yaml:"hidden"`
	Left   int64           `yaml:"left"`
	Uses   []RecordedUse   `yaml:"uses"`
	Says   string          `yaml:"says"`   // what the user's side said in front of the call
	Answer string          `yaml:"answer"` // text of the answer
}

// RecordedUse is one tool use of an answer, and its result.
type RecordedUse struct {
	Tool   string         `yaml:"tool"`
	Bytes  int64          `yaml:"bytes"` // of the result
	Took   vtime.Duration `yaml:"took"`
	Failed bool           `yaml:"failed"`
	Input  string         `yaml:"input"`  // JSON
	Result string         `yaml:"result"` // text
}

// Flow is the call on one line.
func (r RecordedCall) Flow() (string, bool) { return document.FlowFields(r), true }

// Flow is the use on one line.
func (u RecordedUse) Flow() (string, bool) { return document.FlowFields(u), true }

// untold is what of a recording is left to the cache model.
var untold = []string{"misses", "hidden", "warm"}

// Tells reports whether the recording says what it knows of misses, hidden or warm.
func (s *Scenario) Tells(what string) bool { return !slices.Contains(s.Untold, what) }

// recordedNames are the threads of which no other started.
func recordedNames(threads []RecordedThread) (out []string) {
	for i := range threads {
		if _, _, child := cutLast(threads[i].Thread); !child {
			out = append(out, threads[i].Thread)
		}
	}
	return out
}

// waitsForAll reports whether no recorded thread runs in the background.
func (s *Scenario) waitsForAll() bool {
	return len(s.Recorded) > 0 && !slices.ContainsFunc(s.Recorded, func(t RecordedThread) bool { return t.Background })
}

// recorded checks the threads of a recorded session.
func (c *checker) recorded() {
	s := c.s
	for i, what := range s.Untold {
		c.oneOf("untold["+itoa(i)+"]", "part of a recording", what, untold...)
	}
	if len(s.Recorded) == 0 {
		if len(s.Untold) > 0 {
			c.badKey("untold", "take it away", "nothing is recorded, so there is nothing to leave out")
		}
		return
	}
	for _, x := range []struct {
		key   string
		given bool
	}{{"main", s.Main != nil}, {"roots", len(s.Roots) > 0}, {"answers", len(s.Scripts) > 0}, {"work", len(s.Work) > 0}, {"stack", s.Stack == MinimalStack}} {
		if x.given {
			c.badKey(x.key, "a scenario of its own for it", "a recorded session says all that happens: %s has no place beside it", x.key)
		}
	}
	lineages := map[string]*RecordedThread{}
	for i := range s.Recorded {
		if c.Errs.Full() {
			return
		}
		t := &s.Recorded[i]
		at := "recorded[" + itoa(i) + "]"
		_, twice := lineages[t.Thread]
		parent, step, isChild := cutLast(t.Thread)
		by := lineages[parent]
		switch {
		case t.Thread == "" || strings.ContainsAny(t.Thread, " #*?[]:,"):
			c.bad(at, "thread: main", "bad name of a thread %q", t.Thread)
		case twice:
			c.bad(at+".thread", "", "thread %q is given twice", t.Thread)
		case isChild && by == nil:
			c.bad(at+".thread", "list a parent before its children", "thread %q has no parent %q before it", t.Thread, parent)
		case isChild && !by.starts(step):
			c.bad(at+".thread", "main/12.3 is what the third tool use of main's twelfth answer started", "no tool use of %s started %q", parent, t.Thread)
		}
		lineages[t.Thread] = t
		if len(t.Calls) == 0 {
			c.bad(at, "calls: [{at: 0s, prompt: 20k, output: 300}]", "a thread without calls")
		}
		for j := range t.Calls {
			c.recordedCall(at+".calls["+itoa(j)+"]", t, j, lineages)
		}
	}
}

// starts reports whether the thread has the tool use that a step of a lineage names.
func (t *RecordedThread) starts(step string) bool {
	var call, use int
	n, err := fmt.Sscanf(step, "%d.%d", &call, &use)
	return n == 2 && err == nil && call >= 1 && call <= len(t.Calls) && use >= 1 && use <= len(t.Calls[call-1].Uses)
}

// cutLast parts a lineage into its parent's and its own step.
func cutLast(lineage string) (parent, step string, found bool) {
	i := strings.LastIndexByte(lineage, '/')
	if i < 0 {
		return "", lineage, false
	}
	return lineage[:i], lineage[i+1:], true
}

// recordedCall checks one call; a path is made for a mistake only.
func (c *checker) recordedCall(at string, t *RecordedThread, j int, lineages map[string]*RecordedThread) {
	r := &t.Calls[j]
	switch {
	case r.Prompt+r.Input <= 0:
		c.bad(at, "prompt: 20k", "a call without a prompt")
	case j > 0 && r.At < t.Calls[j-1].At:
		c.bad(at+".at", "calls stand in the order of their instants", "call %d comes before the one in front of it", j+1)
	case j > 0 && r.From == "" && r.Prompt < t.Calls[j-1].Prompt:
		c.bad(at+".prompt", "from: anew", "a prompt of %d tokens goes on from one of %d", r.Prompt, t.Calls[j-1].Prompt)
	case r.First > r.Took:
		c.bad(at+".first", "took is from the start as well", "the first byte comes after the last")
	case r.Hidden != nil && *r.Hidden > r.At:
		c.bad(at+".hidden", "an instant before at", "the hidden request comes after its call")
	case r.Hidden == nil && r.Left > 0:
		c.bad(at+".left", "hidden: 5m", "left is of a hidden request, and there is none")
	case r.Left > r.Prompt:
		c.bad(at+".left", "", "the hidden request left %d tokens, more than the %d of the prompt behind it", r.Left, r.Prompt)
	case j == 0 && r.From == "" && t.Head > r.Prompt:
		c.bad(at+".prompt", "", "a prompt of %d tokens begins with a head of %d", r.Prompt, t.Head)
	case r.Head != nil && *r.Head > r.Prompt:
		c.bad(at+".head", "", "a head of %d tokens in a prompt of %d", *r.Head, r.Prompt)
	case r.Head != nil && r.From != Anew:
		c.bad(at+".head", "from: anew", "a conversation has another head only where it begins anew")
	case r.Miss != nil && r.From == Anew:
		c.bad(at+".miss", "keep one of them", "a conversation that begins anew misses nothing")
	}
	c.goesOnFrom(at, t, j, lineages)
	if r.Model != "" {
		c.modelName(at+".model", r.Model)
	}
}

// Anew is what a conversation goes on from that begins behind its head.
const Anew = "anew"

// Origin is the call that a conversation goes on from, as From says: of which
// thread, "" for its own, and its number from 1; 0 where it begins anew.
func (r *RecordedCall) Origin() (thread string, call int, ok bool) {
	if r.From == Anew {
		return "", 0, true
	}
	text := r.From
	if before, after, some := strings.Cut(text, " "); some {
		thread, text = before, after
	}
	for _, d := range []byte(text) {
		if d < '0' || d > '9' || call > maxCalls {
			return "", 0, false
		}
		call = call*10 + int(d-'0')
	}
	return thread, call, call > 0
}

const maxCalls = 1_000_000 // of one thread

// goesOnFrom checks what a call says it goes on from.
func (c *checker) goesOnFrom(at string, t *RecordedThread, j int, lineages map[string]*RecordedThread) {
	r := &t.Calls[j]
	if r.From == "" || r.From == Anew {
		return
	}
	thread, call, ok := r.Origin()
	calls := j
	if of := lineages[thread]; of != nil && of != t {
		calls = len(of.Calls)
	} else if thread != "" && of == nil {
		calls = 0
	}
	switch {
	case !ok:
		c.bad(at+".from", "anew, a number of a call, or a thread and a number: main 12", "%q is nothing to go on from", r.From)
	case call > calls:
		c.bad(at+".from", "", "%q is no call before this one", r.From)
	}
}
