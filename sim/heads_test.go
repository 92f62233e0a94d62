package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// TestHeads runs agents with heads of a declared size.
func TestHeads(t *testing.T) {
	t.Run("WAN-01 first prompts are as large as their heads say, and agents of a type share what these say", headsLand)
	t.Run("WAN-01 what the scenario has itself in front stands, and context makes up the rest", headsStand)
	t.Run("REPO-01 WAN-01 what a project has in front stands in place of what recorded sessions had, and weighs what it weighs", headsGiveWay)
	t.Run("REPO-03 WAN-01 the head of a request weighs what it weighs, whatever recorded heads did", headsOfRequests)
	t.Run("WAN-01 first prompts are drawn for each agent, and an agent more moves nobody else's", headsDrawn)
	t.Run("CON-16 WAN-01 who does an item has the same first prompt, whichever answer starts it", headsOfItems)
	t.Run("WAN-04 how many tool uses one answer makes is a matter of role", usesByRole)
	t.Run("WAN-05 under a profile main agents and forks think, fresh sub-agents do not", thinksByRole)
}

// heardOf is what the requests and answers of a run came to, by agent.
type heardOf struct {
	names map[int32]string
	first map[string]llm.Usage // of the first answers
	uses  map[string][]int     // tool uses of each answer that makes some
	think map[string]int       // answers with thinking
}

func (h *heardOf) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		h.names[e.Agent] = b.Lineage
	case *transcript.Response:
		name, n := h.names[e.Agent], 0
		if _, known := h.first[name]; !known {
			h.first[name] = b.Resp.Usage
		}
		for i := range b.Resp.Blocks {
			switch b.Resp.Blocks[i].Kind {
			case llm.ToolUse:
				n++
			case llm.Thinking:
				h.think[name]++
			}
		}
		if n > 0 {
			h.uses[name] = append(h.uses[name], n)
		}
	}
}

func hear(t *testing.T, text string, sets ...string) *heardOf {
	t.Helper()
	h := &heardOf{map[int32]string{}, map[string]llm.Usage{}, map[string][]int{}, map[string]int{}}
	runOf(t, specOf(t, text, "", sets...), h)
	return h
}

const sizedHeads = "heads=[{type: main, shared: 20_000, prompt: 40_000}, {type: sub-agent, shared: 9_000, prompt: 26_000}]"

// near holds a size against what it is to be, within two per cent and what a request
// weighs besides its text.
func near(t *testing.T, what string, got, want int64) {
	t.Helper()
	if got < want-want/50 || got > want+want/50+500 {
		t.Errorf("%s: %d tokens, want %d", what, got, want)
	}
}

func headsLand(t *testing.T) {
	h := hear(t, reviews("subagent", 2), sizedHeads, "model.spawns_per_turn=1")
	var children []string
	for name, u := range h.first { // order: sorted below
		if name != "main" {
			children = append(children, name)
			near(t, name, u.Prompt(), 26_000)
		}
	}
	near(t, "main", h.first["main"].Prompt(), 40_000)
	slices.Sort(children)
	if len(children) != 2 || h.first[children[0]].Read != 0 {
		t.Fatalf("%v: %+v", children, h.first)
	}
	near(t, "read by the second of a type", h.first[children[1]].Read, 9_000)
	plain := hear(t, reviews("subagent", 2))
	if n := plain.first["main"].Prompt(); n > 12_000 {
		t.Errorf("without heads: %d tokens", n)
	}
}

func headsStand(t *testing.T) {
	text := strings.Replace(reviews("subagent", 1), "main: {user: Review it.}", "main: {user: Review it., system: {tokens: 15_000}}", 1)
	near(t, "main with a system prompt of its own", hear(t, text, sizedHeads).first["main"].Prompt(), 40_000)
	if n := hear(t, text, sizedHeads, "heads=[{type: main, shared: 1_000, prompt: 1_000}]").first["main"].Prompt(); n < 15_000 {
		t.Errorf("the system prompt was cut to %d tokens", n)
	}
}

func headsGiveWay(t *testing.T) {
	text := strings.Replace(reviews("subagent", 1), "project:\n", "profile: recorded-2026-11\nproject:\n", 1)
	small, large := hear(t, text, "project.claude_md.tokens=100"), hear(t, text, "project.claude_md.tokens=8_100")
	for _, name := range []string{"main", "main/1.1"} {
		near(t, name+" with 8,000 tokens more", large.first[name].Prompt(), small.first[name].Prompt()+8_000)
	}
	if a, b := hear(t, text).first["main/1.1"].Prompt(), small.first["main/1.1"].Prompt(); a <= b+1_000 {
		t.Errorf("recorded sessions had nothing behind their heads: %d, and with a project of little text %d", a, b)
	}
}

