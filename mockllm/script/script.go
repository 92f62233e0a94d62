// Package script answers with exact turns that a scenario wrote down, and makes
// filler text of declared sizes.
//
// Rules:
//   - A turn is found by lineage and by the call's ordinal in its stream name,
//     never by a cursor that agents share and never by the last message alone. One
//     that says until goes on for that agent.
//   - A request for a summary is answered by the turn whose turn it is if that says
//     text alone and another one follows; else by a text of this package, and the turn
//     is still to come.
//   - What a turn expects of its request is checked; a request that does not hold
//     it is an error of the scenario, with what was expected.
//   - Equal sizes are equal bytes.
package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/mockllm"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
)

// Place is where an error stands in a scenario: in a script and, unless it is
// the script's as a whole, in one of its turns. Both count from 0, as paths do;
// messages count from 1.
type Place struct {
	Script int
	Turn   int // -1 is the whole script
}

// Path is the place as a path of the scenario, such as scripts[0].turns[2].
func (p Place) Path() string {
	if p.Turn < 0 {
		return fmt.Sprintf("answers[%d]", p.Script)
	}
	return fmt.Sprintf("answers[%d].turns[%d]", p.Script, p.Turn)
}

// BookError is a script that no book can be made of.
type BookError struct {
	Place
	Agent string // the script's pattern
	Err   error
}

func (e *BookError) Error() string {
	if e.Turn < 0 {
		return fmt.Sprintf("script %q: %v", e.Agent, e.Err)
	}
	return fmt.Sprintf("script %q, turn %d: %v", e.Agent, e.Turn+1, e.Err)
}

func (e *BookError) Unwrap() error { return e.Err }

// MismatchError is a request that does not hold the text its turn expects.
type MismatchError struct {
	Place
	Agent    string // the script's pattern
	Lineage  string
	Expected string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("script %q, turn %d: the request of %s does not contain %q: change the turn's contains, or what comes before it",
		e.Agent, e.Turn+1, e.Lineage, e.Expected)
}

// ThoughtError is a turn that thinks, given to an agent whose thinking is
// disabled: no API would answer so.
type ThoughtError struct {
	Place
	Agent   string // the script's pattern
	Lineage string
}

func (e *ThoughtError) Error() string {
	return fmt.Sprintf("script %q, turn %d: thinking of %s is disabled, so no API would answer with any; leave the thinking out: roots think with settings: {thinking: adaptive}, forks as their parents, sub-agents never",
		e.Agent, e.Turn+1, e.Lineage)
}

// EndError is a call behind the last turn of its script.
type EndError struct {
	Place
	Agent   string
	Lineage string
	Call    int // from 1
	Turns   int
}

func (e *EndError) Error() string {
	turns := "turns"
	if e.Turns == 1 {
		turns = "turn"
	}
	return fmt.Sprintf("script %q has %d %s, and %s makes call %d: add a turn, or let the last one call no tool",
		e.Agent, e.Turns, turns, e.Lineage, e.Call)
}

// Book is the scripts of a scenario; it is a mockllm.Source. An agent that no
// script names gets mockllm.ErrNotMine.
type Book struct {
	scripts []script
	filler  *Filler
	played  map[string][]int // by lineage: the turn of each call, where that is not its ordinal; ^turn where it is still to come
}

type script struct {
	index int // in the scenario
	agent string
	glob  bool
	waits bool // a turn says until
	turns []turn
	most  int // turns that were answered for one agent
}

// turn is a scenario's turn with its fixed payloads made.
type turn struct {
	scenarios.Turn
	thinking, text []*llm.Payload // nil where the size is drawn
	stop           llm.StopReason
	inputs         []*llm.Payload
}

