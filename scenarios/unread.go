package scenarios

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/llm"
)

// Idle is a setting that nothing reads, and why.
type Idle struct {
	Path, Why string
	Variant   string // that sets it, "" for the file itself

	at   document.Pos
	sure bool // a patch that no run reads, whichever variants are played
}

// String is one line with its place.
func (i Idle) String() string {
	where := ""
	if i.overrides() {
		return fmt.Sprintf("--set %s has no effect: %s", i.Path, i.Why)
	}
	if i.Variant != "" {
		where = " in variant " + i.Variant
	}
	return fmt.Sprintf("%s:%d:%d: %s has no effect%s: %s", i.at.Src.Name, max(i.at.Line, 1), max(i.at.Col, 1), i.Path, where, i.Why)
}

// overrides reports whether the command line sets it.
func (i Idle) overrides() bool { return i.at.Src == nil || i.at.Src.Name == "--set" }

// unread lists the sections and keys that nothing in this scenario reads, given
// or not.
func (s *Scenario) unread() []section {
	out := s.unusedSections()
	add := func(why, key string) {
		if why != "" {
			out = append(out, section{key, why})
		}
	}
	for _, k := range s.unusedCoordinator() {
		out = append(out, section{"coordinator." + k.key, k.why})
	}
	if len(s.Injections) == 0 {
		add("there are no injections", "model.obeys")
	}
	add(s.idleChildren(), "permissions.children")
	if !s.Coordinates() {
		for _, g := range workerGates {
			add("it is for a coordinator's workers, and there is no coordinator", "gates."+g)
		}
	}
	add(s.withoutSubagents(), "provider.subagent_model")
	add(s.withoutFresh(), "provider.subagent_ttl")
	if s.Provider.TTL != llm.TTL1h {
		add("provider.ttl is not 1h, and 5m is what there is over the limit", "provider.plan_limit_at")
	}
	if s.hasWork() && len(s.thinkers()) == 0 {
		add("nobody thinks: no settings turn thinking on", "model.think_tokens")
	}
	add(s.withoutPrompts(), "model.prompting")
	add(s.withoutPrompts(), "model.prompt_budget")
	if s.hasWork() && !s.delegates() {
		add("nobody is spawned", "model.spawns_per_turn")
	}
	if p := &s.Provider; len(s.Faults) == 0 && p.InputRate == nil && p.RateLimits == nil {
		add("nothing fails: there are no faults and no rate limits", "retry")
	}
	if s.Tools.ReplaceOver == 0 && len(s.ReplaceFlips) == 0 {
		add("tools.replace_over is 0, so no result is replaced", "tools.preview")
	}
	if s.FanOut.Hold != "first-response" {
		add("fan_out.hold is none", "fan_out.cap")
	}
	if s.keeps() {
		add(allByLead, "structure")
		add(allByLead, "type")
	}
	return out
}

// delegates reports whether a lead gives work to children.
func (s *Scenario) delegates() bool { return s.hasWork() && s.Strategy() != "inline" && !s.keeps() }

// keeps reports whether a lead that may spawn does every item itself.
func (s *Scenario) keeps() bool {
	return (s.Strategy() == "subagent" || s.Strategy() == "fork") && s.hasWork() && !slices.ContainsFunc(s.Work, func(it Item) bool { return it.By != "lead" })
}

const allByLead = "every item of the work is by: lead"

// withoutPrompts is why nobody writes a prompt that tells or points, "" where
// somebody does.
func (s *Scenario) withoutPrompts() string {
	switch {
	case s.keeps():
		return allByLead
	case !s.hasWork() || s.Strategy() != "inline":
		return ""
	}
	return "nobody is spawned"
}

// withoutFresh is why there are no children but forks, "" where there may be
// others.
func (s *Scenario) withoutFresh() string {
	switch {
	case s.scriptsSpawn(func(typ string) bool { return typ != "" || !s.turnsOn(forkGate) }):
		return ""
	case s.delegates() && s.Strategy() != "fork":
		return ""
	case s.keeps():
		return allByLead
	case s.spawns():
		return "all children are forks, which live by provider.ttl"
	}
	return "nobody is spawned"
}

