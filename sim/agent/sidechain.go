package agent

import "agentsim/sim/llm"

// Entry is one message of a sidechain transcript (ISO-13).
type Entry struct {
	ID     llm.Hash // of the conversation up to and with this message
	Parent llm.Hash // ID of the entry before; of the first, the prefix's hash
	Msg    *llm.Msg
}

// Sidechain is the transcript of an agent's conversation: each message that went
// into it once, linked to the one before, whoever said it. A fork's begins with
// what it inherited, whose entries are its parent's; one whose history became a
// summary begins with that.
func (c *Conversation) Sidechain() []Entry {
	repl := c.Repl
	repl.OnReplace = nil
	repl.recall()
	b, head := &llm.Builder{}, c.Border
	var out []Entry
	for _, m := range messages(c.Last) {
		e := Entry{Parent: head.Hash, Msg: m}
		head = renderMessage(b, head, m, &repl)
		e.ID = head.Hash
		out = append(out, e)
	}
	return out
}

// resumed is the conversation that a sidechain transcript holds, behind a
// prefix that has been rendered up to border
// and with the decisions of content replacement that were taken. Nothing else is
// read. An entry that is not linked to the one before ends it: what came behind
// a gap was never said to this agent.
func resumed(b *llm.Builder, p *Prefix, border *llm.Node, repl Replacements, entries []Entry) *Conversation {
	c := &Conversation{Prefix: p, Border: border, Head: border, Repl: repl}
	c.Repl.OnReplace = nil
	c.Repl.recall()
	for i := range entries {
		if entries[i].Parent != c.Head.Hash {
			break
		}
		m := *entries[i].Msg
		c.say(b, &m)
	}
	c.Repl.forget()
	return c
}