func headsOfRequests(t *testing.T) {
	text := strings.Replace(reviews("subagent", 1), "project:\n", "profile: recorded-2026-11\nproject:\n", 1)
	const of = "project.parts=[{kind: system-prompt, text: {tokens: %s}}, {kind: tool, name: Read, text: {tokens: %s}}]"
	at := func(prompt, read string) *heardOf { return hear(t, text, fmt.Sprintf(of, prompt, read)) }
	small, prompt, both := at("1_000", "1_000"), at("6_000", "1_000"), at("6_000", "4_000")
	near(t, "main with 5,000 tokens more of prompt", prompt.first["main"].Prompt(), small.first["main"].Prompt()+5_000)
	grown := both.first["main"].Prompt() - prompt.first["main"].Prompt()
	if grown < 3_000 {
		t.Errorf("3,000 tokens more of a tool weigh %d", grown)
	}
	near(t, "a child with as many more", both.first["main/1.1"].Prompt(), prompt.first["main/1.1"].Prompt()+grown)
}

func headsDrawn(t *testing.T) {
	const drawn = "heads=[{type: sub-agent, shared: 9_000, prompt: {uniform: [15_000, 40_000]}}]"
	two, many := hear(t, reviews("subagent", 2), drawn), hear(t, reviews("subagent", 8), drawn)
	sizes := map[int64]bool{}         // in thousands
	for name, u := range many.first { // order: each by itself
		if name == "main" {
			continue
		}
		sizes[u.Prompt()/1000] = true
		if fewer, there := two.first[name]; there && fewer.Prompt() != u.Prompt() {
			t.Errorf("%s: %d, with more agents %d", name, fewer.Prompt(), u.Prompt())
		}
	}
	if len(sizes) < 4 {
		t.Errorf("%v", sizes)
	}
}

func headsOfItems(t *testing.T) {
	const drawn = "heads=[{type: sub-agent, shared: 9_000, prompt: {uniform: [15_000, 40_000]}}]"
	firsts := func(most string) (out []int64) {
		for name, u := range hear(t, reviews("subagent", 6), drawn, "model.spawns_per_turn="+most).first { // order: sorted below
			if name != "main" {
				out = append(out, u.Prompt())
			}
		}
		slices.Sort(out)
		return out
	}
	if one, all := firsts("1"), firsts("6"); !slices.Equal(one, all) || len(one) != 6 || one[0] == one[5] {
		t.Errorf("started one by one %v, all at once %v", one, all)
	}
}

// reading is a lead with an item of its own and one that somebody else does, of many
// files each.
func reading(structure string) string {
	text := strings.Replace(reviews(structure, 1), "work:\n", "work:\n  - {id: look, kind: research, by: lead, reads: [%s]}\n  - {id: other, kind: research, after: [look], reads: [%s]}\n", 1)
	files := ""
	for i := range 40 {
		files += fmt.Sprintf("    g%d.go: {tokens: 50, class: code}\n", i)
	}
	var own, given []string
	for i := range 20 {
		own, given = append(own, fmt.Sprintf("g%d.go", i)), append(given, fmt.Sprintf("g%d.go", i+20))
	}
	return fmt.Sprintf(strings.Replace(text, "  files:\n", "  files:\n"+files, 1), strings.Join(own, ", "), strings.Join(given, ", "))
}

func usesByRole(t *testing.T) {
	h := hear(t, reading("subagent"), "model.at_once={main: 1, sub_agent: 5, spawns: 1}")
	most := map[bool]int{}
	for name, uses := range h.uses { // order: the largest
		most[name == "main"] = max(most[name == "main"], slices.Max(uses))
	}
	if most[true] != 1 || most[false] != 5 {
		t.Errorf("at most %d tool uses in an answer of a main agent, %d of a sub-agent", most[true], most[false])
	}
	// As recorded: one in 90 % of main agents' answers, in 52 % of sub-agents'.
	one, all := map[bool]int{}, map[bool]int{}
	for seed := range 20 {
		h := hear(t, reading("subagent"), "profile=recorded-2026-11", "model.wander.uses=2", fmt.Sprintf("seed=%d", seed+1))
		for name, uses := range h.uses { // order: added up
			for _, n := range uses {
				if all[name == "main"]++; n == 1 {
					one[name == "main"]++
				}
			}
		}
	}
	if main, child := one[true]*100/all[true], one[false]*100/all[false]; main < 85 || main > 97 || child < 45 || child > 68 {
		t.Errorf("one tool use in %d %% of main agents' answers, in %d %% of sub-agents'", main, child)
	}
}

func thinksByRole(t *testing.T) {
	for _, structure := range []string{"subagent", "fork"} {
		h := hear(t, reading(structure), "profile=recorded-2026-11")
		for name := range h.first { // order: each by itself
			if thinks := h.think[name] > 0; thinks != (name == "main" || structure == "fork") {
				t.Errorf("%s: %s thinks: %t", structure, name, thinks)
			}
		}
	}
}
