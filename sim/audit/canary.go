package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// canaries is the section on what children must not have been told.
type canaries struct {
	*ledger
	gates  *gates
	vetted map[llm.Hash]llm.Hash // texts that hold nothing of the parent behind a root
}

// canary is the least length of a payload that is looked for in a child's bytes:
// shorter ones stand anywhere.
const canary = 24

// firstOfChild is SUB-08: the whole prompt, and nothing else of its parent's
// messages or system prompt. nodes are the child's messages.
func (u *canaries) firstOfChild(a *agent, nodes []*llm.Node) {
	want, known := a.prompt()
	said := !known
	for _, n := range nodes {
		text := n.Block.Content.Raw()
		if strings.HasPrefix(text, planText) && a.parent.life != nil {
			text = withoutPlanFile(text, a.parent)
		}
		if a.mate && strings.HasPrefix(text, teamPart) {
			continue // what the team is for
		}
		if known && !said && saysAll(n, want) {
			said = true
			text = strings.Replace(text, want, "", 1)
		}
		if s := u.opt.Session; s == nil || !isSession(s, n) && !(s.Laid && sharedContext(n)) {
			u.vet(a, n, text)
		}
	}
	if u.fails(sub08, said) {
		u.report(sub08, a, "its prompt, whole: "+short(want), tell(nodes, len(nodes)-1))
	}
	for n := border(nodes[0]).Parent; n != nil; n = n.Parent {
		if n.Level == llm.System && !n.IsBorder() {
			text := n.Block.Content.Raw()
			if u.opt.Session != nil {
				before, _, rest := cutGuidance(u.opt.Session, text)
				text = before + rest
			}
			u.vet(a, n, text)
		}
	}
}

// withoutPlanFile is what an agent that plans is told without the name of its plan file,
// which begins as any other does, unless its parent has that very name.
func withoutPlanFile(text string, parent *agent) string {
	name := strings.TrimPrefix(planFileIn(text), "~"+plansDir)
	for n := parent.seen; n != nil; n = n.Parent {
		if !n.IsBorder() && strings.Contains(n.Block.Content.Raw(), name) {
			return text
		}
	}
	return strings.Replace(text, "~"+plansDir+name, "\x00", 1)
}

// planFileIn is the plan file that a text names first, without its ending.
func planFileIn(text string) string {
	_, name, _ := strings.Cut(text, "~"+plansDir)
	name, _, _ = strings.Cut(name, ".md")
	return "~" + plansDir + name
}

// vet looks in a text of a child for runs of its parent's messages and system
// prompt that its own definition does not hold. A text that many children share is
// looked at once.
func (u *canaries) vet(a *agent, n *llm.Node, text string) {
	id := n.Block.Content.Identity()
	if len(text) < canary || a.parent == nil || a.parent.life == nil || a.parent.seen == nil {
		return
	}
	if len(text) == len(n.Block.Content.Raw()) && u.vetted[id] == a.parent.root {
		return
	}
	own, known := u.ownPrompt(a)
	if !known {
		u.quoted(a, n, text)
		return
	}
	leak := u.leaked(a, strings.ReplaceAll(text, own, "\x00"))
	if u.fails(sub08, leak == "") {
		u.report(sub08, a, "nothing of "+a.parent.lineage+"'s messages and system prompt but the prompt", short(leak))
		return
	}
	if len(u.vetted) >= keptTexts {
		clear(u.vetted)
	}
	u.vetted[id] = a.parent.root
}

// quoted looks in what is said to a child later for a whole payload of its
// parent's: it may repeat what it was asked itself.
func (u *canaries) quoted(a *agent, n *llm.Node, text string) {
	id := n.Block.Content.Identity()
	if len(text) < canary || a.parent.life == nil || a.parent.seen == nil || u.vetted[id] == a.parent.root {
		return
	}
	leak := ""
	for p := a.parent.seen; leak == "" && !p.IsBorder(); p = p.Parent {
		if raw := p.Block.Content.Raw(); len(raw) >= canary && !sharedContext(p) && !strings.HasPrefix(raw, "<skill name=") && strings.Contains(text, raw) { // skills are the project's
			leak = raw
		}
	}
	if u.fails(sub08, leak == "" || stoodBefore(a.parent.seen, leak)) {
		u.report(sub08, a, "no payload of "+a.parent.lineage+"'s messages", short(leak))
		return
	}
	u.vetted[id] = a.parent.root
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

// keptTexts is how many texts are remembered as looked at.
const keptTexts = 4096

// leaked is a run of a text that only its parent's messages or system prompt can
// have brought there, "" if there is none. What both are told of the machine and
// the repository tells nothing.
func (u *canaries) leaked(a *agent, text string) string {
	plans := strings.HasPrefix(text, planText) // the client's words to all who plan
	text, tail := bare(text)
	shares := tail == "" || a.ownTree() // whose own status says nothing else (WKT-09)
	for n := a.parent.seen; n != nil && !shares; n = n.Parent {
		if n.Level == llm.System && !n.IsBorder() {
			_, same := bare(n.Block.Content.Raw())
			shares = same == tail
		}
	}
	if !shares {
		text += tail
	}
	if len(text) < canary {
		return ""
	}
	runs := shingles(text)
	for n := a.parent.seen; n != nil; n = n.Parent {
		if !n.IsBorder() && n.Level == llm.Messages && sharedContext(n) {
			runs.without(n.Block.Content.Raw())
		}
	}
	for n := a.parent.seen; n != nil && !runs.none(); n = n.Parent {
		if n.IsBorder() || n.Level == llm.Tools || n.Level == llm.Messages && (sharedContext(n) || strings.HasPrefix(n.Block.Content.Raw(), deferredText)) {
			continue
		}
		raw := n.Block.Content.Raw()
		if n.Level == llm.System {
			raw, _ = bare(raw)
		} else if plans && strings.HasPrefix(raw, planText) {
			raw = planFileIn(raw)
		}
		if leak := runs.found(raw); leak != "" {
			return leak
		}
	}
	return ""
}

// How system prompts tell of the machine, line by line, and where what they tell of
// the repository begins, which is their end.
const (
	environment = "# Environment\n"
	repository  = "\ngitStatus:\n"
)

var surroundings = []string{"Working directory: ", "Git repository: ", "Platform: ", "Always use absolute paths"}

// bare is a system prompt without what it tells of the machine; tail is what it
// tells of the repository.
func bare(text string) (rest, tail string) {
	text, tail, _ = strings.Cut(text, repository)
	before, after, ok := strings.Cut(text, environment)
	if !ok {
		return text, tail
	}
	for line := range strings.SplitAfterSeq(after, "\n") {
		if !slices.ContainsFunc(surroundings, func(s string) bool { return strings.HasPrefix(line, s) }) {
			before += line
		}
	}
	return before, tail
}

// ownPrompt is the system prompt of an agent's definition; known is false where
// its agents begin with more than that.
func (u *canaries) ownPrompt(a *agent) (text string, known bool) {
	if u.opt.Session == nil {
		return "", false
	}
	t := u.opt.Session.Types[a.facts.Type]
	if t.Prompt == nil || t.Brings || a.facts.Type == "worker" && u.gates.changed["tengu_scratch"] { // a gate words it
		return "", false
	}
	return t.Prompt(), true
}

// sharedContext reports whether a block is one of those that a conversation opens
// with and children share: user context, and what a client sends beside it.
func sharedContext(n *llm.Node) bool {
	for ; !n.IsBorder(); n = n.Parent {
		if n.Role != llm.User || !strings.HasPrefix(n.Block.Content.Raw(), "<system-reminder>") {
			return false
		}
	}
	return true
}
