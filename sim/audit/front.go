package audit

import (
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// fronts is the section on what an agent's first request holds: settings, tools, system
// prompt and first messages, as its definition, the gates and its session make them.
type fronts struct {
	*ledger
	gates   *gates
	servers *servers
	tools   map[string]llm.Hash // definitions of tools by name, but for the Agent tool's
	shared  map[string]string   // what agents are told of their session, by its name
	kept    map[string]string   // files of memories as calls of Write have left them; "?" where that is not known
	vetted  map[variant]bool    // definitions of the Agent tool
	offer   *offered            // what the Agent tool is rendered from now
	teams   *teams
}

// variant is a definition of the Agent tool, and what it depends on.
type variant struct {
	id     llm.Hash
	offer  *offered
	writes bool
}

// offered is what the Agent tool is rendered from at some instant: its fields, and a line
// for each type that it lists.
type offered struct {
	flips, moves  int // of gates and of servers, by then
	fields, types string
}

// asks is what an agent's requests ask for beside their blocks.
type asks struct {
	settings llm.Settings
	known    bool
}

// startAsks is what a child's requests have to ask for: a fork's what its parent's do,
// others' as much without what was said to the parent of how hard to think and what to call.
func (u *fronts) startAsks(a, p *agent) {
	a.asks = p.asks
	if !a.fork {
		s := &a.asks.settings
		s.Thinking, s.ThinkingBudget, s.Effort, s.ToolChoice = llm.ThinkingDisabled, 0, "", ""
	}
	a.former.asks = a.asks
}

// sent holds what a request asks for against ISO-09, DEF-12 and LOOP-08.
func (u *fronts) sent(a *agent, b *transcript.Request) {
	s, now := u.opt.Session, &a.asks
	if s == nil {
		return
	}
	a.conduct.warms = b.MaxTokens == 0
	if u.made[loop08]++; b.MaxTokens != s.MaxTokens && !(a.conduct.warms && a.parent == nil && s.Roots[a.lineage].Warms) {
		u.report(loop08, a, "at most "+decimal(s.MaxTokens)+" tokens asked for", decimal(b.MaxTokens))
	}
	u.made[iso09]++
	u.made[def12]++
	switch same := now.known && now.settings == b.Settings; {
	case same:
	case a.parent == nil:
		if root, found := s.Roots[a.lineage]; found && !slices.Contains(root.Settings, b.Settings) {
			u.report(def12, a, "settings that its user has given", "effort "+orNone(b.Settings.Effort)+", thinking "+b.Settings.Thinking.String())
		}
		*now = asks{b.Settings, true}
	case now.known && (now.settings.Thinking != b.Settings.Thinking || now.settings.ThinkingBudget != b.Settings.ThinkingBudget):
		u.report(iso09, a, "thinking "+now.settings.Thinking.String(), b.Settings.Thinking.String())
	case now.known:
		u.report(def12, a, "effort "+orNone(now.settings.Effort)+" and settings as its parent's were", "effort "+orNone(b.Settings.Effort)+", or others")
	}
}

// tool is DEF-10 for a tool in a request: it is defined as in every other one, the Agent
// tool as the gates have it.
func (u *fronts) tool(a *agent, blk *llm.Block) {
	id := blk.Content.Identity()
	if fromServer(blk.Name) {
		return // a server may list another one
	}
	if !isAgentTool(blk.Name) || u.opt.Session != nil && u.opt.Session.Minimal {
		if was, known := u.tools[blk.Name]; known && u.fails(def10, was == id) {
			u.report(def10, a, "the tool "+blk.Name+" defined as for others", short(blk.Content.Raw()))
		}
		u.tools[blk.Name] = id
		return
	}
	key := variant{id, a.offer, inPool(a, sendTool)}
	if s := u.opt.Session; s != nil && !s.OwnAgentTool && !u.vetted[key] {
		u.agentTool(a, a.offer, blk.Content.Raw())
		u.vetted[key] = true
	}
}

// offers is what the Agent tool is rendered from now, nil where nothing is known of the
// session.
func (u *fronts) offers() *offered {
	s, g, coordinates := u.opt.Session, u.gates, u.coordinated()
	if o := u.offer; s == nil || o != nil && o.flips == g.flips && o.moves == u.servers.moves {
		return o
	}
	want := []string{"description", "prompt", "subagent_type", "isolation"}
	if !coordinates {
		want = append(want, "model")
	}
	if !g.on["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] && !g.forks(s) && !coordinates {
		want = append(want, "run_in_background")
	}
	if g.on[swarmsGate] || coordinates {
		want = append(want, "name")
	}
	if g.on[swarmsGate] {
		want = append(want, "team_name", "mode")
	}
	slices.Sort(want)
	var lines []string
	for name, t := range s.Types { // order: sorted below
		denied := slices.ContainsFunc(s.Deny, func(r string) bool { return r == "Agent("+name+")" || r == "Task("+name+")" })
		if t.Listed && !denied && u.servers.meets(t) && (!coordinates || name == "worker") {
			lines = append(lines, "- "+name+": "+t.About+" (Tools: "+t.words()+")")
		}
	}
	slices.Sort(lines)
	u.offer = &offered{g.flips, u.servers.moves, strings.Join(want, " "), strings.Join(lines, "\n")}
	return u.offer
}

// agentTool holds a definition of the Agent tool against SUB-03 for what calls may ask for,
// and DEF-10 for the types that it lists.
func (u *fronts) agentTool(a *agent, of *offered, raw string) {
	var def struct {
		Description string
		Input       struct {
			Properties map[string]json.RawMessage
			Required   []string
		} `json:"input_schema"`
	}
	_ = json.Unmarshal([]byte(raw), &def) // what is no object has no fields either
	got := make([]string, 0, len(def.Input.Properties))
	for name := range def.Input.Properties { // order: sorted below
		got = append(got, name)
	}
	slices.Sort(got)
	u.same(sub03, a, "fields of the Agent tool:", of.fields, strings.Join(got, " "))
	if u.opt.Session.Laid {
		return // which types there are stands elsewhere
	}
	var listed []string
	for line := range strings.SplitSeq(between(def.Description+"\n\n", "Types of agents:\n", "\n\n"), "\n") {
		listed = append(listed, line)
	}
	slices.Sort(listed)
	u.same(def10, a, "listed", of.types, strings.Trim(strings.Join(listed, "\n"), "\n"))
}

// coordinated reports whether the session began with a coordinator.
func (u *fronts) coordinated() bool { return u.opt.Session != nil && u.opt.Session.coordinates() }

// words say what a type's agents may use.
func (t *Type) words() string {
	words := "all tools"
	switch {
	case t.Tools != nil && len(t.Tools) == 0:
		words = "none"
	case len(t.Tools) > 0 && t.Tools[0] != "*":
		words = strings.Join(t.Tools, ", ")
	}
	if len(t.Disallowed) > 0 {
		words += " except " + strings.Join(t.Disallowed, ", ")
	}
	return words
}

// Where agents work, as the first block of every sub-agent's system prompt and the last of
// a root's say it.
const surroundingsText = "# Environment\nWorking directory: /work/project\nGit repository: yes\nPlatform: linux\n" +
	"Always use absolute paths, or paths relative to the working directory.\n"

// phrases are what system prompts of built-in types open with, hold and end with, by a
// table of this package (DEF-08).
var phrases = map[string]struct {
	opens string
	holds []string
	ends  string
}{
	"Explore":      {"=== CRITICAL: READ-ONLY MODE ===\n", []string{"redirect", "create, change, move or delete any file", "temporary directory"}, "multiple tools in parallel whenever searches and reads do not depend on each other.\n"},
	"Plan":         {"=== CRITICAL: READ-ONLY MODE ===\n", []string{"redirect", "create, change, move or delete any file", "three to five paths", "### Critical Files for Implementation"}, ""},
	"verification": {"", []string{"VERDICT: PASS\n", "VERDICT: FAIL\n", "VERDICT: PARTIAL\n", "adversarial probe", "/tmp"}, ""},
	"worker":       {"You are a worker.", []string{"Report what you found or did"}, ""},
}

// system holds the system prompt of a first request against LOOP-10, DEF-08 and DEF-06.
func (u *fronts) system(a *agent, front *llm.Node) {
	s := u.opt.Session
	root := s.Roots[a.lineage]
	if a.parent == nil && (u.opt.OwnPrompts || root.Bare) {
		return
	}
	var blocks []string
	for n := front.Parent; n != nil && n.Level != llm.Tools; n = n.Parent {
		if !n.IsBorder() && n.Level == llm.System {
			blocks = append(blocks, n.Block.Content.Raw())
		}
	}
	slices.Reverse(blocks)
	if s.Minimal && a.parent != nil {
		u.same(sub08, a, "system prompt", u.promptOf(a), strings.Join(blocks, "\n"))
		return
	}
	if u.fails(loop10, len(blocks) == 2) {
		u.report(loop10, a, "two system blocks, one of which is the environment", decimal(int64(len(blocks))))
		return
	}
	git := slices.Contains(a.facts.Context.SystemContext, "gitStatus")
	if a.parent == nil {
		u.ownSystem(a, blocks[1], "\n"+u.surroundings(a), git)
		forks := strings.Contains(blocks[0], "# Forking\n")
		if !a.coordinator() && u.fails(loop10, forks == u.gates.on["FORK_SUBAGENT"]) {
			u.report(loop10, a, "a prompt that tells of forks: "+word(!forks), word(forks))
		}
		return
	}
	is := loop10
	if a.ownTree() {
		is = wkt09
	}
	u.same(is, a, "first system block", u.surroundings(a), blocks[0])
	prompt := u.promptOf(a)
	if u.gates.changed["tengu_scratch"] && a.facts.Type == "worker" {
		return // it may tell of the scratchpad or not
	}
	if u.fails(def08, prompt == "" || strings.HasPrefix(blocks[1], prompt)) {
		u.report(def08, a, "the prompt of type "+a.facts.Type, short(blocks[1]))
		return
	}
	if x, ok := phrases[a.facts.Type]; ok && strings.HasPrefix(a.facts.Source, "agent:builtin:") {
		holds := !slices.ContainsFunc(x.holds, func(s string) bool { return !strings.Contains(prompt, s) })
		if u.fails(def08, strings.HasPrefix(prompt, x.opens) && holds && strings.HasSuffix(prompt, x.ends)) {
			u.report(def08, a, "a prompt of type "+a.facts.Type+" with "+x.opens+strings.Join(x.holds, ", ")+x.ends, short(prompt))
		}
	}
	note := ""
	if u.gates.on["tengu_scratch"] && a.facts.Type == "worker" {
		note = "Scratchpad directory: " + s.Scratchpad + "\n"
	}
	rest := u.guidance(a, u.teams.note(a, blocks[1][len(prompt):]))
	if u.fails(crd08, strings.HasPrefix(rest, note) && (note != "" || !strings.Contains(rest, "Scratchpad directory: "))) {
		u.report(crd08, a, "a scratchpad in its system prompt: "+orNone(note), short(rest))
		return
	}
	rest = rest[len(note):]
	u.ownSystem(a, rest, u.memory(a, rest), git)
}

// ownSystem holds what stands behind a prompt against LOOP-10: what is the agent's own, and
// git status as every other agent is told it.
func (u *fronts) ownSystem(a *agent, text, own string, git bool) {
	rest, found := strings.CutPrefix(text, own)
	if u.fails(loop10, found && strings.HasPrefix(rest, repository) == git && (git || rest == "")) {
		u.report(loop10, a, "behind its prompt "+short(own)+", git status: "+word(git), short(text))
		return
	}
	if !a.ownTree() {
		u.told(a, "gitStatus", rest, git)
	} else if u.fails(wkt09, !git || strings.Contains(rest, "\nCurrent branch: "+a.place.branch+"\n") && strings.Contains(rest, "\nStatus:\n(clean)\n")) {
		u.report(wkt09, a, "git status of "+a.place.branch, short(rest))
	}
}

// guidance holds what a head has behind its prompt against LOOP-10: as others of the type
// have it. It is the text without that.
func (u *fronts) guidance(a *agent, text string) string {
	before, said, rest := cutGuidance(u.opt.Session, text)
	if said == "" || before != "" {
		return text
	}
	name := "guidance of " + a.facts.Type
	if was, known := u.shared[name]; known && u.fails(loop10, strings.HasPrefix(was, said) || strings.HasPrefix(said, was)) { // which tools it has decides how much it is
		u.report(loop10, a, name+" as others are told it: "+short(was), short(said))
	}
	u.shared[name] = said
	return rest
}

// cutGuidance parts a system prompt at what its head has behind the prompt.
func cutGuidance(s *Session, text string) (before, said, rest string) {
	before, said, found := strings.Cut(text, "\n# Guidance for ")
	if !found || !s.Heads {
		return text, "", ""
	}
	_, said, _ = strings.Cut(said, "\n")
	said, rest, _ = strings.Cut(said, "\n")
	return before, said, rest
}

// isSession reports whether a block of a first message is what its head tells an agent of
// the session.
func isSession(s *Session, n *llm.Node) bool {
	return s.Heads && strings.HasPrefix(n.Block.Content.Raw(), "<system-reminder>\n# session\n")
}

// told holds what an agent is told of its session against what others were told.
func (u *fronts) told(a *agent, name, text string, is bool) {
	was, known := u.shared[name]
	if is && known && u.fails(loop10, was == text) {
		u.report(loop10, a, name+" as others are told it: "+short(was), short(text))
	}
	if is {
		u.shared[name] = text
	}
}

func (u *fronts) promptOf(a *agent) string {
	if p := u.opt.Session.Types[a.facts.Type].Prompt; p != nil {
		return p()
	}
	return ""
}

// memories are where the scopes keep what agents remember.
var memories = map[string]string{"user": ".agentsim/user/agent-memory/", "project": ".claude/agent-memory/", "local": ".claude/agent-memory-local/"}

// memory is DEF-06 for what a system prompt says of its type's memory: where it is, and as
// it stands. It is the part of the text that is about it.
func (u *fronts) memory(a *agent, text string) string {
	scope := u.opt.Session.Types[a.facts.Type].Memory
	if scope == "" {
		return ""
	}
	file := memoryFile(scope, a.facts.Type)
	rest, _, _ := strings.Cut(text, repository)
	content, known := u.kept[file]
	if !known {
		content, known = u.opt.Session.File(file)
		known = known && scope != "user"
	}
	ok := strings.HasPrefix(rest, "\n# Memory\n") && strings.Contains(rest, "/"+file+" (scope: "+scope+")")
	content = strings.TrimSpace(defuser.Replace(content))
	switch {
	case !known || content == "?" || a.ownTree() || strings.Count(content, "\n") >= memoryLines:
	case content == "":
		ok = ok && strings.HasSuffix(rest, "It is empty so far.\n")
	default:
		ok = ok && strings.HasSuffix(rest, "It says:\n"+content+"\n")
	}
	if u.fails(def06, ok) {
		u.report(def06, a, "its memory in "+file+" as it stands: "+short(content), short(rest))
	}
	return rest
}

// memoryLines is how many lines of a memory stand in a prompt.
const memoryLines = 200

func memoryFile(scope, typ string) string {
	name := []rune(typ)
	for i, c := range name {
		if !strings.ContainsRune("-_", c) && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			name[i] = '-'
		}
	}
	return memories[scope] + string(name) + "/MEMORY.md"
}