// NewBook makes a book. A pattern or stop reason that does not exist is a
// *BookError.
func NewBook(scripts []scenarios.Script, filler *Filler) (*Book, error) {
	b := &Book{filler: filler, played: map[string][]int{}}
	for at, s := range scripts {
		if !doublestar.ValidatePattern(s.Agent) {
			return nil, &BookError{Place{at, -1}, s.Agent, errors.New("not a pattern of lineages: write one such as main, main/* or **")}
		}
		out := script{index: at, agent: s.Agent, glob: strings.ContainsAny(s.Agent, `*?[{\`)}
		for i := range s.Turns {
			t, err := b.turn(&s.Turns[i])
			if err != nil {
				return nil, &BookError{Place{at, i}, s.Agent, err}
			}
			out.waits = out.waits || t.Until != ""
			out.turns = append(out.turns, t)
		}
		b.scripts = append(b.scripts, out)
	}
	return b, nil
}

func (b *Book) turn(t *scenarios.Turn) (turn, error) {
	out := turn{Turn: *t, thinking: b.fixed(t.Thinking), text: b.fixed(t.Text)}
	for _, use := range t.Tools {
		out.inputs = append(out.inputs, llm.NewJSON(use.Raw))
	}
	if t.Stop == "" {
		return out, nil
	}
	for r := llm.EndTurn; r <= llm.PauseTurn; r++ {
		if r.String() == t.Stop {
			out.stop = r
			return out, nil
		}
	}
	return out, fmt.Errorf("%q is no stop reason: write end_turn, tool_use, max_tokens, stop_sequence, refusal or pause_turn", t.Stop)
}

// fixed is the payloads of content whose size is not drawn, else nil.
func (b *Book) fixed(c *scenarios.Content) []*llm.Payload {
	if c == nil || c.Tokens.Lo != c.Tokens.Hi {
		return nil
	}
	return b.filler.Content(c, rng.Key{})
}

// Agents implements mockllm.Speaker: the patterns of the scripts, in their order.
func (b *Book) Agents() (out []string) {
	for i := range b.scripts {
		out = append(out, b.scripts[i].agent)
	}
	return out
}

// Plays reports whether an agent's answers are scripted.
func (b *Book) Plays(lineage string) bool { return b.find(lineage) != nil }

// Behind lists the turns behind one that ends an answer, which nobody came to: where
// one of them calls a tool, since a text may be one to spare for a message more.
func (b *Book) Behind() (out []Place) {
	for i := range b.scripts {
		s := &b.scripts[i]
		if s.most == 0 || len(s.turns[s.most-1].Tools) > 0 || !slices.ContainsFunc(s.turns[s.most:], func(t turn) bool { return len(t.Tools) > 0 }) {
			continue
		}
		for n := s.most; n < len(s.turns); n++ {
			out = append(out, Place{s.index, n})
		}
	}
	return out
}

// Answer implements mockllm.Source. The error is mockllm.ErrNotMine, an
// *EndError, a *MismatchError or a *ThoughtError.
func (b *Book) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	s := b.find(q.Stream.Lineage)
	if s == nil {
		return mockllm.ErrNotMine
	}
	n := b.turnOf(s, q)
	if n < 0 {
		a.Say(llm.Text, llm.NewText(llm.Prose, summary))
		return nil
	}
	if n >= len(s.turns) {
		return &EndError{Place{s.index, -1}, s.agent, q.Stream.Lineage, q.Stream.Call + 1, len(s.turns)}
	}
	t := &s.turns[n]
	s.most = max(s.most, n+1)
	if t.Contains != "" && !contains(q.Head, t.Contains) {
		return &MismatchError{Place{s.index, n}, s.agent, q.Stream.Lineage, t.Contains}
	}
	if t.Text == nil && t.Thinking == nil && len(t.Tools) == 0 {
		return &BookError{Place{s.index, n}, s.agent, errors.New("the turn gives counts alone, and the request asks for an answer: give text, thinking or tools")}
	}
	if t.Thinking != nil && q.Settings.Thinking == llm.ThinkingDisabled {
		return &ThoughtError{Place{s.index, n}, s.agent, q.Stream.Lineage}
	}
	b.say(q, a, llm.Thinking, t.Thinking, t.thinking)
	b.say(q, a, llm.Text, t.Text, t.text)
	for i := range t.Tools {
		a.Use(q, t.Tools[i].Name, t.inputs[i], "")
	}
	a.Stop, a.Counts = t.stop, t.Counts
	if t.Output != nil {
		a.Output = *t.Output
	}
	return nil
}

// summary is what a script says that is asked for a summary it does not hold.
const summary = "What was done so far is done; what was asked for beyond that is still to be done."

// turnOf is the turn of a call: the one after its predecessor's, or that itself
// where it goes on or is still to come. It is negative where no turn is meant.
func (b *Book) turnOf(s *script, q *mockllm.Query) int {
	call := q.Stream.Call
	played := b.played[q.Stream.Lineage]
	asks := len(played) <= call && opens(q.Head, compactionOpen)
	if !s.waits && played == nil && !asks {
		return call
	}
	for n := len(played); n <= call; n++ {
		next := 0
		if n > 0 {
			next = played[n-1] + 1
			if played[n-1] < 0 {
				next = ^played[n-1]
			}
			if last := next - 1; n == call && last >= 0 && last < len(s.turns) && s.turns[last].Until != "" && notices(q.Head) {
				next = last
			}
		}
		if n == call && asks && !s.sumsUp(next) {
			next = ^next
		}
		played = append(played, next)
	}
	b.played[q.Stream.Lineage] = played
	return played[call]
}

// sumsUp reports whether a turn can be a summary: it says text alone, and is not the last.
func (s *script) sumsUp(n int) bool {
	return n < len(s.turns)-1 && s.turns[n].Until == "" && len(s.turns[n].Tools) == 0 && s.turns[n].Text != nil
}

// What begins a notification, and a request for a summary.
const (
	noticeOpen     = "<task-notification>"
	compactionOpen = "<compaction-request>"
)

// notices reports whether the last message of a request is notifications only.
func notices(head *llm.Node) bool {
	some := false
	for n := head; n != nil && n.Block != nil && n.Role == llm.User; n = n.Parent {
		if n.Block.Kind != llm.Text || !opens(n, noticeOpen) {
			return false
		}
		some = true
	}
	return some
}

// opens reports whether a block opens with a text.
func opens(n *llm.Node, text string) bool {
	return n != nil && n.Block != nil && strings.HasPrefix(n.Block.Content.Raw(), text)
}

// Counts implements mockllm.Counted: the recorded token counts that a turn of the scripts gives for its
// request, by position; nil for none.
func (b *Book) Counts(lineage string, call int) map[int]int64 {
	s := b.find(lineage)
	if s == nil || s.waits || b.played[lineage] != nil || call >= len(s.turns) {
		return nil
	}
	return s.turns[call].Counts
}

func (b *Book) say(q *mockllm.Query, a *mockllm.Answer, kind llm.Kind, c *scenarios.Content, fixed []*llm.Payload) {
	if c != nil && fixed == nil {
		fixed = b.filler.Content(c, q.Stream.Key.At(uint64(q.Stream.Call)).Sub("script").Sub(kind.String()))
	}
	for _, p := range fixed {
		a.Say(kind, p)
	}
}

// find is the first script whose pattern names the lineage.
func (b *Book) find(lineage string) *script {
	for i := range b.scripts {
		s := &b.scripts[i]
		if s.agent == lineage || s.glob && scenarios.NamesAgent(s.agent, lineage) {
			return s
		}
	}
	return nil
}

// contains reports whether a block of the request holds the text.
func contains(head *llm.Node, text string) bool {
	for n := head; n != nil; n = n.Parent {
		if n.Block != nil && strings.Contains(n.Block.Content.Raw(), text) {
			return true
		}
	}
	return false
}

// Hidden answers what clients ask on their own, with filler; nobody reads it.
type Hidden struct{ Filler *Filler }

// hiddenTokens is how long the answers are, by what was asked.
var hiddenTokens = map[string]int64{"title": 8, "suggestion": 15, "away": 50}

// Answer implements mockllm.Source; for an agent it returns mockllm.ErrNotMine.
func (h Hidden) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	_, kind, is := strings.Cut(q.Stream.Lineage, llm.HiddenSuffix+"-")
	if !is {
		return mockllm.ErrNotMine
	}
	a.Say(llm.Text, h.Filler.Text(llm.Prose, hiddenTokens[kind]))
	return nil
}

// Asides answers side questions that no script answers, with filler.
type Asides struct{ Filler *Filler }

// AsideTokens is how long such an answer is: our own assumption.
const AsideTokens = 120

// Answer implements mockllm.Source; for any other agent it returns mockllm.ErrNotMine.
func (s Asides) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	if !strings.Contains(q.Stream.Lineage, llm.AsideSuffix) {
		return mockllm.ErrNotMine
	}
	a.Say(llm.Text, s.Filler.Text(llm.Prose, AsideTokens))
	return nil
}
