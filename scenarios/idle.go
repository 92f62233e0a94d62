package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/memo"
)

// Idle is a setting that nothing reads, and why.
type Idle struct {
	Path, Why string
	Variant   string // that sets it, "" for the file itself

	at   document.Pos
	in   string // the runs in which it is so, "" for all
	sure bool   // it is refused, whichever variants are played
	more int    // others of which the same is true
}

// String is one line with its place.
func (i Idle) String() string {
	where := ""
	if i.in != "" {
		where = " in " + i.in
	}
	if i.overrides() {
		return fmt.Sprintf("--set %s has no effect%s: %s", i.Path, where, i.Why)
	}
	if i.Variant != "" {
		where += " in variant " + i.Variant
	}
	return fmt.Sprintf("%s:%d:%d: %s has no effect%s: %s", i.at.Src.Name, max(i.at.Line, 1), max(i.at.Col, 1), i.keys(), where, i.Why)
}

// keys is what is set, with how much like it there is.
func (i Idle) keys() string {
	if i.more == 0 {
		return i.Path
	}
	return fmt.Sprintf("%s, and %d more like it,", i.Path, i.more)
}

// overrides reports whether the command line sets it.
func (i Idle) overrides() bool { return i.at.Src == nil || i.at.Src.Name == "--set" }

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
	list := leaves(val, path)
	if val.Kind == document.Null {
		list = []Idle{{Path: path}}
	}
	unread, why := unreadIn(f, s), ""
	for _, l := range list {
		x := idle(unread, l.Path)
		if x == nil {
			return ""
		}
		why = x.why
	}
	return why
}

// Reads reports whether something in a scenario of a file reads what stands at a path.
func Reads(f *File, s *Scenario, path string) bool { return idle(unreadIn(f, s), path) == nil }

// unreadIn is what nothing in a scenario of a file reads. Definitions that are not the
// file's own may ask for any alias, server or worktree, as only a run finds out.
func unreadIn(f *File, s *Scenario) []section {
	return slices.DeleteFunc(s.unread(), func(x section) bool {
		return (f.foreign || f.defined) && (strings.HasPrefix(x.key, "provider.aliases.") || strings.HasPrefix(x.key, "project.servers.") || x.key == "project.linked")
	})
}

// Idle lists what the file itself says and none of its variants reads, and what a
// grid goes over and some variants do not read: with them the others are compared.
// An axis of a sweep is for the variants that are played. What something reads because of
// overrides is none of it.
func (f *File) Idle(sets []string, played ...string) []Idle {
	without := f.idle(played)
	if len(sets) == 0 {
		return slices.DeleteFunc(without, func(x Idle) bool { return x.sure })
	}
	return slices.DeleteFunc(under(f, played, sets).idle(played), func(x Idle) bool { return x.sure || !slices.ContainsFunc(without, x.same) })
}

// same reports whether two are of one place.
func (i Idle) same(y Idle) bool { return i.Path == y.Path && i.Variant == y.Variant }

// under is the file as it is read when overrides are laid over some variants.
func under(f *File, variants, sets []string) *File {
	if len(sets) == 0 {
		return f
	}
	with := *f
	with.unread = map[string][]section{}
	for _, name := range f.VariantNames() {
		with.unread[name] = f.unread[name]
		if s := f.untrimmed(f.tree(name, &document.Problems{}), sets); s != nil && slices.Contains(variants, name) {
			with.unread[name] = unreadIn(f, s)
		}
	}
	return &with
}

// checkUnread refuses what a variant or a grid patches and no run reads, and what is
// said in the file where nothing else can be meant.
func (f *File) checkUnread(errs *document.Problems) {
	for _, x := range f.idle(nil) {
		if in := ""; x.sure {
			if x.Variant != "" {
				in = " in variant " + x.Variant
			}
			errs.Add(x.at, cmp.Or(instead[x.Path], "take it away"), "nothing reads %s%s: %s", x.keys(), in, x.Why)
		}
	}
}

