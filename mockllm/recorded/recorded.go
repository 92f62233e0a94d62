// Package recorded answers as a recorded session was answered.
//
// Rules:
//   - An answer is found by lineage and by the call's ordinal.
//   - What is recorded of a request is verified before it is answered: as many results
//     of tools as were used, of their sizes, and what was said where that was kept.
//   - What a recording does not hold is filler of recorded size.
package recorded

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"agentsim/mockllm"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/llm"
)

// MismatchError is a request that is not the one that was recorded.
type MismatchError struct {
	Thread  int // of the scenario, from 0
	Call    int // from 0
	Lineage string
	What    string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s, call %d: %s: change the recorded figure, or what the scenario says beside it", e.Lineage, e.Call+1, e.What)
}

// Path is where the call stands in a scenario.
func (e *MismatchError) Path() string { return fmt.Sprintf("recorded[%d].calls[%d]", e.Thread, e.Call) }

// Session is the threads of a recorded session; it is a mockllm.Source.
type Session struct {
	Threads []Thread
	filler  *script.Filler
	hidden  bool
	warm    bool
	at      map[string]int
}

// Thread is one thread and how each of its calls goes on.
type Thread struct {
	*scenarios.RecordedThread
	Steps []Step
}

// Step is how a call goes on: its place in its conversation, and what it adds.
type Step struct {
	Call   *scenarios.RecordedCall
	Model  string
	TTL    llm.TTL
	Begins bool   // anew, behind the head
	Head   int64  // tokens of the head of its conversation
	From   Place  // what it goes on from, unless it begins
	Limit  *int64 // of the tokens that are found; nil for all
	Said   int64  // tokens that the user's side adds
}

// Place is a call of a thread, both from 0.
type Place struct{ Thread, Call int }

// New resolves a scenario's recorded threads.
func New(sc *scenarios.Scenario, filler *script.Filler) *Session {
	s := &Session{filler: filler, at: map[string]int{}, hidden: sc.Tells("hidden"), warm: sc.Tells("warm")}
	for i := range sc.Recorded {
		t := &sc.Recorded[i]
		s.at[t.Thread] = i
		s.Threads = append(s.Threads, Thread{t, make([]Step, len(t.Calls))})
		for j := range t.Calls {
			s.step(sc, i, j)
		}
	}
	return s
}

// step resolves call j of thread i, whose earlier ones are.
func (s *Session) step(sc *scenarios.Scenario, i, j int) {
	t := s.Threads[i]
	r := &t.Calls[j]
	x := &t.Steps[j]
	*x = Step{Call: r, Head: t.Head, TTL: sc.Provider.TTL, Model: sc.Provider.ModelID(sc.Provider.Model), Begins: j == 0 && r.From == "" || r.From == scenarios.Anew}
	x.From = Place{i, j - 1}
	if thread, call, ok := r.Origin(); ok && !x.Begins {
		x.From.Call = call - 1
		if thread != "" {
			x.From.Thread = s.at[thread]
		}
	}
	if before := (Place{i, j - 1}); !x.Begins || j > 0 {
		if !x.Begins {
			before = x.From
		}
		x.Head, x.Model = s.of(before).Head, s.of(before).Model
	}
	if r.Model != "" {
		x.Model = sc.Provider.ModelID(r.Model)
	}
	if r.TTL != nil {
		x.TTL = *r.TTL
	}
	if r.Head != nil {
		x.Head = *r.Head
	}
	if r.Miss != nil && sc.Tells("misses") && !x.Begins {
		s.miss(x, *r.Miss)
	}
	x.Said = r.Prompt - x.Head
	if x.Begins && s.hidden {
		x.Said -= r.Left
	}
	if !x.Begins {
		b := s.of(x.From).Call
		x.Said = r.Prompt - b.Prompt - b.Output
	}
	x.Said = max(x.Said, 1)
}

func (s *Session) of(p Place) *Step { return &s.Threads[p.Thread].Steps[p.Call] }

