package sim

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"agentsim/mockllm/latency"
	"agentsim/mockllm/policy"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/shell"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// What is assumed of times decides whose entries of the cache outlive a wait.

// timesAssumed says by which profile every model answers, and how long commands
// take of which nobody said it: those of items, and those by which whoever wanders checks
// what it changed in a project of these files.
func timesAssumed(sc *scenarios.Scenario, files []string) (out []string) {
	if name := sc.Provider.Latency.Profile; name == "" || name == "default" {
		out = append(out, "latency "+latency.Default+" for all models, which all do the same work")
	} else {
		out = append(out, "latency "+name+" for all models, which all do the same work")
	}
	var commands []string
	for i := range sc.Work {
		commands = append(commands, sc.Work[i].Runs...)
	}
	shell := func(root scenarios.Root) bool { return root.Tools != nil && slices.Contains(*root.Tools, "Bash") }
	if sc.Tools.Commands.Takes == nil && sc.Model.Wander.Uses.Set && slices.ContainsFunc(Roots(sc), shell) {
		commands = append(commands, sc.Checks(files)...)
	}
	for _, words := range commands {
		if text := commandAssumed(sc, words); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// commandAssumed says how long a command takes that is no test of the project; ""
// where it is one, or where the scenario has one time for all such commands.
func commandAssumed(sc *scenarios.Scenario, words string) string {
	words = strings.Join(strings.Fields(words), " ")
	is := func(t scenarios.TestRun) bool { return strings.Join(strings.Fields(t.Command), " ") == words }
	if slices.ContainsFunc(sc.Project.Tests, is) {
		return ""
	}
	if t := sc.Tools.Commands.Takes; t != nil {
		if t.Literal() {
			return ""
		}
		return fmt.Sprintf("%s takes %s to %s, drawn (project.tests says how long)", words, vtime.Duration(t.Lo), vtime.Duration(t.Hi))
	}
	for _, p := range shell.Programs() {
		if words == p.Words || strings.HasPrefix(words, p.Words+" ") {
			return fmt.Sprintf("%s takes %s (project.tests says how long)", words, p.Took)
		}
	}
	return ""
}

// limits is what calls of tools ran into that a scenario can change. Each list has the
// agents, by call.
type limits struct {
	erred    [][2]string            // other calls that failed: whose, of which tool
	detours  map[llm.ToolUseID]bool // calls that a profile's detours add
	timedOut []string               // whose commands reached the limit of those that say none
	strayed  bool                   // a command on a detour did
	unasked  map[string][]string    // by tool: who was denied what nobody was asked about
	called   []string               // tools of which a call was decided about
	ruled    map[string]bool        // why calls were decided as they were
	retried  bool                   // a call failed that is tried again
	gone     bool                   // a call of a child failed for good
}

func (l *limits) call(b *transcript.ToolCall) {
	if b.Cause == "detour" {
		if l.detours == nil {
			l.detours = map[llm.ToolUseID]bool{}
		}
		l.detours[b.ID] = true
	}
}

func (l *limits) decided(who string, b *transcript.Permission) {
	if l.ruled == nil {
		l.ruled = map[string]bool{}
	}
	l.ruled[b.Why] = true
	if !slices.Contains(l.called, b.Tool) {
		l.called = append(l.called, b.Tool)
	}
	if b.Why == permission.WhyAvoided {
		if l.unasked == nil {
			l.unasked = map[string][]string{}
		}
		l.unasked[b.Tool] = append(l.unasked[b.Tool], who)
	}
}

func (l *limits) ended(who string, b *transcript.ToolResult) {
	switch {
	case !b.IsError:
	case b.Name != "Bash" && b.Name != "run_shell" || b.Took != shell.DefaultTimeout:
		l.erred = append(l.erred, [2]string{who, b.Name})
	case l.detours[b.ID]:
		l.strayed = true
	default:
		l.timedOut = append(l.timedOut, who)
	}
}

func (l *limits) failed(b *transcript.APIError, child bool) {
	l.retried = l.retried || b.Err.Retryable()
	l.gone = l.gone || b.GivesUp && child
}

// triesAssumed says how often calls that fail are tried, over what time, and how often
// a worker is continued whose call failed for good; nothing where none did.
func (l *limits) triesAssumed(sc *scenarios.Scenario) (out []string) {
	if l.retried {
		over := ""
		if waits, ok := waits(sc.Retry); ok {
			over = " over " + waits.String() + ", and up to a quarter more"
		}
		out = append(out, fmt.Sprintf("a failed call is tried %d times%s (lab.retry)", sc.Retry.Max+1, over))
	}
	if l.gone && sc.Structure.Base() == scenarios.Coordinated {
		out = append(out, fmt.Sprintf("a worker that failed is continued up to %d times", policy.MaxCut))
	}
	return out
}

// waits is the least that all pauses of a rule come to; false where that is beyond any
// clock.
func waits(rule llm.Retry) (all vtime.Duration, ok bool) {
	rule.Steps = 0
	for n := range rule.Max {
		d, left := rule.Wait(rng.Key{}, n, 0), vtime.Duration(rule.Max-n)
		switch {
		case d == 0:
			return all, true
		case left > (math.MaxInt64-all)/d:
			return 0, false
		case d == rule.Cap: // as all that follow
			return all + d*left, true
		}
		all += d
	}
	return all, true
}

// by says how many calls there were, and whose: the first three agents by name.
func by(who []string, one, many string) string {
	if len(who) > 1 {
		one = fmt.Sprintf(many, len(who))
	}
	whose := slices.Compact(slices.Sorted(slices.Values(who)))
	if n := len(whose) - 3; n > 0 {
		whose = append(whose[:3], fmt.Sprintf("and %d more", n))
	}
	return one + " (" + strings.Join(whose, ", ") + ")"
}

const timeLimit = " reached the time limit of "

// strays says what calls of detours ran into.
func (l *limits) strays() []string {
	if !l.strayed {
		return nil
	}
	return []string{"Bash calls on detours" + timeLimit + shell.DefaultTimeout.String() +
		": detours, and how long their commands take, are the profile's (model.wander)"}
}

// kept says what other calls ran into, and where to change it: of those that are
// scripted which tools failed, since nobody goes on from that.
func (l *limits) kept(book *script.Book) (out []string) {
	var who, tools []string
	for _, x := range l.erred {
		if book != nil && book.Plays(x[0]) && !slices.Contains(l.unasked[x[1]], x[0]) {
			who = append(who, x[0])
			if !slices.Contains(tools, x[1]) {
				tools = append(tools, x[1])
			}
		}
	}
	if who != nil {
		of := strings.Join(tools, ", ")
		out = append(out, by(who, "a scripted call of "+of+" failed", "%d scripted calls of "+of+" failed"))
	}
	if len(l.timedOut) > 0 {
		out = append(out, by(l.timedOut, "a Bash call", "%d Bash calls")+timeLimit+shell.DefaultTimeout.String()+": write timeout: 600000, in milliseconds, in the input")
	}
	for _, name := range slices.Sorted(maps.Keys(l.unasked)) {
		out = append(out, fmt.Sprintf("%s denied, since nobody is asked about agents in the background: lab: {permissions: {allow: [%s]}} needs no prompt",
			by(l.unasked[name], "a call of "+name, "%d calls of "+name), name))
	}
	return out
}

// childTTL says for what other time than roots and forks sub-agents are cached.
func (r *run) childTTL() string {
	p := &r.spec.Scenario.Provider
	fresh := func(text string) bool { return !strings.HasPrefix(text, "forks on ") }
	if p.TTL == p.SubagentTTL || !slices.ContainsFunc(r.observer.models, fresh) {
		return ""
	}
	return ", sub-agents " + p.SubagentTTL.String() + " (provider.subagent_ttl)"
}

// ownModels names the types whose definition names a model where the scenario has
// one for sub-agents.
func (r *run) ownModels() (out []string) {
	if r.defined == nil || r.spec.Scenario.Provider.SubagentModel == "" || r.spec.Scenario.Coordinates() {
		return nil
	}
	for _, d := range r.defined.Definitions {
		ran := slices.ContainsFunc(r.observer.models, func(text string) bool { return strings.HasPrefix(text, d.Type+" on ") })
		if ran && d.Model != "" && d.Model != "inherit" && !d.BuiltIn() {
			out = append(out, "the model of "+d.Type+" is its definition's, "+d.Model+", not provider.subagent_model")
		}
	}
	return out
}
