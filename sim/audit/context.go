package audit

import (
	"cmp"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// identity is ISO-12: who an agent is, and which call made it.
func (u *starts) identity(a, p *agent) {
	f := &a.facts
	if u.fails(iso12, f.ID != 0 && f.Type != "" && f.ID != p.facts.ID && f.ID != p.lastChild) {
		u.report(iso12, a, "a type, and an id that no relative bears", "type "+orNone(f.Type)+", id "+f.ID.String())
	}
	p.lastChild = f.ID
	if source := "agent:builtin:" + f.Type; u.fails(iso12, f.Source == source || f.Source == "agent:custom") {
		u.report(iso12, a, "query source "+source+" or agent:custom", orNone(f.Source))
	}
	if u.fails(iso12, a.spawned.input != nil && isAgentTool(a.spawned.name)) {
		u.report(iso12, a, "the Agent call that made it, in the last answer of "+p.lineage, f.ToolUse.String()+" "+orNone(a.spawned.name))
	}
}

// isAgentTool reports whether a name is one of the Agent tool's.
func isAgentTool(name string) bool { return name == "Agent" || name == "Task" || name == "agent" }

// invoking is ISO-12's last field: on the first request of an activation and on
// no other.
func (u *starts) invoking(a *agent, b *transcript.Request) {
	var want llm.ToolUseID
	if !a.named {
		want, a.named = a.facts.ToolUse, true
	}
	if u.fails(iso12, b.InvokingRequest == want) {
		u.report(iso12, a, "invoking request "+want.String(), b.InvokingRequest.String())
	}
}

// chains is ISO-07.
func (u *starts) chains(a, p *agent) {
	if want := p.facts.Depth + 1; u.fails(iso07, a.facts.Depth == want) {
		u.report(iso07, a, "depth "+decimal(int64(want)), "depth "+decimal(int64(a.facts.Depth)))
	}
	for q := p; q != nil && q.life != nil; q = q.parent {
		if u.fails(iso07, q.facts.Chain != a.facts.Chain) {
			u.report(iso07, a, "a query chain of its own", "that of "+q.lineage)
		}
	}
}

// startState is ISO-05 for what an agent starts with.
func (u *starts) startState(a *agent) {
	want := "shared"
	if a.background {
		want = "no-op"
	}
	u.same(iso05, a, "setAppState", want, a.facts.Context.SetAppState)
}

// stateWrite is ISO-05 and ISO-06 for what is written.
func (u *tasking) stateWrite(a *agent, b *transcript.StateWrite) {
	if id, ok := strings.CutPrefix(b.Field, "tasks."); ok {
		u.same(iso06, a, b.Field, "root", b.Effect)
		if id, moved := strings.CutSuffix(id, ".isBackgrounded"); moved {
			u.launches.moved(a, b.Why)
			u.toBackground(a)
		} else if b.Effect == "root" {
			t := u.taskOf(id)
			t.registered, t.owner = cmp.Or(t.registered, u.seq), a
		}
		return
	}
	if rule, ok := strings.CutPrefix(b.Field, "permissions.allow."); ok && b.Effect != "no-op" {
		u.permissions.rules = append(u.permissions.rules, rule)
	}
	if b.Field == "session" && u.fails(min02, a.parent == nil) {
		u.report(min02, a, "no session saved: it is a sub-agent", b.Field)
	}
	want := "root"
	for q := a; q.parent != nil; q = q.parent {
		if q.background || q.parent.life == nil {
			want = "no-op"
			break
		}
	}
	if u.fails(iso05, b.Effect == want || want == "root" && b.Effect == "shared") {
		u.report(iso05, a, "a write of "+b.Field+" that is "+want, b.Effect)
	}
}

// toBackground notes that nobody waits for the agent any more, nor can anybody be
// asked for it or for those it waits for.
func (u *tasking) toBackground(a *agent) {
	a.background = true
	if a.life != nil {
		if p := a.parent; p != nil && p.life != nil {
			p.launched = append(p.launched, launch{a.facts.ToolUse, a.facts.ID})
		}
		a.silence()
	}
}

func (a *agent) silence() {
	a.avoids = a.avoids || a.facts.RunMode != "bubble"
	for _, c := range a.hearers {
		if c.life != nil {
			c.silence()
		}
	}
}

// startPrompts is ISO-04 for what an agent starts with: a definition that bubbles
// has its prompts shown by the parent.
func (u *starts) startPrompts(a, p *agent) {
	want := (a.background && !a.mate || p.avoids) && a.facts.PoolMode != "bubble"
	if u.fails(iso04, a.avoids == want) {
		u.report(iso04, a, "avoids prompts: "+strconv.FormatBool(want), "avoids prompts: "+strconv.FormatBool(a.avoids))
	}
}

// whyAvoided is why a question was denied without being asked.
const whyAvoided = "prompts are avoided"

// permission is ISO-04 for decisions.
func (u *permissions) permission(a *agent, b *transcript.Permission) {
	u.decided(a, b)
	switch {
	case b.Decision == "edit":
		a.edited = true
	case b.Decision == "ask":
		a.asked = true
		if u.fails(iso04, !a.avoids || a.asksLead(b.Tool)) {
			u.report(iso04, a, "no prompt for "+b.Tool+": it avoids them", "a prompt")
		}
	case b.Why == whyAvoided:
		if u.fails(iso04, a.avoids) {
			u.report(iso04, a, "a prompt for "+b.Tool, "a denial, as if it had to avoid prompts")
		}
	}
}

// startThinking is ISO-09. A parent whose settings have changed may think or not.
func (u *starts) startThinking(a, p *agent) {
	want := a.fork && p.facts.Context.Thinking
	if a.fork && p.last.resettled {
		return
	}
	if u.fails(iso09, a.facts.Context.Thinking == want) {
		u.report(iso09, a, "thinking: "+strconv.FormatBool(want), "thinking: "+strconv.FormatBool(a.facts.Context.Thinking))
	}
}
