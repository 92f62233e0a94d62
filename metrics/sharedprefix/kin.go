package sharedprefix

import (
	"fmt"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// Kin are the children of one assistant message, and what their first requests
// share.
type Kin struct {
	Index    int    // among all messages that spawned, in order
	Parent   int32  // ordinal
	Lineage  string // the parent's
	Call     int    // of the parent, from 0
	Type     string // of the first child
	Children int
	Seen     int       // first requests so far
	First    *llm.Node // the first of them
	Common   *llm.Node // what all of them share; nil for nothing
	Model    string    // of the first of them
	sealed   bool      // the parent has gone on: no child will join
}

// Who names the parent and its call, from 1, such as main#3.
func (k *Kin) Who() string { return fmt.Sprintf("%s#%d", k.Lineage, k.Call+1) }

// Families gathers children by the message that spawned them. It holds on to a node
// of a conversation only until every child has sent its first request and no other
// can join.
type Families struct {
	ByType bool // children of two types are not of one kin
	All    []Kin
	agents []member
}

type member struct {
	lineage string
	call    int   // of its last request; -1 before
	joins   int   // index from 1 of the kin that its first request is still owed to
	spawned []int // indexes of the kin that its last call spawned
}

func (f *Families) agent(ordinal int32) *member {
	for int(ordinal) >= len(f.agents) {
		f.agents = append(f.agents, member{call: -1})
	}
	return &f.agents[ordinal]
}

// Start enters an agent. It returns the index of its kin, -1 for an agent that no
// call spawned; a new activation of a known agent is none.
func (f *Families) Start(ordinal int32, b *transcript.AgentStart) (kin int) {
	if f.agent(ordinal).lineage != "" {
		return -1
	}
	f.agents[ordinal].lineage = b.Lineage
	if b.Parent < 0 || b.ToolUse == (llm.ToolUseID{}) {
		return -1
	}
	p := f.agent(b.Parent)
	at := slices.IndexFunc(p.spawned, func(i int) bool { return !f.ByType || f.All[i].Type == b.Type })
	if at >= 0 {
		kin = p.spawned[at]
	} else {
		kin = len(f.All)
		f.All = append(f.All, Kin{Index: kin, Parent: b.Parent, Lineage: p.lineage, Call: p.call, Type: b.Type})
		p.spawned = append(p.spawned, kin)
	}
	f.All[kin].Children++
	f.agent(ordinal).joins = kin + 1
	return kin
}

// Request takes in a request. Where it is the first one of a child, joined is true
// and the kin is as that leaves it.
func (f *Families) Request(ordinal int32, b *transcript.Request) (kin Kin, joined bool) {
	a := f.agent(ordinal)
	if b.Call != a.call {
		for _, i := range a.spawned {
			f.All[i].sealed = true
			f.All[i].release()
		}
		a.call, a.spawned = b.Call, a.spawned[:0]
	}
	if a.joins == 0 {
		return Kin{}, false
	}
	k := &f.All[a.joins-1]
	a.joins = 0
	if k.Seen++; k.Seen == 1 {
		k.First, k.Common, k.Model = b.Head, b.Head, b.Model
	} else {
		k.Common = llm.Common(k.Common, b.Head)
	}
	kin = *k
	k.release()
	return kin, true
}

func (k *Kin) release() {
	if k.sealed && k.Seen == k.Children {
		k.First, k.Common = nil, nil
	}
}
