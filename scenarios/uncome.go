package scenarios

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/memo"
)

// uncome lists the settings that a run may not have come to. What a variant says in place
// of its base, nil where that is in error, has had its effect.
func uncome(base func() *Scenario, s *Scenario, run *Ran, d *document.Decoder) (out []*struck) {
	unread := memo.Once(s.unread)
	over := func(label string) bool {
		b := base()
		return b != nil && !sameAt(b, Defaults(), label) && !sameAt(b, s, label)
	}
	one := func(used bool, place, label, why string, args ...any) *struck {
		x := &struck{Idle: Idle{Path: label, Why: fmt.Sprintf(why, args...), at: d.Where(place)}, used: used}
		if d.Given(place) && !sameAt(s, Defaults(), label) && !over(label) && idle(unread(), label) == nil {
			out = append(out, x)
		}
		return x
	}
	met := func(path string) bool { return !slices.Contains(run.Unmet, path) }
	sent := func(kind string) bool {
		return slices.ContainsFunc(run.Lineages, func(l string) bool { return strings.HasSuffix(l, llm.HiddenSuffix+"-"+kind) })
	}
	one(sent("away"), "hidden.away", "hidden.away", "no user was away so long after an answer that ended a turn")
	one(sent("suggestion"), "hidden.suggestion", "hidden.suggestion", "no answer that ended a turn drew one")
	one(met("limits.evict_after"), "limits.evict_after", "limits.evict_after", "the run ends before any output of an agent in the background is let go")
	one(met("tools.replace_over"), "tools.replace_over", "tools.replace_over", "no result is so large")
	one(met("compaction") || s.CompactionShare() == 0, "compaction", "compaction", "no history was full: the largest had %d tokens", run.Reached["compaction"])
	one(met("permissions.mode") || s.Permissions.Mode != "plan" || s.teams() || s.turnsOn(swarmsGate), "permissions.mode", "permissions.mode", "no call is decided otherwise for plan mode, and nothing is planned")
	for _, x := range slices.Concat(decisive, touchable) {
		one(met(x.path), x.path, x.path, "%s", x.why)
	}
	for i := range s.ReplaceFlips {
		at := "replace_flips[" + itoa(i) + "]"
		one(!met(at) || met(at+".over"), at+".over", "replace_flips."+itoa(i+1)+".over", "no result is so large")
	}
	for i := range s.Project.Tests {
		at := "project.tests[" + itoa(i) + "]"
		one(met(at), at, "project.tests."+itoa(i+1), "nobody ran %s", document.Quoted(s.Project.Tests[i].Command))
	}
	for i := range s.Project.Agents.Hooks {
		h, at, why := &s.Project.Agents.Hooks[i], "project.agents.hooks["+itoa(i)+"]", "no hook %s heard what it speaks of"
		if !met(at + ".command") {
			if why = "no definition has a hook %s"; h.Event != "" {
				why += " of " + h.Event
			}
		}
		one(met(at), at, "project.agents.hooks."+itoa(i+1), why, h.Command)
	}
	for i := range s.Injections {
		x, at := &s.Injections[i], "injections["+itoa(i)+"]"
		front := path.Base(x.File) == "CLAUDE.md" || strings.HasPrefix(x.File, ".claude/") // which is in heads
		one(front || met(at), at, "injections."+step(x.Name, i), "nobody read %s", x.File)
	}
	one(met("remote"), "remote", "remote", "no agent is started with isolation: remote")
	for i := range s.Heads {
		for _, key := range []string{".shared", ".prompt"} {
			at := "heads[" + itoa(i) + "]" + key
			n, above := run.Reached[at]
			x := one(!above, at, "heads."+itoa(i+1)+key, "%d tokens are there already", n)
			if size := s.Heads[i].Prompt; above && key == ".prompt" && size.Lo != size.Hi {
				x.used, x.in = true, "draws below that"
			}
		}
	}
	for i := range s.Project.Servers {
		x, at := &s.Project.Servers[i], "project.servers["+itoa(i)+"]"
		label, why := "project.servers."+step(x.Name, i), "it connects after the last agent's end"
		if x.Opens == ByAgents {
			why = "no agent opened it"
		}
		one(met(at), at, label, "%s", why)
		for j := range x.Changes {
			at := at + ".changes[" + itoa(j) + "]"
			one(met(at), at, label+".changes."+itoa(j+1), "all agents have ended by then")
		}
	}
	return out
}

