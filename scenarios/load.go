package scenarios

import (
	"reflect"
)

// decode reads a tree over the defaults.
func (f *File) decode(tree *node, errs *errorList) (*Scenario, *decoder) {
	s := Defaults()
	d := newDecoder(errs, pos{f.src, 1, 1})
	d.file = f
	if f.seeds != nil {
		s.Seed = f.seeds[0]
	}
	d.value(tree, reflect.ValueOf(s).Elem(), place{})
	return s, d
}

// head reads what the file says of itself, and its expectations.
func (f *File) head(errs *errorList) {
	var quiet errorList
	s, d := f.decode(f.base, &quiet)
	f.Name, f.Why, f.LookAt = s.Name, s.Why, s.LookAt
	if s.Name == "" {
		errs.add(d.where("name"), "name: my-scenario", "the scenario has no name")
	}
	n := f.base.get("expect")
	if n == nil {
		return
	}
	for i, e := range s.Expect {
		if i < len(n.items) && n.items[i].kind == kindString {
			f.readExpectation(e.Text, n.items[i], s.subjects(), errs)
		}
	}
}

// subjects are what an expectation may speak of: agent types and roots.
func (s *Scenario) subjects() []string {
	types := append(append([]string{"main", "fork"}, s.listedTypes()...), minimalTypes...)
	if s.Strategy == "coordinator" {
		types = append(types, "worker")
	}
	return append(append(types, s.definedNames()...), s.rootNames()...)
}

func (f *File) readExpectation(text string, n *node, subjects []string, errs *errorList) {
	x, bad := ParseExpect(text, f.plainNames(), subjects)
	if bad != nil {
		p := n.pos.right(bad.Col)
		if n.quote {
			p = p.right(1)
		}
		errs.add(p, bad.Hint, "%s", bad.Msg)
		return
	}
	x.place = n
	f.Expect = append(f.Expect, x)
}

// checkAll checks every variant and cell. A section that some variant uses is
// used.
func (f *File) checkAll(errs *errorList) {
	names := f.VariantNames()
	unused := map[string]int{}
	for _, name := range names {
		var own errorList
		tree := f.tree(name, &own)
		if tree == nil {
			errs.merge(&own)
			return
		}
		if s, d := f.decode(tree, &own); len(own.list) == 0 {
			f.check(s, d)
		}
		errs.mergeUsed(&own, unused, len(names))
		if len(errs.list) >= MaxErrors {
			return
		}
	}
	f.checkSweep(errs)
}

// checkSweep tries each value of each axis of the sweep on the first variant.
func (f *File) checkSweep(errs *errorList) {
	for _, a := range f.Sweep {
		for _, v := range a.values {
			tree := f.tree(f.VariantNames()[0], errs)
			next := setPath(tree, scenarioType, a.Path, v, a.pos, errs)
			if next == nil {
				break
			}
			f.decode(next, errs)
		}
	}
}

func (l *errorList) merge(o *errorList) {
	for _, e := range o.list {
		key := e.Error()
		if l.seen[key] {
			continue
		}
		if l.seen == nil {
			l.seen = map[string]bool{}
		}
		l.seen[key] = true
		l.list = append(l.list, e)
	}
}

// mergeUsed merges the errors of one of n variants; what is unused counts only
// once all n said so.
func (l *errorList) mergeUsed(o *errorList, unused map[string]int, n int) {
	var keep errorList
	for _, e := range o.list {
		if e.unused {
			unused[e.Error()]++
			if unused[e.Error()] < n {
				continue
			}
		}
		keep.list = append(keep.list, e)
	}
	l.merge(&keep)
}
