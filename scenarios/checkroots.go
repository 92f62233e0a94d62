package scenarios

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/scenarios/document"
	"agentsim/scenarios/expect"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	swarm "agentsim/sim/team"
)

func (c *checker) roots() {
	s := c.s
	switch {
	case s.Main == nil && len(s.Roots) == 0 && len(s.Recorded) == 0:
		c.bad("main", "script: {main: {user: \"…\"}}", "the scenario has no conversation")
	case s.Main != nil && len(s.Roots) > 0:
		c.badKey("roots", "move main into the list", "both main and roots are given")
	}
	if s.Main != nil {
		c.root("main", s.Main)
		if s.Main.Name != "" && s.Main.Name != "main" {
			c.bad("main.name", "script: {roots: [{name: "+s.Main.Name+", …}]}", "main is called main")
		}
	}
	seen := map[string]bool{}
	for i := range s.Roots {
		at := "roots[" + itoa(i) + "]"
		r := &s.Roots[i]
		switch {
		case r.Name == "" || strings.ContainsAny(r.Name, " /.#*?[]:,"):
			c.bad(at, "name: letters, digits and dashes", "bad root name %q", r.Name)
		case expect.Reserved(r.Name):
			c.bad(at+".name", reservedName, "bad root name %q", r.Name)
		}
		if seen[r.Name] {
			c.bad(at+".name", "", "root %q is given twice", r.Name)
		}
		seen[r.Name] = true
		c.root(at, r)
	}
	if len(s.Work) == 0 && !s.allScripted() {
		c.bad("", "work: with a structure, or script: {answers: …} for every root", "nothing to do: there is neither work nor a script for every root")
	}
}

func (c *checker) root(at string, r *Root) {
	if r.User == nil && !r.speaks() {
		c.bad(at, "user: \"…\"", "the user says nothing")
	}
	if r.Plan != nil {
		c.marks(at+".breakpoints", r.Plan)
	}
	planRoot(c, at, r)
	spawnRoot(c, at, r)
	noteTeamTools(c, at, r)
	set := c.s.Settings
	c.partSettings(at+".settings", r.Settings, &set)
	for i := range r.Then {
		step := at + ".then[" + itoa(i) + "]"
		c.step(step, &r.Then[i])
		c.partSettings(step+".settings", r.Then[i].Settings, &set)
	}
}

// partSettings checks settings of a root or a step and lays them over those
// that hold until then.
func (c *checker) partSettings(path string, s *SettingsSpec, set *SettingsSpec) {
	if s == nil {
		return
	}
	if s.Warms() && *s.MaxTokens != 0 {
		c.bad(path+".max_tokens", "agents: {settings: {max_tokens: …}}", "max_tokens holds for all agents of a run; one conversation or step can only warm the cache, with 0")
	}
	*set = s.Over(*set)
	c.settings(path, s, *set)
}

func (r *Root) speaks() bool {
	return slices.ContainsFunc(r.Then, func(t UserStep) bool { return t.Message != nil })
}

func (c *checker) step(at string, t *UserStep) {
	if t.Message == nil && !t.Interrupt && !t.KillAgents && !t.Background && t.Show == "" && t.Settings == nil && t.Aside == nil {
		c.bad(at, "one of message, aside, interrupt, kill_agents, background, show, settings", "the user does nothing in this step")
	}
	c.asked(at, t)
	if t.To != "" && (t.Message == nil || len(t.Asks) > 0) {
		c.bad(at+".to", "message: …", "to names the teammate that hears a message, which asks for no work")
	}
	if m := t.Message; t.To != "" && m != nil {
		most := llm.Measure{}
		most.Bytes[llm.Prose] = swarm.MaxMail
		switch n, tokens := max(len(m.Text), m.Bytes), tokens.Approx(c.s.Provider.ModelID(c.s.Provider.Model)).Tokens(most); {
		case n > swarm.MaxMail:
			c.bad(at+".message", "write it to a file and send its path", "a message to a teammate has at most %d bytes, and this one has %d", swarm.MaxMail, n)
		case m.Tokens.Hi > tokens:
			c.bad(at+".message", "write it to a file and send its path", "a message to a teammate has at most %d bytes, %d tokens of this model's, and this one may have %d", swarm.MaxMail, tokens, m.Tokens.Hi)
		}
	}
	if q := t.Aside; q != nil {
		switch {
		case q.Ask == (Content{}):
			c.bad(at+".aside", "ask: Which port does it use?", "a side question that asks nothing")
		case c.s.minimal():
			c.bad(at+".aside", "take it away", "stack minimal has no side questions")
		}
	}
	if t.Settings.Warms() && t.Message == nil {
		c.bad(at+".settings.max_tokens", "give the step a message", "max_tokens 0 in a step is for the request that its message makes, and it has none")
	}
	if t.On != nil {
		c.trigger(at+".on", t.On)
		if t.At != nil || t.After != nil {
			c.bad(at+".on", "on, at and after are three ways to say when", "a step waits for an event or for an instant, not for both")
		}
	}
	if t.At != nil && t.After != nil {
		c.bad(at+".after", "at is an instant of the run, after a wait once idle", "a step has at or after, not both")
	}
}

