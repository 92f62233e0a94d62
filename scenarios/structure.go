package scenarios

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/gate"
	"agentsim/sim/permission"
)

// Structure is who does the work. It sets the feature flags that it needs.
type Structure string

// The structures.
const (
	Inline               Structure = "inline"              // the lead alone
	Subagent             Structure = "subagent"            // fresh sub-agents, which the lead waits for
	SubagentInBackground Structure = "subagent-background" // fresh sub-agents that report by notifications
	Fork                 Structure = "fork"                // forks of the lead
	Coordinated          Structure = "coordinator"         // workers of a coordinator
	Teamed               Structure = "team"                // teammates that share a list of tasks
)

// Structures lists the structures by their words.
func Structures() []string {
	return []string{string(Inline), string(Subagent), string(SubagentInBackground), string(Fork), string(Coordinated), string(Teamed)}
}

// Base is the structure whichever way reports come.
func (s Structure) Base() Structure {
	if s == SubagentInBackground {
		return Subagent
	}
	return s
}

// Background reports whether the lead starts its sub-agents in the background.
func (s *Scenario) Background() bool { return s.Structure == SubagentInBackground }

// flags are what a structure, or a script that spawns forks, sets where the scenario
// does not say it; a scenario that says the contrary is refused by its check.
func (s *Scenario) flags(d *document.Decoder) {
	set := func(gates ...string) {
		for _, g := range gates {
			if !d.Given("gates." + g) {
				s.Gates[g] = "true"
			}
		}
	}
	switch {
	case s.Stack == MinimalStack: // which has none
	case s.Structure == Fork, s.saysFork(d.Given):
		s.Interactive = s.Interactive || !d.Given("interactive")
		set(forkGate)
	case s.Structure == Coordinated:
		set(coordinatorGate, coordinatorEnvGate)
	case s.Structure == Teamed:
		set(swarmsGate)
	}
}

// saysFork reports whether a script spawns forks by that word.
func (s *Scenario) saysFork(given func(path string) bool) bool {
	for i := range s.Scripts {
		for j := range s.Scripts[i].Turns {
			if given("answers[" + itoa(i) + "].turns[" + itoa(j) + "].spawn.fork") {
				return true
			}
		}
	}
	return false
}

// version refuses a file of another version of the language, or of none.
func (f *File) version(root *document.Node, errs *document.Problems) {
	n := root.Get("agentsim")
	switch {
	case n == nil:
		errs.Add(root.Pos, "agentsim: 1 is the first line of a new one", "this scenario is from before version %d of the language: run agentsim scenario upgrade %s", Version, f.Path)
	case n.Kind != document.Int || n.Text != itoa(Version):
		errs.Add(n.Pos, "write agentsim: 1", "this scenario is of version %s, and this agentsim reads version %d", document.Flow(n), Version)
	case root.Pairs[0].Key != "agentsim":
		errs.Add(n.Pos, "move it up", "agentsim: %d is the first line of a scenario", Version)
	}
}

// readCompare reads the structures of which there are to be variants.
func (f *File) readCompare(d *document.Decoder, n *document.Node, at document.Place) {
	if n.Kind != document.List || len(n.Items) == 0 {
		d.WrongType(n, at, "a list of structures", "such as [inline, subagent, fork]")
		return
	}
	for _, it := range n.Items {
		switch word := d.Str(it, document.Place{Ctx: "an entry of compare"}); {
		case word == "":
		case !slices.Contains(Structures(), word):
			d.Fail(it, document.DidYouMeanOr(word, Structures()), "unknown structure %q", word)
		case slices.Contains(f.compared, word):
			d.Fail(it, "keep one of them", "structure %q is given twice", word)
		default:
			f.compared = append(f.compared, word)
		}
	}
}

// structured refuses a structure beside compare that no variant has.
func structured(f *File, root *document.Node, errs *document.Problems) {
	n := root.Get("structure")
	if n == nil || f.compared == nil || slices.ContainsFunc(f.variants, func(v document.Pair) bool { return v.Val.Get("structure") == nil }) {
		return
	}
	errs.Add(n.Pos, "keep one of them", "structure has no effect: compare says it of each variant")
}

