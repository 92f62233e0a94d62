package audit

import (
	"slices"

	"agentsim/sim/transcript"
)

// watched is what a user does on an event that has not come yet.
type watched struct {
	Act
	root string
}

// watch lists what users do on events.
func (u *aborts) watch(roots map[string]Root) {
	for name, r := range roots { // order: each is looked at by itself
		for _, act := range r.Acts {
			u.watches = append(u.watches, &watched{act, name})
		}
	}
}

// saw is PRM-05 for an event: whoever waits for it acts at its instant, which is from here on
// as if the script named it.
func (u *aborts) saw(e *transcript.Event) {
	kind, of := e.Body.Kind().String(), ""
	if a := u.agent(e.Agent); a != nil {
		of = a.lineage
	} else if b, ok := e.Body.(*transcript.AgentStart); ok {
		of = b.Lineage
	}
	u.watches = slices.DeleteFunc(u.watches, func(w *watched) bool {
		if w.Kind != kind || w.Agent != "" && w.Agent != of || w.Tool != "" && w.Tool != toolOf(e.Body) {
			return false
		}
		if w.Nth--; w.Nth == 0 {
			u.acts(w)
		}
		return w.Nth == 0
	})
}

// acts notes that a user does something now.
func (u *aborts) acts(w *watched) {
	at := slices.IndexFunc(u.agents, func(a *agent) bool { return a != nil && a.lineage == w.root })
	if w.Kill {
		u.kills = append(u.kills, u.now)
		slices.Sort(u.kills)
	}
	if at < 0 || u.agents[at].life == nil {
		return
	}
	root := u.agents[at]
	if w.Background {
		i := slices.IndexFunc(u.presses, func(p press) bool { return p.at > u.now })
		if i < 0 {
			i = len(u.presses)
		}
		u.presses = slices.Insert(u.presses, i, press{u.now, w.root})
	}
	if w.Interrupt {
		root.escapes = append(root.escapes, u.now)
		slices.Sort(root.escapes)
	}
	if w.Speaks {
		root.former.due++
	}
}

// toolOf is the tool that an event is about, "" for none.
func toolOf(body transcript.Body) string {
	switch b := body.(type) {
	case *transcript.ToolCall:
		return b.Name
	case *transcript.ToolResult:
		return b.Name
	case *transcript.Permission:
		return b.Tool
	}
	return ""
}