// asked checks what a step asks for.
func (c *checker) asked(at string, t *UserStep) {
	if len(t.Asks) == 0 {
		return
	}
	if t.Message == nil {
		c.bad(at+".asks", "give the step a message", "a step asks for work and says nothing")
	}
	if len(c.s.Roots) > 0 {
		c.bad(at+".asks", "script: {main: {…}}", "asks is for the one conversation of main: roots all begin the same work")
	}
	var ids []string
	for i := range c.s.Work {
		ids = append(ids, c.s.Work[i].ID)
	}
	for i, id := range t.Asks {
		if !slices.Contains(ids, id) {
			c.bad(at+".asks["+itoa(i)+"]", document.DidYouMeanOr(id, ids), "no work item %q", id)
		}
	}
}

// Asked is the number of the user's message that asks for an item, from 1.
func (s *Scenario) Asked(id string) int {
	said := 1
	if s.Main == nil {
		return said
	}
	for i := range s.Main.Then {
		if t := &s.Main.Then[i]; t.Message != nil {
			if said++; slices.Contains(t.Asks, id) {
				return said
			}
		}
	}
	return 1
}

// eachRoot does something with each root and the path to it.
func (s *Scenario) eachRoot(do func(at string, r *Root)) {
	if s.Main != nil {
		do("main", s.Main)
	}
	for i := range s.Roots {
		do("roots["+itoa(i)+"]", &s.Roots[i])
	}
}

// RootNames are the lineages from which all others descend.
func (s *Scenario) RootNames() []string {
	if len(s.Recorded) > 0 {
		return recordedNames(s.Recorded)
	}
	if len(s.Roots) == 0 {
		return []string{"main"}
	}
	out := make([]string, len(s.Roots))
	for i, r := range s.Roots {
		out[i] = r.Name
	}
	return out
}

func (c *checker) scripts() {
	seen := map[string]bool{}
	for i, sc := range c.s.Scripts {
		at := "answers[" + itoa(i) + "]"
		switch {
		case sc.Agent == "":
			c.bad(at, "agent: main", "a script names no agent")
		case seen[sc.Agent]:
			c.bad(at+".agent", "", "agent %q has two scripts", sc.Agent)
		case !c.canExist(sc.Agent):
			c.bad(at+".agent", c.agentNames(sc.Agent), "script for an agent that cannot exist: %q", sc.Agent)
		}
		seen[sc.Agent] = true
		if len(sc.Turns) == 0 {
			c.bad(at, "turns: [{text: \"…\"}]", "a script without turns")
		}
		for j := range sc.Turns {
			if c.Errs.Full() {
				return
			}
			c.turn(at+".turns["+itoa(j)+"]", &sc.Turns[j])
			if sc.Turns[j].Thinking != nil && !c.s.mayThink(sc.Agent) {
				c.bad(at+".turns["+itoa(j)+"].thinking", "take it away; roots think with settings: {thinking: adaptive}, forks as their parents, sub-agents never",
					"thinking is disabled for every agent that the script speaks for, so no API would answer so")
			}
		}
	}
}

// mayThink reports whether an agent of the pattern may be one that thinks: a root
// whose settings say so at some time, or a fork, which has its parent's.
func (s *Scenario) mayThink(pattern string) bool {
	for _, r := range s.thinkers() {
		if doublestar.MatchUnvalidated(pattern, r) {
			return true
		}
		first, rest, _ := strings.Cut(pattern, "/")
		if ok, err := path.Match(first, r); err == nil && ok && (rest != "" || first == "**") && s.mayFork() {
			return true
		}
	}
	return false
}

// thinkers are the roots that think at some time.
func (s *Scenario) thinkers() (out []string) {
	s.eachRoot(func(_ string, r *Root) {
		set, ever := s.Settings, false
		thinks := func(over *SettingsSpec) {
			if over != nil {
				set = over.Over(set)
			}
			ever = ever || set.Thinking != "" && set.Thinking != "disabled"
		}
		thinks(r.Settings)
		for i := range r.Then {
			thinks(r.Then[i].Settings)
		}
		if ever {
			out = append(out, cmp.Or(r.Name, "main"))
		}
	})
	return out
}