// wrote notes what a call that succeeded makes of a memory.
func (u *fronts) wrote(a *agent, x *use) {
	at := x.file
	if x.name == "Read" || !strings.HasSuffix(at, "/MEMORY.md") {
		return
	}
	u.kept[at] = "?"
	if x.name == "Write" && !a.edited {
		u.kept[at] = field(x.input, "content")
	}
}

// messages holds the messages of a fresh agent's first request against LOOP-10 and DEF-06:
// the session's context, the texts of its skills, its initial prompt, and its prompt.
func (u *fronts) messages(a *agent, nodes []*llm.Node) {
	s := u.opt.Session
	parts := a.facts.Context.UserContext
	if len(parts) > 0 {
		u.context(a, nodes[0].Block.Content.Raw(), parts)
		nodes = nodes[1:]
	}
	prompt, known := a.prompt()
	if a.parent == nil || !known {
		return
	}
	if len(nodes) > 0 && isSession(s, nodes[0]) {
		nodes = nodes[1:]
	}
	plans := a.facts.RunMode == planMode && (a.fixed || a.under != planMode) && inPool(a, exitTool)
	told := len(nodes) > 0 && strings.HasPrefix(nodes[0].Block.Content.Raw(), planText)
	if u.fails(pln03, told == plans) {
		u.report(pln03, a, "what plan mode asks for in front of its prompt: "+word(plans), tell(nodes, 0))
	}
	if told {
		nodes = nodes[1:]
	}
	nodes = u.teams.introduced(a, nodes)
	t := s.Types[a.facts.Type]
	var want []string
	for _, name := range t.Skills {
		if text, found := s.File(".claude/skills/" + name + "/SKILL.md"); found {
			want = append(want, "<skill name=\""+name+"\">\n"+bodyOf(text)+"\n</skill>\n")
		}
	}
	if t.Initial != "" {
		want = append(want, u.initial(t.Initial)+"\n\n")
	}
	want = append(want, prompt)
	ok := len(want) == len(nodes)
	for i := 0; ok && i < len(want); i++ {
		ok = nodes[i].Role == llm.User && nodes[i].Block.Content.Raw() == want[i]
	}
	if u.fails(def06, ok) {
		u.report(def06, a, "behind the context "+decimal(int64(len(want)))+" blocks: skills, initial prompt and prompt as they are", tell(nodes, 0))
	}
}

