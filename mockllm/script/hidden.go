package script

import (
	"strings"

	"agentsim/mockllm"
	"agentsim/sim/llm"
)

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