// withoutSubagents is why no child takes the default model of sub-agents, "" where
// one may.
func (s *Scenario) withoutSubagents() string {
	own := s.exploresOnHaiku()
	switch {
	case s.scriptsSpawn(func(typ string) bool { return (typ != "" || !s.turnsOn(forkGate)) && !s.Coordinates() }):
		return ""
	case s.delegates() && s.Strategy() == "subagent" && !own:
		return ""
	case s.delegates() && s.Strategy() == "subagent":
		return "type Explore has a model of its own: provider.aliases says what haiku stands for"
	case s.keeps():
		return allByLead
	case s.Coordinates() && s.spawns():
		return "workers have their coordinator's model"
	case s.spawns():
		return "forks keep their parent's model"
	}
	return "nobody is spawned"
}

// scriptsSpawn reports whether a script spawns an agent of such a type, "" for a
// call without one.
func (s *Scenario) scriptsSpawn(of func(typ string) bool) bool {
	for _, sc := range s.Scripts {
		for _, t := range sc.Turns {
			for _, u := range t.Tools {
				var in struct {
					Type string `json:"subagent_type"`
				}
				if document.Contains(s.spawnTools(), u.Name) && (json.Unmarshal([]byte(u.Raw), &in) != nil || of(in.Type)) {
					return true
				}
			}
		}
	}
	return false
}

// idle finds why nothing reads what stands at a path.
func idle(list []section, path string) string {
	for _, x := range list {
		if rest, ok := strings.CutPrefix(path, x.key); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return x.why
		}
	}
	return ""
}

// Unread is why nothing in a variant reads what an override sets, when all of
// sets hold; "" where something does, where the value holds already, or where a
// variant under them is in error.
func (f *File) Unread(variant string, sets []string, set string) string {
	s := f.untrimmed(f.tree(variant, &document.Problems{}), sets)
	if s == nil {
		return ""
	}
	others := slices.DeleteFunc(slices.Clone(sets), func(x string) bool { return x == set })
	if reflect.DeepEqual(s, f.untrimmed(f.tree(variant, &document.Problems{}), others)) {
		return ""
	}
	path, text, _ := strings.Cut(set, "=")
	path = lang.Short(path)
	val, bad := limits.Parse(document.NewSource("--set", text), text)
	if bad != nil {
		return ""
	}
	if val.Kind == document.Null {
		return idle(s.unread(), path)
	}
	why := ""
	for _, l := range leaves(val, path) {
		if why = idle(s.unread(), l.Path); why == "" {
			return ""
		}
	}
	return why
}

// Idle lists what the file itself says and none of its variants reads, and what a
// grid goes over and some variants do not read: with them the others are compared.
// An axis of a sweep is for the variants that are played.
func (f *File) Idle(played ...string) []Idle {
	return slices.DeleteFunc(f.idle(played), func(x Idle) bool { return x.sure })
}

// checkUnread refuses what a variant or a grid patches and no run reads.
func (f *File) checkUnread(errs *document.Problems) {
	for _, x := range f.idle(nil) {
		if in := ""; x.sure {
			if x.Variant != "" {
				in = " in variant " + x.Variant
			}
			errs.Add(x.at, "take it away", "nothing reads %s%s: %s", x.Path, in, x.Why)
		}
	}
}