// miss says what lets a request find so many tokens and no more: nothing behind the
// head, or behind an earlier request, was found; else the head is another one.
func (s *Session) miss(x *Step, tokens int64) {
	x.Limit = &tokens
	if tokens == x.Head || tokens == 0 {
		return
	}
	chain := true // p is of the conversation at hand
	for p := x.From; p.Call >= 0 && p.Thread == x.From.Thread; p = s.of(p).From {
		at := s.of(p)
		switch same := at.Call.Prompt == tokens; {
		case same && chain:
			return
		case same:
			x.From, x.Head, x.Limit = p, at.Head, nil
			return
		}
		if chain = chain && !at.Begins; at.Begins && at.Call.Miss == nil {
			break // the conversation began there, not for a miss
		}
	}
	x.Begins, x.Head, x.Limit = true, tokens, nil
}

// Hidden is how many requests of the client's own the threads tell of.
func (s *Session) Hidden() (n int) {
	for i := range s.Threads {
		for j := range s.Threads[i].Calls {
			if s.Threads[i].Calls[j].Hidden != nil {
				n++
			}
		}
	}
	return n
}

// Goes reports whether a call goes on from the one before it in its thread.
func (s *Session) Goes(i, j int) bool {
	x := &s.Threads[i].Steps[j]
	return !x.Begins && x.From == Place{i, j - 1}
}

// Answer implements mockllm.Source. The error is mockllm.ErrNotMine or a
// *MismatchError.
func (s *Session) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	lineage, hidden := hiddenOf(q.Stream.Lineage)
	i, ok := s.at[lineage]
	if !ok {
		return mockllm.ErrNotMine
	}
	j := q.Stream.Call
	if hidden > 0 {
		s.unseen(&s.Threads[i].Steps[hidden-1], a)
		return nil
	}
	if j >= len(s.Threads[i].Steps) {
		return &MismatchError{i, j - 1, lineage, "the recording holds no further call"}
	}
	if err := s.verify(i, j, q); err != nil {
		return err
	}
	x := &s.Threads[i].Steps[j]
	s.say(q, a, i, j)
	a.Output, a.Counts = x.Call.Output, map[int]int64{-1: x.Call.Prompt}
	if x.Begins {
		a.Counts[1] = x.Head
	}
	a.Told = &mockllm.Told{First: x.Call.First, Took: x.Call.Took, Input: x.Call.Input, Limit: x.Limit}
	a.Told.Warm = s.warm && x.Call.Warm
	a.Told.Seen = a.Told.Warm
	return nil
}

// hiddenOf is the lineage of whom a hidden request was sent for, and in front of which
// of its calls, from 1; 0 where the lineage is that of an agent.
func hiddenOf(lineage string) (of string, call int) {
	of, step, _ := cutStep(lineage)
	n, is := strings.CutSuffix(step, llm.HiddenSuffix)
	if k, err := strconv.Atoi(n); is && err == nil {
		return of, k + 1
	}
	return lineage, 0
}

func cutStep(lineage string) (of, step string, ok bool) {
	i := strings.LastIndexByte(lineage, '/')
	if i < 0 {
		return lineage, "", false
	}
	return lineage[:i], lineage[i+1:], true
}

// unseen answers a hidden request in front of a call.
func (s *Session) unseen(x *Step, a *mockllm.Answer) {
	a.Say(llm.Text, s.filler.Text(llm.Prose, unseenTokens))
	a.Told = &mockllm.Told{}
	left := x.Call.Left
	if !x.Begins {
		left = max(left, s.of(x.From).Call.Prompt)
	}
	a.Counts = map[int]int64{-2: left}
	if x.Begins {
		a.Counts[1] = x.Head
	}
}

const unseenTokens = 20 // of an answer that no recording holds

