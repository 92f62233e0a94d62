package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/mockllm/fault"
	"agentsim/scenarios/document"
	"agentsim/scenarios/expect"
	"agentsim/sim/llm"
	"agentsim/sim/memo"
	"agentsim/sim/vtime"
)

// Ran is what there was in runs of a variant.
type Ran struct {
	Variant  string
	Sets     []string // of a grid, those that Striking leaves
	Whole    bool     // they came to their ends
	Lineages []string // of their agents
	Casts    []Cast   // which of these were in which runs
	Tools    []string // that those called
	Idled    []expect.Idled
	Unmet    []string         // parts of the scenario, by their paths, that met nothing
	Reached  map[string]int64 // the most tokens that there were where settings are of more or fewer
}

// Cast is the agents of some runs, of all of which they are the same, and which faults
// struck none of them.
type Cast struct {
	Lineages []string
	Unstruck []int // by their places
	Runs     int
	Seed     uint64   // of the first
	Unmet    []string // parts of the scenario, by their paths, that met nothing
}

// Join adds a run to others. What all runs of a variant under the same overrides met
// is one; an interrupt was in vain if it was so in all of them.
func Join(runs []Ran, r Ran) []Ran {
	i := slices.IndexFunc(runs, func(x Ran) bool { return x.Variant == r.Variant && slices.Equal(x.Sets, r.Sets) })
	if i < 0 {
		r.Lineages, r.Casts, r.Tools, r.Idled, r.Unmet = slices.Clone(r.Lineages), slices.Clone(r.Casts), slices.Clone(r.Tools), slices.Clone(r.Idled), slices.Clone(r.Unmet)
		r.Reached = maps.Clone(r.Reached)
		return append(runs, r)
	}
	x := &runs[i]
	x.Whole = x.Whole && r.Whole
	for _, c := range r.Casts {
		if j := slices.IndexFunc(x.Casts, func(was Cast) bool {
			return slices.Equal(was.Lineages, c.Lineages) && slices.Equal(was.Unstruck, c.Unstruck) && slices.Equal(was.Unmet, c.Unmet)
		}); j >= 0 {
			x.Casts[j].Runs += c.Runs
		} else {
			x.Casts = append(x.Casts, c)
		}
	}
	for path, n := range r.Reached { // order: the largest of each
		x.Reached[path] = max(x.Reached[path], n)
	}
	x.Lineages, x.Tools = union(x.Lineages, r.Lineages), union(x.Tools, r.Tools)
	x.Idled = slices.DeleteFunc(x.Idled, func(was expect.Idled) bool { return !slices.Contains(r.Idled, was) })
	x.Unmet = slices.DeleteFunc(x.Unmet, func(was string) bool { return !slices.Contains(r.Unmet, was) })
	return runs
}

func union(a, b []string) []string {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}

// Striking keeps those overrides that can be part of what Unstruck judges.
func Striking(sets []string) []string {
	return slices.DeleteFunc(slices.Clone(sets), func(set string) bool {
		path, _, _ := strings.Cut(set, "=")
		key, rest := document.CutPath(lang.Short(path))
		part := []string{"faults", "permissions", "answers", "tools", "roots", "lab", "script", "agents", "fan_out", "forks", "gates", "coordinator", "compaction", "hidden", "limits"}
		return !slices.Contains(part, key) && (key != "main" || rest != "" && !strings.HasPrefix(rest, "then")) && lang.Short(path) != "model.gist_tokens" && !strings.HasPrefix(lang.Short(path), "provider.options.")
	})
}

// maxAgents is how many agents a line names.
const maxAgents = 6