// compare makes a variant of each structure that is compared; a variant of that
// name says what else is different in it.
func (f *File) compare(root *document.Node) {
	var made []document.Pair
	for i, word := range f.compared {
		at := root.Get("compare").Items[i]
		v := &document.Node{Kind: document.Map, Pos: at.Pos, Pairs: []document.Pair{{Key: "structure", Pos: at.Pos, Val: at}}}
		if j := slices.IndexFunc(f.variants, func(p document.Pair) bool { return p.Key == word }); j >= 0 {
			v.Pairs = append(v.Pairs, f.variants[j].Val.Pairs...)
			f.variants = slices.Delete(f.variants, j, j+1)
		}
		made = append(made, document.Pair{Key: word, Pos: at.Pos, Val: v})
	}
	f.variants = append(made, f.variants...)
}

// variantsHint shows the form of variants; names of structures are compared.
func variantsHint(n *document.Node) string {
	var words []string
	for _, it := range n.Items {
		words = append(words, it.Text)
		if !slices.Contains(Structures(), it.Text) {
			return "such as {lazy: {model: {prompting: lazy}}}"
		}
	}
	if len(words) == 0 {
		return "such as {lazy: {model: {prompting: lazy}}}"
	}
	return "compare: [" + strings.Join(words, ", ") + "]"
}

// unusable are the paths that a structure cannot use, and why.
var unusable = map[Structure][]section{
	Fork:        {{key: "type", why: "forks have no type"}},
	Coordinated: {{key: "main.tools", why: "a coordinator has tools of its own"}, {key: "roots.*.tools", why: "a coordinator has tools of its own"}},
}

// without takes from the tree of a structure that is compared what that structure
// cannot use: the others can, so it is no mistake.
func (f *File) without(tree *document.Node, word string) *document.Node {
	if !slices.Contains(f.compared, word) {
		return tree
	}
	null := &document.Node{Pos: tree.Pos}
	var quiet document.Problems
	for _, x := range unusable[Structure(word)] {
		for i := range max(len(tree.Get("script").Get("roots").Elements()), 1) {
			if out := lang.SetPath(tree, scenarioType, strings.Replace(x.key, "*", itoa(i), 1), null, tree.Pos, &quiet); out != nil {
				tree = out
			}
		}
	}
	return tree
}