// context holds the first block of an agent's messages against what others are told, part
// by part.
func (u *fronts) context(a *agent, raw string, parts []string) {
	text, ok := strings.CutPrefix(raw, "<system-reminder>\n")
	if u.fails(loop10, ok && strings.HasSuffix(text, "</system-reminder>\n")) {
		u.report(loop10, a, "the user context in front of its messages", short(raw))
		return
	}
	text = strings.TrimSuffix(text, "</system-reminder>\n")
	for i := len(parts) - 1; i >= 0; i-- {
		at := strings.LastIndex(text, "# "+parts[i]+"\n")
		if u.fails(loop10, at >= 0) {
			u.report(loop10, a, parts[i]+" in its user context", short(text))
			return
		}
		if parts[i] == deferredPart {
			u.servers.told(a, text[at:])
		} else if parts[i] != workersPart {
			u.told(a, parts[i], text[at:], true)
		} else if is := strings.Contains(text[at:], "\nScratchpad directory: "+u.opt.Session.Scratchpad+"\n"); u.fails(crd03, is == u.gates.on["tengu_scratch"]) {
			u.report(crd03, a, "a scratchpad in its workers' context: "+word(!is), word(is))
		}
		if parts[i] == workersPart {
			u.servers.workers(a, text[at:])
		}
		text = text[:at]
	}
	u.told(a, "opening", text, true)
}

// workersPart is what a coordinator's context tells of its workers.
const workersPart = "workerToolsContext"

// initial is what a definition's initial prompt says, its slash command replaced.
func (u *fronts) initial(text string) string {
	name, args, _ := strings.Cut(text, " ")
	command := strings.TrimPrefix(name, "/")
	body, found := u.opt.Session.File(".claude/commands/" + strings.ReplaceAll(command, ":", "/") + ".md")
	if !found {
		body, found = u.opt.Session.File(".claude/skills/" + command + "/SKILL.md")
	}
	if found && name[0] == '/' {
		body, args = bodyOf(body), defuser.Replace(strings.TrimSpace(args))
		if strings.Contains(body, "$ARGUMENTS") || args == "" {
			return strings.ReplaceAll(body, "$ARGUMENTS", args)
		}
		return body + "\n\n" + args
	}
	return defuser.Replace(text)
}

// bodyOf is a file's text without its frontmatter.
func bodyOf(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if rest, fenced := strings.CutPrefix(text, "---\n"); fenced {
		if _, body, closed := strings.Cut(rest, "\n---\n"); closed {
			text = body
		}
	}
	return defuser.Replace(strings.Trim(text, "\n"))
}