// say makes the blocks of an answer: texts, then tool uses.
func (s *Session) say(q *mockllm.Query, a *mockllm.Answer, i, j int) {
	r := &s.Threads[i].Calls[j]
	texts := max(r.Blocks, 1) - len(r.Uses)
	switch {
	case r.Answer != "":
		a.Say(llm.Text, llm.NewText(llm.Prose, r.Answer))
	case texts > 0:
		for range texts {
			a.Say(llm.Text, s.filler.Text(llm.Prose, max(1, r.Output/int64(texts+len(r.Uses)))))
		}
	}
	for k, u := range r.Uses {
		if child, ok := s.at[childOf(s.Threads[i].Thread, j, k)]; ok {
			a.Use(q, agentTool, s.call(child), "")
			continue
		}
		input := u.Input
		if input == "" {
			input = "{}"
		}
		a.Use(q, u.Tool, llm.NewJSON(input), "")
	}
}

// agentTool is the name of the tool that starts agents.
const agentTool = "Agent"

// childOf is the lineage of what tool use k of call j starts.
func childOf(lineage string, j, k int) string {
	return lineage + "/" + strconv.Itoa(j+1) + "." + strconv.Itoa(k+1)
}

// Spawns reports whether tool use k of call j of thread i starts a recorded thread.
func (s *Session) Spawns(i, j, k int) bool {
	_, ok := s.at[childOf(s.Threads[i].Thread, j, k)]
	return ok
}

// call is the input of the call that starts a thread.
func (s *Session) call(i int) *llm.Payload {
	t := s.Threads[i]
	text := append([]byte(`{"description":"as recorded","prompt":`), llm.AppendQuoted(nil, cmp.Or(t.Calls[0].Says, "What was recorded."))...)
	if t.Type != "" {
		text = append(text, `,"subagent_type":`...)
		text = llm.AppendQuoted(text, t.Type)
	}
	if t.Background {
		text = append(text, `,"run_in_background":true`...)
	}
	return llm.NewJSON(string(append(text, '}')))
}

// Said is what the user's side says in front of call j of thread i. Where that does not
// follow the call before, it is like no other: equal sizes are no equal prompts.
func (s *Session) Said(i, j int) *llm.Payload {
	x := &s.Threads[i].Steps[j]
	switch {
	case x.Call.Says != "":
		return llm.NewText(llm.Prose, x.Call.Says)
	case s.Goes(i, j):
		return s.filler.Text(llm.Prose, x.Said)
	}
	return s.Only(i, j, x.Said)
}

// Only is filler that no other call has.
func (s *Session) Only(i, j int, tokens int64) *llm.Payload {
	return s.filler.Behind(fmt.Sprintf("Thread %s, call %d.\n", s.Threads[i].Thread, j+1), tokens)
}

// Result is the result of a tool use.
func (s *Session) Result(u *scenarios.RecordedUse) *llm.Payload {
	if u.Result != "" {
		return llm.NewText(llm.Prose, u.Result)
	}
	return s.filler.Bytes(llm.Code, int(u.Bytes))
}

// verify holds a request against what is recorded of it.
func (s *Session) verify(i, j int, q *mockllm.Query) error {
	x := &s.Threads[i].Steps[j]
	wrong := func(format string, args ...any) error {
		return &MismatchError{i, j, q.Stream.Lineage, fmt.Sprintf(format, args...)}
	}
	if q.Model != x.Model {
		return wrong("the request asks for %s, and %s was recorded", q.Model, x.Model)
	}
	if x.Call.Says != "" && (q.Head.Block == nil || q.Head.Block.Kind == llm.Text && q.Head.Block.Content.Raw() != x.Call.Says) {
		return wrong("the user's side says another text than was recorded")
	}
	if !s.Goes(i, j) {
		return nil
	}
	uses := s.Threads[i].Calls[j-1].Uses
	k := len(uses)
	for n := q.Head; n != nil && n.Role == llm.User && !n.IsBorder(); n = n.Parent {
		if n.Block.Kind != llm.ToolResult {
			continue
		}
		if k--; k < 0 || s.Spawns(i, j-1, k) {
			continue
		}
		if raw := n.Block.Content.Raw(); raw != s.Result(&uses[k]).Raw() {
			return wrong("the result of %s has %d bytes, and %d were recorded", uses[k].Tool, len(raw), uses[k].Bytes)
		}
	}
	if k != 0 {
		return wrong("the request has %d results of tools, and %d were recorded", len(uses)-k, len(uses))
	}
	return nil
}
