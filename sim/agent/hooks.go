package agent

import (
	"path"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/transcript"
)

// Hook is a command that hears what the agents of a definition do.
type Hook struct {
	Event   HookEvent
	Matcher string // patterns of the tools it hears, | between them; "" or "*" is all
	Command string
}

// HookEvent is what a hook hears.
type HookEvent string

// The events that hooks of a definition can hear.
const (
	PreToolUse  HookEvent = "PreToolUse"
	PostToolUse HookEvent = "PostToolUse"
	Stop        HookEvent = "Stop"
)

// HookRule says what a hook does when it runs. Commands are not executed; a hook
// without a rule lets everything pass.
type HookRule struct {
	Command string
	Event   HookEvent // "" is any
	Tool    string    // pattern of tools; "" is any
	Block   bool      // else it only records
	Reason  string
	Times   int // for its first so many runs; 0 is all
}

// hears reports whether a hook hears an event about a tool.
func (h *Hook) hears(e HookEvent, tool string) bool {
	if h.Event != e {
		return false
	}
	if h.Matcher == "" || e == Stop {
		return true
	}
	return slices.ContainsFunc(strings.Split(h.Matcher, "|"), func(part string) bool { return matches(part, tool) })
}

func matches(pattern, tool string) bool {
	ok, err := path.Match(pattern, tool)
	return ok && err == nil
}

// hooks are those that hear one agent: of its own definition, as long as it lives.
type hooks struct {
	of   *Agent
	list []Hook
}

// run runs the hooks that hear an event, each one, and returns the reason of the
// first that blocks.
func (s *hooks) run(e HookEvent, tool string, id llm.ToolUseID) (reason string, blocked bool) {
	a := s.of
	for i := range s.list {
		h := &s.list[i]
		if !h.hears(e, tool) {
			continue
		}
		ev := &transcript.Hook{Op: "run", Event: string(e), Command: h.Command, Tool: tool, ID: id, Outcome: "pass"}
		if r := a.w.hookRule(h, e, tool); r != nil {
			ev.Outcome, ev.Reason = "record", r.Reason
			if r.Block {
				ev.Outcome = "block"
			}
		}
		a.w.rec.emit(a.ref, ev)
		if ev.Outcome == "block" && !blocked {
			reason, blocked = task.Defuse(h.Command+": "+ev.Reason), true
		}
	}
	return reason, blocked
}

// hookRule is the first rule for a run of a hook that has runs left, nil for
// none.
func (w *World) hookRule(h *Hook, e HookEvent, tool string) *HookRule {
	for i := range w.cfg.Hooks {
		r := &w.cfg.Hooks[i]
		if r.Command != h.Command || r.Event != "" && r.Event != e || r.Tool != "" && !matches(r.Tool, tool) {
			continue
		}
		if r.Times > 0 && w.hookRuns[i] >= r.Times {
			continue
		}
		if w.hookRuns == nil {
			w.hookRuns = map[int]int{}
		}
		w.hookRuns[i]++
		return r
	}
	return nil
}

// Acted reports whether a hook ran by the i-th of the rules, and whether an agent's
// definition has a hook that a rule can speak of.
func Acted(w *World, i int) (ran, there bool) {
	r := &w.cfg.Hooks[i]
	return w.hookRuns[i] > 0, slices.ContainsFunc(w.cfg.Definitions, func(d *Definition) bool {
		return slices.ContainsFunc(d.Hooks, func(h Hook) bool { return h.Command == r.Command && (r.Event == "" || r.Event == h.Event) })
	})
}

// announce records that the hooks begin or cease to hear the agent.
func (s *hooks) announce(op string) {
	for i := range s.list {
		s.of.w.rec.emit(s.of.ref, &transcript.Hook{Op: op, Event: string(s.list[i].Event), Command: s.list[i].Command})
	}
}

// stoppedByHook asks the hooks before a tool runs.
func (u *toolUse) stoppedByHook() bool {
	reason, blocked := u.by.hooks.run(PreToolUse, u.tool.Name, u.block.ID)
	if blocked {
		u.result, u.unheard = failure("A hook blocked this call before it ran. "+reason), true
	}
	return blocked
}

// heardByHooks tells the hooks that a tool has run. What one objects to stands
// behind the result: the tool has done what it does.
func (u *toolUse) heardByHooks() {
	if u.tool == nil || u.unheard || u.result.Content == nil {
		return
	}
	if reason, blocked := u.by.hooks.run(PostToolUse, u.tool.Name, u.block.ID); blocked {
		u.result.Content = llm.NewText(llm.Prose, u.result.Content.Raw()+"\n\nA hook objects to this result. "+reason)
	}
}

// keep asks whether the agent may stop. A hook that blocks keeps it at work with its
// reason, as far as the agent's turns go.
func (s *hooks) keep() bool {
	reason, blocked := s.run(Stop, "", llm.ToolUseID{})
	if blocked {
		s.of.say(textMessage("A hook does not let you stop yet. " + reason))
	}
	return blocked
}
