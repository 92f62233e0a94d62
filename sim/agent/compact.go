package agent

import (
	"slices"
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/task"
	"agentsim/sim/transcript"
)

// Compaction says when an agent's history becomes a summary (LOOP-07).
type Compaction struct {
	// Share is the percentage of the window from which on it does, by the usage of
	// the last request; 0 is never.
	Share int64
	// Window is a model's context window in tokens, 0 where it is not known, which
	// is never full. Nil knows none.
	Window func(model string) int64
}

// at is how many tokens fill a model's window, 0 for no number.
func (c *Compaction) at(model string) int64 {
	if c.Share == 0 || c.Window == nil {
		return 0
	}
	return c.Window(model) * c.Share / 100
}

// compaction makes summaries of one agent's history.
type compaction struct {
	of      *Agent
	fullAt  int64  // tokens of a request and its answer that fill the window; 0 is never
	size    int64  // tokens of the last request of this history and its answer
	times   int    // how often the history became a summary
	since   int    // answers by the last time
	earlier string // what was said in histories that are gone, as its output file has it
}

// What the client says around a compaction. The tags are for those who read the
// bytes.
const (
	compactionOpen = "<compaction-request>"
	summaryOpen    = "<conversation-summary>"

	compactionAsk = compactionOpen + `
The window for this conversation is nearly full. Sum the conversation up, so that it can go on from your summary alone:
what was asked for, what is done, what is under way, and what you know and still need, with the places where to look.
Call no tool.
</compaction-request>`
	summaryEnd = `
</conversation-summary>
The conversation before this point is gone; the summary stands in its place. Go on with the work.`
)

// due reports whether the history is to become a summary before the next
// request. One whose first request is as full again is left as it is.
func (c *compaction) due() bool {
	a := c.of
	if c.fullAt == 0 || c.size < c.fullAt {
		return false
	}
	if c.times > 0 && a.answers == c.since+1 {
		c.fullAt = 0
		a.finding("compaction", "the summary alone fills the window; the history is not compacted again")
		return false
	}
	return true
}

// run makes the history a summary. The summary is asked for behind the
// history as it stands, so that the call reads the cached prefix (CACHE-30). The
// conversation that goes on holds the user context, what a child was started with
// (its task and skills, a fork's directive and notice) and the summary, behind the
// same prefix; what the agent believed of files is forgotten.
// Without a summary everything stays as it was.
func (c *compaction) run(p *kernel.Proc) error {
	a := c.of
	a.root.apply()
	a.client.req.MaxTokens = a.w.cfg.MaxTokens
	before, tokens := a.conv, c.size
	a.conv.say(a.w.cfg.Builder, textMessage(compactionAsk))
	err := a.client.send(p)
	if err != nil {
		a.conv = before
		return err
	}
	m := &llm.Msg{Role: llm.Assistant, Blocks: a.client.resp.Blocks}
	a.listen(m)
	a.progress.tell(a)
	a.conv = before
	summary := textOf(m)
	if summary == "" || a.client.resp.Stop == llm.Refusal {
		a.finding("compaction", "no summary came: "+a.client.resp.Stop.String()+"; the history stays")
		return nil
	}
	c.startOver(summary, tokens)
	return nil
}

// startOver begins the conversation anew from its summary.
func (c *compaction) startOver(summary string, tokens int64) {
	a := c.of
	old := a.conv
	a.w.cfg.Classifier.Keep(a.transcript())
	c.earlier = a.outputSoFar()
	a.conv = Conversation{Prefix: old.Prefix, Border: old.Border, Head: old.Border, Repl: old.Repl}
	a.origin, a.inFork = nil, false
	ev := transcript.Compact{Call: a.client.calls - 1, Tokens: tokens, FullAt: c.fullAt, Blocks: int(old.Head.Pos - old.Border.Pos),
		Cache: a.ctx.Files.Len(), Bytes: old.Head.Bytes - old.Border.Bytes}
	a.ctx.Files.Clear()
	m := &llm.Msg{Role: llm.User}
	m.Blocks = a.front.opens(m.Blocks)
	m.Blocks = append(m.Blocks, foundSince(a)...)
	m.Blocks = instructed(a, m.Blocks)
	m.Blocks = append(m.Blocks, a.given...)
	m.Blocks = append(m.Blocks, textBlock(summaryOpen+"\n"+task.Defuse(summary)+summaryEnd))
	a.say(m)
	c.size, c.since = 0, a.answers
	c.times++
	ev.After = a.conv.Head.Bytes - a.conv.Border.Bytes
	compare(&ev, a.w.cfg.Marks, old.Head, a.conv.Head)
	a.w.rec.emit(a.ref, &transcript.Rebase{Why: "compaction", Position: old.Border.Pos + 1})
	a.w.rec.emit(a.ref, &ev)
}

// compare notes which facts stood in the old history and stand in the new one,
// and how many versions of files are gone with it.
func compare(ev *transcript.Compact, marks mark.Key, old, now *llm.Node) {
	before, kept := known(old, marks), known(now, marks)
	for name := range before { // order: sorted below
		switch {
		case kept[name]:
			ev.Kept++
		case strings.HasPrefix(name, versionPrefix):
			ev.Versions++
		default:
			ev.Lost = append(ev.Lost, name)
		}
	}
	slices.Sort(ev.Lost)
}

// versionPrefix is in front of versions of files among the names of facts.
const versionPrefix = "version "

// known is the facts and versions of files that stand in the messages of a
// conversation, the model's own thinking aside.
func known(head *llm.Node, marks mark.Key) map[string]bool {
	out := map[string]bool{}
	for n := head; !n.IsBorder(); n = n.Parent {
		if n.Block.Kind == llm.Thinking {
			continue
		}
		marks.Scan(n.Block.Content.Raw(), func(m mark.Mark) {
			switch m.Verb {
			case mark.Fact:
				out[m.Args[0]] = true
			case mark.File:
				out[versionPrefix+m.Args[0]+" "+m.Args[1]] = true
			}
		})
	}
	return out
}

func textBlock(s string) llm.Block {
	return llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, s)}
}

func textMessage(s string) *llm.Msg {
	return &llm.Msg{Role: llm.User, Blocks: []llm.Block{textBlock(s)}}
}
