package sides

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/metrics"
)

// Side is one side of a comparison.
type Side struct {
	Name   string
	Groups []*Group
}

// Kind is what the runs of a group have in common.
type Kind struct {
	Scenario, Variant string
	Spec              string // hash of what decides a run beside its seed
	Bare              string // the same without the semantics
	Semantics         int    // 0 of recorded sessions, whose versions are others
}

// Group is the runs of one variant.
type Group struct {
	Kind
	Only bool  // no other spec of this scenario and variant is on the side
	Runs []Run // by seed
}

// Run is one run of a side.
type Run struct {
	ID, Digest string
	Seed       uint64
	Open       string // why it did not finish; "" when it did
	Figures    map[string]metrics.Value
}

// Add puts a run to those of its variant that have the same spec: what was edited
// between two runs is not taken for chance.
func (s *Side) Add(k Kind, r Run) {
	only := true
	for _, g := range s.Groups {
		if g.key() != k.key() {
			continue
		}
		if g.Spec == k.Spec {
			g.Runs = append(g.Runs, r)
			return
		}
		g.Only, only = false, false
	}
	s.Groups = append(s.Groups, &Group{k, only, []Run{r}})
}

// Sort puts variants in order of name and runs in order of seed: a database's
// order is that of its clock.
func (s *Side) Sort() {
	slices.SortFunc(s.Groups, func(a, b *Group) int {
		return cmp.Or(strings.Compare(a.key(), b.key()), strings.Compare(a.Spec, b.Spec))
	})
	for _, g := range s.Groups {
		slices.SortFunc(g.Runs, func(a, b Run) int { return cmp.Or(cmp.Compare(a.Seed, b.Seed), strings.Compare(a.ID, b.ID)) })
	}
}

// Names lists the groups.
func (s *Side) Names() string {
	var out []string
	for _, g := range s.Groups {
		out = append(out, g.Name())
	}
	return strings.Join(out, ", ")
}

func (k *Kind) key() string { return k.Scenario + "/" + k.Variant }

// Short is as much of the spec's hash as people need.
func (k *Kind) Short() string { return k.Spec[:min(8, len(k.Spec))] }

// Name is what a group is called, with its spec where there are several.
func (g *Group) Name() string {
	name := strings.TrimSuffix(g.key(), "/")
	if !g.Only {
		name += " (spec " + g.Short() + ")"
	}
	return name
}

// Open is how many runs did not finish.
func (g *Group) Open() (n int) {
	for _, r := range g.Runs {
		if r.Open != "" {
			n++
		}
	}
	return n
}

func (g *Group) values(name string) (out []metrics.Value) {
	for _, r := range g.Runs {
		if v, ok := r.Figures[name]; ok {
			out = append(out, v)
		}
	}
	return out
}

// Comparison is two sides with what belongs together.
type Comparison struct {
	A, B  *Side
	Pairs []Pair
	OnlyA []string // groups without a partner
	OnlyB []string
}

// Pair is the groups of one variant.
type Pair struct{ A, B *Group }

// Match sets variants of the same name against each other, or the only one of both
// sides whatever they are called.
func Match(a, b *Side) *Comparison {
	c := &Comparison{A: a, B: b}
	if len(a.Groups) == 1 && len(b.Groups) == 1 {
		c.Pairs = []Pair{{a.Groups[0], b.Groups[0]}}
		return c
	}
	met := map[*Group]bool{}
	for _, g := range a.Groups {
		o := g.partner(b.Groups)
		if o == nil {
			c.OnlyA = append(c.OnlyA, g.Name())
			continue
		}
		c.Pairs = append(c.Pairs, Pair{g, o})
		met[o] = true
	}
	for _, g := range b.Groups {
		if !met[g] {
			c.OnlyB = append(c.OnlyB, g.Name())
		}
	}
	return c
}

// partner is the group of the same variant: that with the same spec, or the only
// one where both sides have one.
func (g *Group) partner(others []*Group) *Group {
	for _, o := range others {
		if o.key() == g.key() && (o.Spec == g.Spec || o.Only && g.Only) {
			return o
		}
	}
	return nil
}