// forkless says why nobody can fork.
func forkless(s *Scenario) string {
	switch {
	case s.Stack == MinimalStack:
		return "the stack is minimal"
	case s.Coordinates():
		return "a coordinator starts workers"
	case !s.Interactive:
		return "interactive is false"
	}
	return "gate " + forkGate + " is off"
}

// mayFork reports whether a call without a type makes a fork at some time.
func (s *Scenario) mayFork() bool {
	return s.Stack != MinimalStack && s.Interactive && s.turnsOn(forkGate)
}

// canExist tells whether a pattern may name an agent: it begins with a root, and
// each step from an agent to one that it started is the number of the request and
// that of the tool call in its answer.
func (c *checker) canExist(pattern string) bool {
	first, rest, more := strings.Cut(pattern, "/")
	if strings.ContainsRune(pattern, '{') { // alternatives, which may hold steps
		return true
	}
	for step := range strings.SplitSeq(rest, "/") {
		if more && !strings.ContainsAny(step, `*?[\`) && !started.MatchString(step) {
			return false
		}
	}
	return slices.ContainsFunc(c.s.RootNames(), func(root string) bool { return doublestar.MatchUnvalidated(first, root) })
}

// started is a step to an agent that another one started, or to a side question.
var started = regexp.MustCompile(`^([1-9][0-9]*\.|aside-)[1-9][0-9]*$`)

// agentNames says how agents are named, the roots nearest to a name first.
func (c *checker) agentNames(name string) string {
	roots := document.Nearer(name, c.s.RootNames())
	if len(roots) == 0 {
		return "script: {main: {user: …}} is a root, and no other is there"
	}
	return "roots: " + strings.Join(roots, ", ") + "; " + roots[0] + "/2.1 is the agent that the 1st tool call of " + roots[0] + "'s 2nd answer started"
}

func (c *checker) turn(at string, t *Turn) {
	if t.Until != "" && (len(t.Tools) > 0 || t.Stop != "" && t.Stop != "end_turn") {
		c.bad(at+".until", "a turn of its own: {say: Noted., until: idle}", "a turn that answers until idle calls a tool, so nobody would ever be idle")
	}
	if t.Until != "" && c.s.Provider.Counter == "recorded" {
		c.bad(at+".until", "a turn for each call", "recorded counts are for exact calls, and until: idle answers any number of them")
	}
	if t.Text == nil && t.Thinking == nil && len(t.Tools) == 0 && len(t.Counts) == 0 {
		c.bad(at, "text, thinking or tools; counts alone for a request with max_tokens 0", "the model answers nothing in this turn")
	}
	if len(t.Tools) > 0 && t.Stop == "end_turn" || len(t.Tools) == 0 && t.Stop == "tool_use" {
		c.bad(at+".stop", "leave stop out", "stop reason %s does not fit the turn's tools", t.Stop)
	}
	if (len(t.Counts) > 0 || t.Output != nil) && c.s.Provider.Counter != "recorded" {
		c.bad(at, "provider: {counter: recorded}", "recorded counts, yet the counter is %s", c.s.Provider.Counter)
	}
	if c.Given(at+".spawn.fork") && (!c.s.mayFork() || c.s.Coordinates()) {
		c.bad(at+".spawn.fork", "take it away, or spawn: {subagent: …}", "%s, so nobody can fork", forkless(c.s))
	}
	for i := range t.Tools {
		c.spawnModel(at+".tools["+itoa(i)+"]", &t.Tools[i])
		if in := c.s.call(&t.Tools[i]); in != nil && c.Given(at+".spawn") && knowsTypes(c.file, c.s) && !c.s.Coordinates() {
			types, _ := c.agentTypes()
			agentType(c, at+".spawn", in.Type, types)
		}
	}
}

// spawnModel refuses a scripted call that would start nobody because its model,
// or that of the built-in type it names, is an alias that stands for none (SUB-09).
// A fork and a worker do not heed it.
func (c *checker) spawnModel(at string, u *ToolTurn) {
	s := c.s
	in := s.call(u)
	if s.Stack == MinimalStack || s.Coordinates() || in == nil || in.unread {
		return
	}
	what := "the call asks for " + in.Model
	switch {
	case in.Type == "" && s.turnsOn(forkGate):
		return
	case in.Model == "" && in.Type == "Explore" && s.Gate("USER_TYPE") != "ant" && len(s.Project.Agents.Policy) == 0:
		what, in.Model = "type Explore runs on haiku", "haiku"
	}
	if slices.Contains(Aliases, in.Model) && s.Provider.Aliases[in.Model] == "" {
		c.bad(at, "provider: {aliases: {"+in.Model+": "+Newest(in.Model)+"}}", "%s, an alias that stands for no model", what)
	}
}