// dropped lists what the file says and a structure that is compared cannot use.
func (f *File) dropped() (out []Idle) {
	for _, word := range f.compared {
		for _, x := range unusable[Structure(word)] {
			for _, l := range leaves(f.base, "") {
				if ok, err := path.Match(x.key, l.Path); err == nil && ok {
					l.Why, l.Variant = x.why, word
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// swarmsGate turns teams on.
const swarmsGate = "AGENT_SWARMS"

// teamTools are what the lead of a team and its teammates work by.
var teamTools = []string{"Agent", "SendMessage", "TeamCreate", "TeamDelete", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}

// teamless is a tool that a root names and that no variant gives it.
type teamless struct {
	at     document.Pos
	tools  string // where it is named
	served bool   // in some variant all the same
}

// noteTeamTools notes which tools of a root it has not got because there are no teams. A
// client's own definition of one stands all the same, and recorded calls are made.
func noteTeamTools(c *checker, at string, r *Root) {
	s := c.s
	if r.Tools == nil || s.Project.Heads != "" || len(s.Recorded) > 0 || s.minimal() {
		return
	}
	for _, name := range *r.Tools {
		if name == "Agent" || !slices.Contains(teamTools, name) {
			continue
		}
		x := c.file.teamless[name]
		if x == nil {
			x = &teamless{at: c.Where(at + ".tools"), tools: at + ".tools"}
			c.file.teamless[name] = x
		}
		x.served = x.served || s.turnsOn(swarmsGate) || s.Coordinates()
	}
}

// unservedTools are tools that roots name and that no variant gives them.
func unservedTools(f *File) (out []Idle) {
	if slices.ContainsFunc(f.Sweep, func(a Axis) bool { return a.Path == "gates."+swarmsGate }) {
		return nil
	}
	for _, name := range teamTools {
		if x := f.teamless[name]; x != nil && !x.served {
			why := "teams alone have it, and gate " + swarmsGate + " is off"
			if name == "SendMessage" {
				why = "teams and coordinators alone have it, and neither gate " + swarmsGate + " nor those of a coordinator are on"
			}
			out = append(out, Idle{Path: x.tools + " " + name, Why: why, at: x.at})
		}
	}
	return out
}

// teams reports whether the work is a team's.
func (s *Scenario) teams() bool { return s.Structure.Base() == Teamed && s.hasWork() }

// team holds the scenario against what a team needs.
func team(c *checker) {
	s := c.s
	switch {
	case s.Stack == MinimalStack:
		c.bad("structure", "structure: subagent or inline", "stack minimal has no teams")
	case s.Gate(swarmsGate) != "true":
		c.bad("gates."+swarmsGate, "take it away: the structure sets it", "gate %s is off, which contradicts structure team", swarmsGate)
	}
	for i, g := range s.GateFlips {
		if g.Gate == swarmsGate && g.Value != "true" {
			c.bad("gate_flips["+itoa(i)+"].gate", "take it away", "gate %s goes off, which contradicts structure team", swarmsGate)
		}
	}
	if s.Plan.Set {
		c.bad("plan", "take it away", "the lead of a team starts it at once, and plans nothing first")
	}
	s.eachRoot(func(at string, r *Root) {
		for _, name := range teamTools {
			if s.teams() && r.Tools != nil && !slices.Contains(*r.Tools, name) && !(name == "Agent" && slices.Contains(*r.Tools, "Task")) {
				c.bad(at+".tools", "add "+name+", or leave tools out", "structure team works with the tool %s, which root %s has not got", name, cmp.Or(r.Name, "main"))
			}
		}
	})
}

// PlanTools are the tools without which no lead plans.
var PlanTools = []string{"EnterPlanMode", "ExitPlanMode", "Write"}

// planning holds a scenario whose lead is to plan against what that needs.
func planning(c *checker) {
	s := c.s
	switch {
	case !s.Plan.Set:
		planMode(c)
	case s.minimal():
		c.bad("plan", "take it away", "stack minimal has no plan mode")
	case s.Structure.Base() == Coordinated || s.Coordinates():
		c.bad("plan", "take it away", "a coordinator has none of the tools of plan mode")
	}
}

// planMode refuses a run mode of roots in which nobody could do what the work changes: a
// lead leaves plan mode where it is to plan, and a coordinator or a team's lead never.
func planMode(c *checker) {
	s := c.s
	if s.Permissions.RootMode() != string(permission.Plan) || !slices.ContainsFunc(s.Work, func(it Item) bool { return len(it.Edits)+len(it.Runs)+len(it.Calls) > 0 }) {
		return
	}
	if s.minimal() || s.Coordinates() || slices.Contains([]Structure{Coordinated, Teamed}, s.Structure.Base()) {
		c.bad("permissions.mode", "take it away: work that reads alone can be done in plan mode", "whoever leads this work cannot leave plan mode, in which nothing is edited, run or called")
		return
	}
	c.bad("permissions.mode", "add agents: {plan: 500}, the length of the plan: it makes the lead plan and ask", "the lead is in plan mode and is not to plan: nothing is edited, run or called there")
}

// planRoot misses the tools that a lead plans by.
func planRoot(c *checker, at string, r *Root) {
	for _, name := range PlanTools {
		if c.s.Plan.Set && r.Tools != nil && !slices.Contains(*r.Tools, name) {
			c.bad(at+".tools", "add "+name+", or leave tools out", "a lead that plans needs the tool %s, which root %s has not got", name, cmp.Or(r.Name, "main"))
		}
	}
}

// spawnRoot misses the tool by which a lead starts children.
func spawnRoot(c *checker, at string, r *Root) {
	s, name := c.s, cmp.Or(r.Name, "main")
	starts := s.delegates() && (s.Structure.Base() == Subagent || s.Structure.Base() == Fork) && !s.minimal() && !s.Coordinates() && !speaksFor(s, name)
	if starts && r.Tools != nil && !slices.Contains(*r.Tools, "Agent") && !slices.Contains(*r.Tools, "Task") {
		c.bad(at+".tools", "add Agent, or leave tools out", "structure %s works with the tool Agent, which root %s has not got", s.Structure, name)
	}
}

// Gate is the value of a gate, its default where the scenario does not say, and
// "" for an unknown one.
func (s *Scenario) Gate(name string) string {
	if v, ok := s.Gates[name]; ok {
		return v
	}
	if g := gate.Find(name); g != nil {
		return g.Default
	}
	return ""
}
