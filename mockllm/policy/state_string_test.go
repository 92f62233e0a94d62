package policy

import (
	"fmt"
	"strings"
)

// describe writes a state as text: names, no pointers, so that two folds of the
// same bytes compare.
func (t *Table) describe(s *state) string {
	var b strings.Builder
	names := func(what string, s set, name func(int) string) {
		var out []string
		for _, i := range s.list(nil) {
			out = append(out, name(i))
		}
		fmt.Fprintf(&b, "%s: %s\n", what, strings.Join(out, " "))
	}
	file := func(i int) string { return t.files[i] }
	item := func(i int) string { return t.items[i].id }
	fmt.Fprintf(&b, "goal: %s heard %d plans %v\n", s.goal, s.heard, s.plans)
	names("facts", s.facts, func(i int) string { return t.facts[i].name })
	names("gists", s.gists, file)
	names("seen", s.seen, file)
	names("absent", s.absent, file)
	names("searched", s.searched, func(i int) string { return t.searches[i].input.Raw() })
	names("cut", s.cut, func(i int) string { return t.searches[i].input.Raw() })
	names("launched", s.launched, item)
	names("done", s.done, item)
	names("failed", s.failed, item)
	names("lost", s.lost, item)
	names("edited", s.edited, func(i int) string { return fmt.Sprint(i) })
	names("gone", s.gone, file)
	for i := range t.files {
		k := *s.files.at(i)
		text := ""
		if k.text != nil {
			text = k.text.Raw()
		}
		k.text = nil
		fmt.Fprintf(&b, "%s: %+v %q\n", t.files[i], k, text)
	}
	for p := s.places; p != nil; p = p.next {
		name := ""
		if p.fact < 0 {
			name = gistName(t.files[gistFact(p.fact)])
		} else {
			name = t.facts[p.fact].name
		}
		fmt.Fprintf(&b, "place %s %s:%d\n", name, t.files[p.file], p.line)
	}
	if p := s.proof; s.proof != nil {
		number := func(i int) string { return fmt.Sprint(i) }
		for _, x := range []struct {
			what string
			set  set
		}{{"flawed", p.flawed}, {"fixing", p.fixing}, {"tried", p.tried}, {"ran", p.ran}, {"red", p.red}, {"shown", p.shown},
			{"padded", p.padded}, {"padless", p.padless}, {"committed", p.committed}} {
			names(x.what, x.set, number)
		}
		fmt.Fprintf(&b, "tools %v %v commit %s\n", p.bash, p.write, p.commit)
	}
	if s.assign != nil {
		fmt.Fprintf(&b, "assignment %+v\n", *s.assign)
	}
	if o := s.roster; o != nil {
		for _, w := range o.workers {
			names("worker "+w.id+" "+string(w.how), w.given, item)
			names("of these now", w.now, item)
			names("saw", w.saw, file)
			names("wrote", w.wrote, file)
		}
		for i, c := range o.attempts {
			names(fmt.Sprintf("%s by %d, %d times, %d cut short %s", item(i), c.by, c.times, c.cut, c.why), c.wrong, func(f int) string { return t.facts[f].name })
		}
	}
	for _, u := range s.open {
		fmt.Fprintf(&b, "open %s %s %s\n", u.id, u.name, u.input.Raw())
	}
	return b.String()
}

// filled is a state with what nothing is known of filled in.
func filled(s state) *state {
	s.injections, s.proof, s.calls, s.trees, s.planning, s.team = blank.injections, blank.proof, blank.calls, blank.trees, blank.planning, blank.team
	return &s
}
