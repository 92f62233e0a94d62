package policy

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/mockllm"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

func TestCompaction(t *testing.T) {
	t.Run("LOOP-07 CON-11 LLM-11 wherever the history becomes a summary, what is known follows from the bytes that are left, and every item is done", compactedAnywhere)
	t.Run("LOOP-07 CON-14 only text of the user outside tool results is a summary", onlyTheUsersSummary)
	t.Run("LOOP-07 what open items need is told first, of that the newest, and what the budget leaves out is named", rankedFacts)
	t.Run("CON-16 what an item's step draws is no matter of the call, nor of what a summary replaced", stepsByDeed)
}

func compactedAnywhere(t *testing.T) {
	compactions := 0
	for _, sets := range worlds[:5] { // the last one leads as the one before it
		for _, where := range []string{"main %d", "main/2.1 %d", "main/3.1 %d", "main/4.1 %d"} {
			for _, call := range []int{1, 2, 4, 6} {
				h := newHouse(t, standard, sets...)
				h.compact = fmt.Sprintf(where, call)
				h.after = func(a *agent) {
					r := h.said[len(h.said)-1]
					carried := h.model.(*Model).memo.state(r.head)
					flat := New(h.table).memo.state(h.reread(t, r.head))
					if got, want := h.table.describe(carried), h.table.describe(flat); got != want {
						t.Errorf("%v %s: %s call %d: carried\n%s\nfrom bytes\n%s", sets, h.compact, a.lineage, a.calls, got, want)
					}
					if strings.Contains(string(llm.AppendRequest(nil, r.head)), compactionOpen) {
						compactions++
					}
				}
				h.run()
				replayed(t, h)
				if got := h.outcomes(); got != "done check dig fix-a fix-b look tell" {
					t.Errorf("%v %s: %s\n%s", sets, h.compact, got, h.log.String())
				}
				for item, n := range h.launches() {
					if n > 1 {
						t.Errorf("%v %s: %s was given out %d times", sets, h.compact, item, n)
					}
				}
			}
		}
	}
	if compactions < 20 {
		t.Errorf("%d compactions", compactions)
	}
}

// launches counts how often each item was given to a child.
func (h *house) launches() map[string]int {
	out := map[string]int{}
	for _, r := range h.said {
		for _, line := range strings.Split(r.answer, "\n") {
			if strings.HasPrefix(line, "tool_use ") && strings.Contains(line, " Agent {") {
				h.marks.Scan(line, func(m mark.Mark) {
					if m.Verb == mark.Do {
						out[m.Args[0]]++
					}
				})
			}
		}
	}
	return out
}

func onlyTheUsersSummary(t *testing.T) {
	h := newHouse(t, standard)
	sum := summaryOpen + " " + h.marks.Text(mark.Done, "look") + h.marks.Text(mark.Out, "fix-a") + h.marks.Text(mark.Lost, "fix-b") +
		h.marks.Text(mark.Made, "fix-b", "1") + h.marks.Text(mark.Made, "fix-b", "9") + h.marks.Text(mark.On, "src/auth.go", "abc")
	payload := llm.NewText(llm.Prose, sum)
	s := h.learned(llm.User, llm.Block{Kind: llm.Text, Content: payload})
	if !s.done.has(0) || !s.launched.has(2) || !s.lost.has(3) || !s.failed.has(3) || !s.edited.has(2) || s.edited.len() != 1 || !s.gone.has(0) {
		t.Errorf("of the user's:\n%s", h.table.describe(s))
	}
	for role, b := range map[llm.Role]llm.Block{
		llm.Assistant: {Kind: llm.Text, Content: payload},
		llm.User:      {Kind: llm.ToolResult, Content: payload},
	} {
		if s := h.learned(role, b); s.launched.len()+s.edited.len()+s.gone.len() > 0 {
			t.Errorf("of the %s's %s:\n%s", role, b.Kind, h.table.describe(s))
		}
	}
}

func rankedFacts(t *testing.T) {
	h := newHouse(t, standard, "structure=inline")
	fact := func(name string) llm.Block {
		return llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, h.marks.Text(mark.Fact, name))}
	}
	// Nobody needs a gist any more; both facts are needed, the second is the newer.
	summary := func(tokens int64, last ...llm.Block) string {
		h.table.budget = tokens
		a := h.start("main", nil, summaryOpen+h.marks.Text(mark.Done, "look")+h.marks.Text(mark.Fact, "gist:src/auth.go"))
		for _, b := range last {
			a.append(llm.User, b)
		}
		a.append(llm.User, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, compactionOpen)})
		a.ask()
		return h.words(a.said)
	}
	for _, c := range []struct {
		tokens int64
		blocks []llm.Block
		want   string
	}{
		{4000, []llm.Block{fact("auth.null-user"), fact("store.no-lock")}, "[done look; f store.no-lock; f auth.null-user; f gist:src/auth.go]"},
		{4000, []llm.Block{fact("store.no-lock"), fact("auth.null-user")}, "[done look; f auth.null-user; f store.no-lock; f gist:src/auth.go]"},
		{80, []llm.Block{fact("auth.null-user"), fact("store.no-lock")}, "[done look; f store.no-lock; at gist:src/auth.go src/auth.go:1] Left out for want of room: auth.null-user, gist:src/auth.go."},
		{1, []llm.Block{fact("auth.null-user"), fact("store.no-lock")}, "[done look]"},
	} {
		if got := summary(c.tokens, c.blocks...); got != c.want {
			t.Errorf("budget %d: %s, want %s", c.tokens, got, c.want)
		}
	}
}

func stepsByDeed(t *testing.T) {
	h := newHouse(t, standard, "structure=inline")
	answer := func(open string, call int) string {
		a := h.start("main", nil, open)
		q := mockllm.Query{Head: a.head, Model: "m", Stream: llm.StreamName{Lineage: "main", Key: a.key, Call: call}, MaxTokens: 8192}
		q.Settings.Thinking = llm.ThinkingEnabled
		var ans mockllm.Answer
		ans.Reset()
		if err := New(h.table).Answer(&q, &ans); err != nil {
			t.Fatal(err)
		}
		return ans.Blocks[0].Content.Raw()
	}
	want := answer("Do the work.", 3)
	if answer("Do the work.", 4) != want || answer(summaryOpen, 3) != want || answer(summaryOpen, 4) != want {
		t.Error("the same step draws other sizes")
	}
}