// Unstruck lists what these runs found nobody for: faults, answers of agents that
// there were not, interrupts of idle roots, and times of tools that nobody called. What a variant that did not
// run has too may be for that one: of it only faults are told. The error is faults
// for agents that there are not, where the file or --set alone has them so.
func (f *File) Unstruck(sets []string, runs []Ran, asWritten bool) (told []Idle, mistakes error) {
	var errs document.Problems
	found, all := struckOf(f, sets, runs)
	for _, x := range found {
		switch what, text, _ := strings.Cut(x.Path, " "); {
		case x.used && x.in != "":
			told = append(told, x.Idle)
		case x.used || !x.ran:
		case what == "fault" && x.named && x.maybe: // its call may have been to come
		case what == "fault" && x.named:
			x.Why = "no call, attempt or tool use that it names came"
			told = append(told, x.Idle)
		case what == "fault" && !x.maybe && (asWritten || x.overrides()):
			errs.Add(x.at.On(x.agent), "there were "+someOf(document.Nearer(x.agent, all)), "no agent has the name of fault %q", text)
		case what == "fault":
			x.Why = "no agent has such a name; there were " + someOf(document.Nearer(x.agent, all))
			told = append(told, x.Idle)
		case x.maybe:
		case what == "answers":
			x.Why = unplayed(x, all)
			told = append(told, x.Idle)
		case what == "interrupt", x.Why != "":
			told = append(told, x.Idle)
		default:
			x.Why = "nobody called the tool"
			told = append(told, x.Idle)
		}
	}
	return told, errs.Err()
}

// unplayed is why no agent of some runs gives a script's answers, and what to write.
func unplayed(x *struck, all []string) string {
	switch {
	case slices.ContainsFunc(all, func(name string) bool { return NamesAgent(x.agent, name) }):
		return "each agent that it names gives the answers of an earlier one in the list; put it in front of that"
	case !slices.ContainsFunc(all, func(name string) bool { return strings.Contains(name, "/") }):
		return "nobody was started beside " + someOf(all) + "; start one in a turn, spawn: {subagent: [NAME]}, or take it away"
	}
	if slices.ContainsFunc(all, func(name string) bool { return doublestar.MatchUnvalidated(x.agent, name) }) {
		return "a pattern names side questions only where it says so; write main/aside-* for those of main"
	}
	return "no agent has such a name; write one of " + someOf(document.Nearer(x.agent, all)) + ", or a pattern of it"
}

// NamesAgent reports whether a pattern of answers names an agent. Side questions, which
// are nobody's work, are named by patterns that speak of them alone.
func NamesAgent(pattern, lineage string) bool {
	return pattern == lineage || matches(pattern, lineage) && (!strings.Contains(lineage, llm.AsideSuffix) || strings.Contains("/"+pattern, llm.AsideSuffix))
}

