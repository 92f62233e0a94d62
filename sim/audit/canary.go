package audit

import (
	"strings"

	"agentsim/sim/llm"
)

// canary is the least length of a payload that is looked for in a child's bytes:
// shorter ones stand anywhere.
const canary = 24

// firstOfChild is SUB-08: the whole prompt, and nothing else of its parent's
// messages. nodes are the child's messages.
func (u *Auditor) firstOfChild(a *agent, nodes []*llm.Node) {
	want, known := a.prompt()
	said := !known
	for _, n := range nodes {
		text := n.Block.Content.Raw()
		if known && !said && saysAll(n, want) {
			said = true
			text = strings.Replace(text, want, "", 1)
			if text == "" {
				continue
			}
		}
		u.vet(a, n, text)
	}
	if u.fails(sub08, said) {
		u.report(sub08, a, "its prompt, whole: "+short(want), tell(nodes, len(nodes)-1))
	}
	for n := border(nodes[0]).Parent; n != nil; n = n.Parent {
		if n.Level == llm.System && !n.IsBorder() {
			u.vet(a, n, n.Block.Content.Raw())
		}
	}
}

// vet looks in a text of a child for the payloads of its parent's messages. A
// text that many children share is looked at once.
func (u *Auditor) vet(a *agent, n *llm.Node, text string) {
	id := n.Block.Content.Identity()
	if len(text) < canary || u.vetted[id] || a.parent == nil || a.parent.life == nil || a.parent.seen == nil {
		return
	}
	leak := ""
	for p := a.parent.seen; leak == "" && !p.IsBorder(); p = p.Parent {
		if raw := p.Block.Content.Raw(); len(raw) >= canary && !sharedContext(p) && strings.Contains(text, raw) {
			leak = raw
		}
	}
	if u.fails(sub08, leak == "" || stoodBefore(a.parent.seen, leak)) {
		u.report(sub08, a, "no payload of "+a.parent.lineage+"'s messages but the prompt", short(leak))
		return
	}
	u.vetted[id] = true
}

// stoodBefore reports whether a text stands in what a conversation shares with
// its children anyway, its system prompt and user context: then it tells nothing.
func stoodBefore(n *llm.Node, text string) bool {
	for ; n.Parent != nil; n = n.Parent {
		if !n.IsBorder() && (n.Level == llm.System || n.Level == llm.Messages && sharedContext(n)) && strings.Contains(n.Block.Content.Raw(), text) {
			return true
		}
	}
	return false
}

// sharedContext reports whether a block is the user context, which children
// share: the first block of the messages, where another follows it.
func sharedContext(n *llm.Node) bool {
	return n.Parent.IsBorder() && n.Role == llm.User && strings.HasPrefix(n.Block.Content.Raw(), "<system-reminder>")
}