// idle lists what the file sets and nothing reads: in the base, in none of the
// variants; in a variant and on axes, in none of a variant's cells. What holds
// without being set is none of it.
func (f *File) idle(played []string) (out []Idle) {
	unread := map[string][]section{}
	names := f.VariantNames()
	for _, name := range names {
		if s := f.untrimmed(f.tree(name, &document.Problems{}), nil); s != nil {
			unread[name] = s.unread()
		}
	}
	in := func(path string, names []string) (why string) {
		for _, name := range names {
			if why = idle(unread[name], path); why == "" {
				return ""
			}
		}
		return why
	}
	base := f.untrimmed(f.base, nil)
	for _, l := range leaves(f.base, "") {
		if l.Why = in(l.Path, names); l.Why != "" && (base == nil || !sameAt(base, Defaults(), l.Path)) {
			out = append(out, l)
		}
	}
	for _, v := range f.variants {
		cells := f.cellsOf(v.Key)
		with := f.untrimmed(f.over(f.base, v.Val, &document.Problems{}), nil)
		for _, l := range patchLeaves(v.Val) {
			l.Why, l.Variant = in(l.Path, cells), v.Key
			l.sure = l.Path != "structure" // who does the work is no patch
			if l.Why != "" && (base == nil || with == nil || !sameAt(base, with, l.Path)) {
				out = append(out, l)
			}
		}
	}
	for i, a := range slices.Concat(f.Matrix, f.Sweep) {
		of := names
		if i >= len(f.Matrix) && len(played) > 0 {
			of = played
		}
		if why := in(a.Path, of); why != "" {
			out = append(out, Idle{Path: a.Path, Why: why, at: a.pos, sure: a.pos.Src == f.src && len(of) == len(names)})
			continue
		}
		for _, v := range f.variants {
			if why := in(a.Path, f.cellsOf(v.Key)); why != "" && i < len(f.Matrix) { // a sweep compares with who does not read it
				out = append(out, Idle{Path: a.Path, Why: why, Variant: v.Key, at: a.pos})
			}
		}
	}
	return append(out, f.dropped()...)
}

// cellsOf are the names of a variant's cells.
func (f *File) cellsOf(variant string) (out []string) {
	for _, c := range f.Cells() {
		out = append(out, variant+c)
	}
	return out
}

// sameAt reports whether two scenarios say the same at a path.
func sameAt(a, b *Scenario, path string) bool {
	return reflect.DeepEqual(valueAt(a, path), valueAt(b, path))
}

// valueAt is the field of a scenario at a path, as far as the path leads through
// sections; nil where it leads nowhere.
func valueAt(s *Scenario, path string) any {
	v := reflect.ValueOf(s).Elem()
	for path != "" && v.Kind() == reflect.Struct {
		key, rest := document.CutPath(path)
		f, ok := document.Reach(v, key)
		if !ok {
			return nil
		}
		if v, path = f, rest; v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
	}
	if v.Kind() == reflect.Map && path != "" {
		if v = v.MapIndex(reflect.ValueOf(path)); !v.IsValid() {
			return nil
		}
	}
	return v.Interface()
}

// untrimmed is the scenario of a tree with overrides, with what nothing reads
// left in it; nil where it is in error.
func (f *File) untrimmed(tree *document.Node, sets []string) *Scenario {
	s, _ := f.placed(tree, sets)
	return s
}

// placed is it with its places.
func (f *File) placed(tree *document.Node, sets []string) (*Scenario, *document.Decoder) {
	var errs document.Problems
	for _, set := range sets {
		if tree != nil {
			tree = f.applySet(tree, set, &errs)
		}
	}
	if tree == nil || errs.Err() != nil {
		return nil, nil
	}
	s, d := f.decode(tree, &errs)
	if errs.Err() != nil {
		return nil, nil
	}
	return s, d
}

// patchLeaves lists what a variant sets.
func patchLeaves(variant *document.Node) []Idle {
	own, paths := patchOf(variant)
	out := leaves(own, "")
	for _, p := range paths {
		for _, l := range leaves(p.Val, p.Key) {
			l.at = p.Pos
			out = append(out, l)
		}
	}
	return out
}

// leaves lists what a value sets, one for each path that ends in no mapping; a
// null sets nothing.
func leaves(n *document.Node, path string) []Idle {
	if n.Kind == document.Null { // takes away what stands there
		return nil
	}
	if n.Kind != document.Map || len(n.Pairs) == 0 {
		return []Idle{{Path: path, at: n.Pos}}
	}
	var out []Idle
	for _, p := range n.Pairs {
		sub := lang.Short(strings.TrimPrefix(path+"."+p.Key, "."))
		if path == "set" || lang.IsBlock(path) {
			sub = lang.Short(p.Key)
		}
		for _, l := range leaves(p.Val, sub) {
			l.at = p.Pos
			out = append(out, l)
		}
	}
	return slices.Clip(out)
}