// idle lists what the file sets and nothing reads: in the base, in none of the
// variants; in a variant and on axes, in none of a variant's cells. What holds
// without being set is none of it.
func (f *File) idle(played []string) (out []Idle) {
	names := f.VariantNames()
	in := func(path string, names []string) *section { return unreadByAll(f, path, names) }
	first := map[[3]string]int{}
	add := func(l Idle, x *section) {
		if l.Why = x.why; !strings.Contains(x.key, "*") {
			l.Path = x.key // whole
		}
		alike := [3]string{l.Variant, x.key, x.why}
		if i, known := first[alike]; known {
			if l.Path != x.key {
				out[i].more++
			}
			return
		}
		first[alike] = len(out)
		out = append(out, l)
	}
	base := memo.Once(func() *Scenario { return f.untrimmed(f.base, nil) })
	swept := f.swept()
	read := func(path string) bool { // by some run of the sweep
		return slices.ContainsFunc(swept, func(reads func() func(string) bool) bool { return reads()(path) })
	}
	for _, l := range leaves(f.base, "") {
		x := in(l.Path, names)
		if x == nil || x.fate == quiet || base() != nil && sameAt(base(), Defaults(), l.Path) || read(l.Path) {
			continue
		}
		l.sure = x.fate != warned && !strings.Contains(x.why, nobodySpawned) // which --set may change
		add(l, x)
	}
	for _, v := range f.variants {
		cells := f.cellsOf(v.Key)
		with := memo.Once(func() *Scenario { return f.untrimmed(f.over(f.base, v.Val, &document.Problems{}), nil) })
		for _, l := range patchLeaves(v.Val) {
			l.Variant = v.Key
			l.sure = l.Path != "structure" // who does the work is no patch
			if x := in(l.Path, cells); x != nil && (base() == nil || with() == nil || !sameAt(base(), with(), l.Path) && !f.turnsOff(base(), with(), l.Path)) {
				add(l, x)
			}
		}
	}
	for i, a := range slices.Concat(f.Matrix, f.Sweep) {
		of := names
		if i >= len(f.Matrix) && len(played) > 0 {
			of = played
		}
		if x := in(a.Path, of); x != nil && !read(a.Path) {
			add(Idle{Path: a.Path, at: a.pos, sure: a.pos.Src == f.src && len(of) == len(names)}, x)
			continue
		}
		for _, v := range f.variants {
			if x := in(a.Path, f.cellsOf(v.Key)); x != nil && i < len(f.Matrix) { // a sweep compares with who does not read it
				add(Idle{Path: a.Path, Variant: v.Key, at: a.pos}, x)
			}
		}
	}
	return slices.Concat(out, f.dropped(), unservedTools(f))
}

// swept tell, of each value that the sweep gives an axis, for each variant, what is read
// there; each is worked out when it is asked.
func (f *File) swept() (out []func() func(path string) bool) {
	for _, name := range f.VariantNames() {
		for _, a := range f.Sweep {
			for _, v := range a.values {
				out = append(out, memo.Once(func() func(string) bool {
					var errs document.Problems
					s := f.untrimmed(f.set(f.tree(name, &errs), a.Path, v, a.pos, &errs), nil)
					if s == nil {
						return func(string) bool { return false }
					}
					unread := unreadIn(f, s)
					return func(path string) bool { return idle(unread, path) == nil }
				}))
			}
		}
	}
	return out
}

// unreadByAll is why none of some variants reads what stands at a path; nil where one
// reads it. It is refused only if it is in all of them.
func unreadByAll(f *File, path string, names []string) *section {
	var all *section
	why, unread := whyOf(names, func(name string) string {
		x := idle(f.unread[name], path)
		if x == nil {
			return ""
		}
		if all == nil || x.fate == warned || x.fate == quiet {
			own := *x
			all = &own
		}
		return x.why
	})
	if !unread {
		return nil
	}
	all.why = why
	return all
}

// whyOf is why something is so in all of some variants, with who has which reason where
// they have several; false where it is not so in one, of which of gives "".
func whyOf(names []string, of func(name string) string) (string, bool) {
	var whys, who []string
	for _, name := range names {
		why := of(name)
		if why == "" {
			return "", false
		}
		if !slices.Contains(whys, why) {
			whys, who = append(whys, why), append(who, " ("+name+")")
		}
	}
	for i := range whys {
		if len(whys) > 1 {
			whys[i] += who[i]
		}
	}
	return strings.Join(whys, ", "), len(whys) > 0
}