// setting is one that may decide nothing in a run, and what is so where it did not.
type setting struct{ path, why string }

// decisive are settings of which a run notes whether anything in it came out otherwise
// than without them, and what is so where nothing did.
var decisive = []setting{
	{"fan_out.hold", "no answer starts agents that would begin together and share what stands in front of them"},
	{"fan_out.cap", "nobody is held so long"},
	{"forks.rerender", "nothing would be rendered otherwise than it was: what forks inherit is the same"},
	{"forks.fresh_decisions", "nothing would be decided otherwise than it was: what forks inherit is the same"},
	{"gates.tengu_auto_background_agents", longWait},
	{"gates.CLAUDE_AUTO_BACKGROUND_TASKS", longWait},
	{"gates.KAIROS", inBackground},
	{"gates.PROACTIVE", inBackground},
	{"gates.tengu_slim_subagent_claudemd", "no agent is started of a type that goes without CLAUDE.md where there is one"},
	{"gates.FORK_SUBAGENT", withoutTool},
	{"gates.AGENT_SWARMS", withoutTool + " or one of teams"},
	{"gates.CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", withoutTool + ", and nobody asks for the background"},
	{"gates.TRANSCRIPT_CLASSIFIER", "no agent hands a result over"},
	{"gates.USER_TYPE", "no agent of type Explore takes its own model, and no call asks for isolation: remote"},
	{"gates." + gate.StrictPlugins, "no agent is started whose definition brings MCP servers that it leaves to plugins"},
	{"coordinator.workers", "each item goes to whom it goes with workers: table"},
	{"coordinator.synthesis", "no implementation waits for other research than with synthesis: strict"},
	{"coordinator.broad", "each item goes to whom it goes with broad: 3"},
	{"coordinator.corrections", "no item fails so often that another number than 1 matters"},
	{"coordinator.approaches", "no item fails so often that another number than 1 matters"},
	{"coordinator.overlap", "no two items of the same files could be under way at one time"},
	{"model.gist_tokens", "nothing of that size is passed on"},
}

const (
	withoutTool  = "no agent has the tool Agent"
	longWait     = "nobody waits for an agent so long that it moves to the background"
	inBackground = "every agent that is started runs in the background, or none may"
)

// Decisive lists their paths; the list is not to be changed.
func Decisive() []string { return decisivePaths }

var decisivePaths, touchablePaths = paths(decisive), paths(touchable)

func paths(of []setting) (out []string) {
	for _, x := range of {
		out = append(out, x.path)
	}
	return out
}

// touchable are options of the cache that no figure of a run may come to depend on, and
// what is so where none did.
var touchable = []setting{
	{"provider.options.late_expiry", "nothing in the cache was asked for after its TTL"},
	{"provider.options.lookback_crosses_levels", "no look-back met the end of a level"},
	{"provider.options.checkpoints_capped", "no request on Bedrock has more than two breakpoints"},
	{"provider.options.visibility_lag", "no request drew it"},
	{"provider.options.collapse_noise", "no request drew it"},
}

// Touchable lists their paths; the list is not to be changed.
func Touchable() []string { return touchablePaths }

// relays reports whether prompts and reports may pass on facts or summaries.
func relays(s *Scenario) bool {
	return slices.ContainsFunc(s.Work, func(it Item) bool { return len(it.Knows)+len(it.Yields)+len(it.Pitfalls) > 0 })
}

// relaysPlaces reports whether prompts may name files.
func relaysPlaces(s *Scenario) bool {
	return slices.ContainsFunc(s.Work, func(it Item) bool { return len(it.Reads) > 0 })
}
