package sim

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/mockllm/recorded"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"
)

// session is the recorded session that a scenario tells.
type session struct {
	*recorded.Session
	sc     *scenarios.Scenario
	filler *script.Filler
}

// agents is what agents do of whom the recording tells, by lineage; nil where nothing
// was recorded.
func (s *session) agents() map[string]*agent.Recorded {
	if s == nil {
		return nil
	}
	out := map[string]*agent.Recorded{}
	for i := range s.Threads {
		t := &s.Threads[i]
		told := &agent.Recorded{}
		for j := range t.Steps {
			told.Calls = append(told.Calls, s.call(i, j))
		}
		out[t.Thread] = told
	}
	return out
}

// call is call j of thread i as its agent makes it.
func (s *session) call(i, j int) agent.RecordedCall {
	x := &s.Threads[i].Steps[j]
	c := agent.RecordedCall{At: vtime.Instant(x.Call.At), TTL: x.TTL, Says: s.Said(i, j)}
	switch {
	case x.Begins:
		c.Begins = &agent.RecordedHead{Model: x.Model, Text: s.head(s.Threads[i].Type, x.Head)}
	case !s.Goes(i, j):
		c.From = &agent.RecordedPlace{Lineage: s.Threads[x.From.Thread].Thread, Call: x.From.Call}
	}
	if x.Call.Hidden != nil && s.sc.Tells("hidden") {
		c.Hidden = vtime.Instant(*x.Call.Hidden)
		if x.Begins {
			c.Left = s.Only(i, j, x.Call.Left-x.Head)
		}
	}
	for k := range x.Call.Uses {
		u := &x.Call.Uses[k]
		c.Uses = append(c.Uses, agent.RecordedUse{Result: tool.Result{Content: s.Result(u), IsError: u.Failed}, Took: u.Took, Spawns: s.Spawns(i, j, k)})
	}
	return c
}

// head is filler in the place of tools and system prompt, of their size.
// Heads of threads of one type and one size are alike.
func (s *session) head(typ string, tokens int64) string {
	return fmt.Sprintf("Tools and system prompt of %q, %d tokens, which the recording does not hold.\n", typ, tokens) + s.filler.Raw(llm.Prose, tokens)
}

// roots are the threads that no other one started.
func (s *session) roots() (out []scenarios.Root) {
	plain := false
	for i := range s.Threads {
		t := &s.Threads[i]
		if !slices.Contains(s.sc.RootNames(), t.Thread) {
			continue
		}
		at := t.Calls[0].At
		if h := t.Calls[0].Hidden; h != nil {
			at = min(at, *h)
		}
		out = append(out, scenarios.Root{Name: t.Thread, At: at, Context: &plain, User: &scenarios.Content{Tokens: scenarios.Size{Lo: 1, Hi: 1, Set: true}}})
	}
	return out
}

// assumed says what of a recorded session is recorded, and what is made up.
func (s *session) assumed() []string {
	out := []string{"instants, sizes and lifetimes as recorded, what was said and heads where they are not recorded filler of that size"}
	if hidden := s.Hidden(); hidden > 0 && s.sc.Tells("hidden") {
		out = append(out, fmt.Sprintf("%d hidden requests shown by what was read later, their instants and answers assumed, billed apart from the recorded calls", hidden))
	}
	if len(s.sc.Untold) > 0 {
		out = append(out, "left to the cache model: "+strings.Join(s.sc.Untold, ", "))
	}
	return append(out, "invariants of isolation not checked: agents make the recorded calls whatever comes back")
}