// turnsOff reports whether what a variant sets is a gate off that its file turns on and
// reads: nothing reads it any more because it is off.
func (f *File) turnsOff(base, with *Scenario, path string) bool {
	name, is := strings.CutPrefix(path, "gates.")
	return is && base.turnsOn(name) && !with.turnsOn(name) && idle(unreadIn(f, base), path) == nil
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

// valueAt is what a scenario says at a path, as far as it leads through sections and
// a mapping of names; nil where it leads nowhere.
func valueAt(s *Scenario, path string) any {
	v, rest := fieldAt(s, path)
	if v.Kind() == reflect.Map && rest != "" {
		v = v.MapIndex(reflect.ValueOf(rest))
	}
	if i := strings.LastIndexByte(path, '.'); !v.IsValid() && i > 0 {
		return valueAt(s, path[:i]) // in a value that is no section, such as a distribution
	}
	if !v.IsValid() {
		return nil
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
	if tree = f.laid(tree, sets, &errs); tree == nil || errs.Err() != nil {
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
		for _, l := range leaves(p.Val, lang.Short(p.Key)) {
			l.at = p.Pos
			out = append(out, l)
		}
	}
	return out
}

// leaves lists what a value sets, one for each path that ends in no mapping or list
// of mappings; a null sets nothing.
func leaves(n *document.Node, path string) (out []Idle) {
	switch {
	case n.Kind == document.Null: // takes away what stands there
		return nil
	case n.Kind == document.List && len(n.Items) > 0 && n.Items[0].Kind == document.Map:
		for i, it := range n.Items {
			out = append(out, leaves(it, path+"."+step(it.Name(), i))...)
		}
		return out
	case n.Kind != document.Map || len(n.Pairs) == 0:
		return []Idle{{Path: path, at: n.Pos}}
	}
	for _, p := range n.Pairs {
		sub := lang.Short(strings.TrimPrefix(path+"."+p.Key, "."))
		if path == "set" || lang.IsBlock(path) {
			sub = lang.Short(p.Key)
		}
		for _, l := range leaves(p.Val, sub) {
			if l.Path == sub {
				l.at = p.Pos
			}
			out = append(out, l)
		}
	}
	return slices.Clip(out)
}

// step is an element of a list in a path: its name where that is one step.
func step(name string, i int) string {
	if name == "" || strings.Contains(name, ".") {
		return itoa(i + 1)
	}
	return name
}

// unusedFacts are the facts that no item needs or yields, and that make no item's
// edits wrong.
func (s *Scenario) unusedFacts() (out []section) {
	used := map[string]bool{}
	for _, it := range s.Work {
		for _, name := range slices.Concat(it.Knows, it.Yields, it.Pitfalls, it.MisledBy) {
			used[name] = true
		}
	}
	for i, f := range s.Project.Facts {
		if !used[f.Name] {
			out = append(out, section{"project.facts." + step(f.Name, i), "no item names " + document.Quoted(f.Name) + " in knows, yields, pitfalls or misled_by", trimmed})
		}
	}
	return out
}

// unusedHeads are those of types of which the scenario starts no agent, and such tools.
func unusedHeads(s *Scenario) (out []section) {
	starts := s.Starts()
	unstarted := func(typ, key string) {
		started := slices.ContainsFunc(starts, func(x Start) bool { return x.Type == typ })
		untyped := typ == s.defaultType() && s.scriptsSpawn(func(typ string) bool { return typ == "" })
		if !started && !untyped && slices.Contains(slices.Concat(agentTypes, moreTypes), typ) {
			out = append(out, section{key, "no agent of type " + typ + " is started", warned})
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(s.Permissions.Allowed)) {
		unstarted(typ, "permissions.allowed_tools."+typ)
	}
	for i, h := range s.Heads {
		if h.Type == "fork" {
			out = append(out, section{"heads." + itoa(i+1), "a fork has its parent's head", warned})
		}
		unstarted(h.Type, "heads."+itoa(i+1))
	}
	return out
}

// unusedTests are the tests that no item runs; a scripted agent may run any, and whoever
// wanders those by which a project is checked in passing.
func (s *Scenario) unusedTests() (out []section) {
	if len(s.Scripts) > 0 {
		return nil
	}
	var ran, strayed []string
	for _, it := range s.Work {
		for _, r := range it.Runs {
			ran = union(ran, []string{command(r)})
		}
	}
	if s.Model.Wander.Uses.Set {
		for _, b := range builds {
			strayed = append(strayed, s.Checks([]string{b.file})...)
		}
	}
	only := ""
	if len(ran) > 0 {
		only = "; items run " + someOf(ran)
	}
	for i, t := range s.Project.Tests {
		if !slices.Contains(ran, command(t.Command)) && !slices.Contains(strayed, t.Command) {
			out = append(out, section{"project.tests." + itoa(i+1), "no item runs " + document.Quoted(t.Command) + only, trimmed})
		}
	}
	return out
}

// unusedFlips are the flips of gates that only a coordinator's workers read.
func (s *Scenario) unusedFlips() (out []section) {
	for i, f := range s.GateFlips {
		if slices.Contains(workerGates, f.Gate) && !s.Coordinates() && !s.minimal() {
			out = append(out, section{"gate_flips." + itoa(i+1), forWorkers, trimmed})
		}
	}
	return out
}

// unusedAliases are the names of models that nobody asks for. What definitions ask
// for only a run finds out.
func (s *Scenario) unusedAliases() (out []section) {
	if s.DefinesAgents() {
		return nil
	}
	p := &s.Provider
	used := map[string]bool{"haiku": s.exploresOnHaiku()}
	used[p.Model], used[p.SubagentModel] = true, true
	for _, it := range s.Work {
		used[it.Agent.Model] = true
		used["haiku"] = used["haiku"] || s.onHaiku(it.Agent.Type)
	}
	s.scriptsSpawn(func(typ string) bool {
		used["haiku"] = used["haiku"] || typ == "Explore"
		return false
	})
	for _, name := range slices.Sorted(maps.Keys(p.Aliases)) {
		if !used[name] && !s.asks(name) {
			out = append(out, section{"provider.aliases." + name, "nobody asks for model " + name, warned})
		}
	}
	return out
}