// matches is doublestar.MatchUnvalidated, without work for patterns of names and single
// stars: each call of each agent asks.
func matches(pattern, lineage string) bool {
	if strings.ContainsAny(pattern, `?[{\`) || strings.Contains(pattern, "**") {
		return doublestar.MatchUnvalidated(pattern, lineage)
	}
	for rest, names := pattern, lineage; ; {
		part, below, more := strings.Cut(rest, "/")
		name, under, deeper := strings.Cut(names, "/")
		switch {
		case part != "*" && strings.Contains(part, "*"):
			return doublestar.MatchUnvalidated(pattern, lineage)
		case part != "*" && part != name || more != deeper:
			return false
		case !more:
			return true
		}
		rest, names = below, under
	}
}

// struck is a part of a scenario and whether a run used it.
type struck struct {
	Idle
	agent string // the pattern by which it names agents
	ran   bool   // some run has it
	named bool   // there was such an agent
	used  bool
	maybe bool // by a run that there was not, or that was cut off
}

// struckOf lists the parts of all variants, each place once, and the agents of the runs.
func struckOf(f *File, sets []string, runs []Ran) (out []*struck, all []string) {
	known := map[string]*struck{}
	base := memo.Once(func() *Scenario { return f.untrimmed(f.base, nil) })
	for _, name := range f.VariantNames() {
		ran := slices.DeleteFunc(slices.Clone(runs), func(r Ran) bool { return r.Variant != name })
		there := len(ran) > 0
		if !there {
			ran = []Ran{{Variant: name}}
		}
		for i := range ran {
			all = union(all, ran[i].Lineages)
			s, d := f.placed(f.tree(name, &document.Problems{}), slices.Concat(sets, ran[i].Sets))
			if s == nil {
				continue
			}
			for _, x := range slices.Concat(s.unstruck(&ran[i], d), uncome(base, s, &ran[i], d)) {
				if !there && x.overrides() {
					continue
				}
				key := Idle{Path: x.Path, at: x.at}.String()
				x.Variant = variantAt(f, x.at)
				if known[key] == nil {
					known[key] = x
					out = append(out, x)
				}
				if x.in != "" {
					known[key].in, known[key].Why, known[key].Variant = x.in, x.Why, name
				}
				known[key].ran = known[key].ran || there
				known[key].used, known[key].named = known[key].used || x.used, known[key].named || x.named
				known[key].maybe = known[key].maybe || !ran[i].Whole
			}
		}
	}
	return out, all
}

// variantAt is the variant in whose patch a place is, "" for the rest of the file.
func variantAt(f *File, at document.Pos) string {
	for _, v := range f.variants {
		if holds(v.Val, at) {
			return v.Key
		}
	}
	return ""
}

// holds reports whether a place is that of a value or of something in it.
func holds(n *document.Node, at document.Pos) bool {
	return n.Pos == at || slices.ContainsFunc(n.Items, func(x *document.Node) bool { return holds(x, at) }) ||
		slices.ContainsFunc(n.Pairs, func(p document.Pair) bool { return p.Pos == at || holds(p.Val, at) })
}

// unstruck lists what a run may have found nobody for.
func (s *Scenario) unstruck(run *Ran, d *document.Decoder) (out []*struck) {
	add := func(what, agent, at string, used bool) {
		out = append(out, &struck{Idle: Idle{Path: what, at: d.Where(at)}, agent: agent, used: used})
	}
	for i, line := range s.Faults {
		if r, err := fault.Parse(line); err == nil {
			add("fault "+line, r.Agent, "faults["+itoa(i)+"]", false)
			out[len(out)-1].strikes(run.Casts, &r, i)
		}
	}
	played := map[int]bool{}
	for _, name := range run.Lineages { // each plays the first that names it
		played[slices.IndexFunc(s.Scripts, func(sc Script) bool {
			return NamesAgent(sc.Agent, name)
		})] = true
	}
	for i := range s.Scripts {
		at := "answers[" + itoa(i) + "]"
		add("answers of "+s.Scripts[i].Agent, s.Scripts[i].Agent, at, played[i])
		for j := 1; j < len(s.Scripts[i].Turns) && played[i]; j++ {
			turn := at + ".turns[" + itoa(j) + "]"
			behind := slices.Contains(run.Unmet, turn)
			out = append(out, &struck{Idle: Idle{Path: fmt.Sprintf("turn %d of the answers of %s", j+1, s.Scripts[i].Agent), at: d.Where(turn),
				Why: fmt.Sprintf("nobody comes to it: turn %d calls no tool, which ends an answer, and no message came after it", j)}, used: !behind})
			if behind {
				break // so are those after it
			}
		}
	}
	s.Permissions.unmet(run, d, func(x *struck) { out = append(out, x) })
	for _, x := range [...]struct {
		key string
		n   int
	}{{"gate_flips", len(s.GateFlips)}, {"replace_flips", len(s.ReplaceFlips)}} {
		for i := range x.n {
			at := x.key + "[" + itoa(i) + "]"
			out = append(out, &struck{Idle: Idle{Path: x.key + "." + itoa(i+1), Why: "all agents have ended by then", at: d.Where(at)}})
			out[len(out)-1].vain(run.Casts, at)
		}
	}
	s.interrupts(run, d, func(x *struck) { out = append(out, x) })
	for _, t := range [...]struct{ path, full, minimal string }{
		{"tools.read", "Read", "read_file"}, {"tools.grep", "Grep", "grep_search"}, {"tools.glob", "Glob", "list_files"}, {"tools.edit", "Edit", "edit_file"},
		{"tools.commands", "Bash", "run_shell"}} {
		if d.Given(t.path) && !sameAt(s, Defaults(), t.path) {
			add(t.path, "", t.path, slices.Contains(run.Tools, t.full) || slices.Contains(run.Tools, t.minimal))
		}
	}
	return out
}

// strikes says of fault number i whether it struck in any run, and if so in how many
// others it did not: those count like any.
func (x *struck) strikes(casts []Cast, r *fault.Rule, i int) {
	all, vain, seed, why := 0, 0, uint64(0), ""
	for _, c := range casts {
		all += c.Runs
		named := slices.ContainsFunc(c.Lineages, r.Names)
		if x.named = x.named || named; named && !slices.Contains(c.Unstruck, i) {
			x.used = true
			continue
		}
		if vain == 0 {
			if seed, why = c.Seed, "no agent has such a name"; named {
				why = "no call that it names came"
			}
		}
		vain += c.Runs
	}
	if vain > 0 && x.used {
		x.in = fmt.Sprintf("%d of %d runs", vain, all)
		x.Why = fmt.Sprintf("with seed %d %s, so nothing fails; their figures count with the others", seed, why)
	}
}

// vain says of what is at a path whether it met something in any run, and if so in how
// many others it did not.
func (x *struck) vain(casts []Cast, path string) {
	all, vain, seed := 0, 0, uint64(0)
	for _, c := range casts {
		if all += c.Runs; slices.Contains(c.Unmet, path) {
			if vain == 0 {
				seed = c.Seed
			}
			vain += c.Runs
		}
	}
	if x.used = vain < all; x.used && vain > 0 {
		x.in, x.Why = fmt.Sprintf("%d of %d runs", vain, all), fmt.Sprintf("with seed %d %s", seed, x.Why)
	}
}

// interrupts lists the steps in which users interrupt their roots or ask on the side.
// One without an instant of its own was in vain if any was at an instant that no step
// gives.
func (s *Scenario) interrupts(run *Ran, d *document.Decoder, add func(*struck)) {
	each := func(root *Root, path string) {
		given := func(at vtime.Instant) bool {
			return slices.ContainsFunc(root.Then, func(st UserStep) bool { return st.At != nil && vtime.Instant(*st.At) == at })
		}
		for i, st := range root.Then {
			met := slices.IndexFunc(run.Idled, func(x expect.Idled) bool {
				return x.Aside == (st.Aside != nil) && x.Root == cmp.Or(root.Name, "main") && (st.At == nil && !given(x.At) || st.At != nil && vtime.Instant(*st.At) == x.At)
			})
			at := d.Where(path + ".then[" + itoa(i) + "]")
			for _, what := range append(st.Acts(), "on") {
				if what == "on" && st.On == nil {
					continue
				}
				x := &struck{Idle: Idle{Path: what, Why: st.met(what, cmp.Or(root.Name, "main")), at: at}}
				x.vain(run.Casts, cmp.Or(root.Name, "main")+"/then/"+itoa(i)+"."+what)
				add(x)
			}
			if !st.Interrupt && st.Aside == nil {
				continue
			}
			x := &struck{Idle: Idle{Path: "interrupt", at: at}, used: met < 0}
			switch {
			case st.Aside != nil:
				x.Path, x.Why = "aside", "a side question is asked between the first request of "+cmp.Or(root.Name, "main")+" and its end; write an instant there, or take it away"
			case met >= 0:
				x.Why = cmp.Or(root.Name, "main") + " is idle at " + vtime.Duration(run.Idled[met].At).String() + ", so no turn ends; write an instant at which one runs, or take it away"
			}
			add(x)
		}
	}
	if s.Main != nil {
		each(s.Main, "main")
	}
	for i := range s.Roots {
		each(&s.Roots[i], "roots["+itoa(i)+"]")
	}
}

// Acts are those of a step that may meet nothing, by their keys.
func (st *UserStep) Acts() (out []string) {
	if st.KillAgents {
		out = append(out, "kill_agents")
	}
	if st.Background {
		out = append(out, "background")
	}
	if st.Settings != nil {
		out = append(out, "settings")
	}
	return out
}

// met is why an act of a step, or its event, met nothing.
func (st *UserStep) met(what, root string) string {
	switch what {
	case "kill_agents":
		return "no agent runs in the background then"
	case "background":
		return root + " waits for no agent then"
	case "settings":
		return "no request of " + root + " comes after it"
	}
	why := "no " + st.On.Event
	if st.On.Tool != "" {
		why += " of " + st.On.Tool
	}
	if st.On.Agent != "" {
		why += " by " + st.On.Agent
	}
	if st.On.Nth > 1 {
		why += " came " + itoa(st.On.Nth) + " times"
	} else {
		why += " came"
	}
	return why + " while " + root + " went on, so nothing of this step is done"
}

// someOf names the first of a list, and how many more there are.
func someOf(names []string) string {
	if n := len(names) - maxAgents; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxAgents], ", "), n)
	}
	return strings.Join(names, ", ")
}
