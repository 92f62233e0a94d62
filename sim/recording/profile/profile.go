package profile

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"agentsim/sim/rng"
)

// Version is the version of the file format; it grows when the meaning of a figure
// changes.
const Version = 1

// Profile is one measurement.
type Profile struct {
	Version int    `yaml:"profile"`
	Origin  string // what was measured, for people; "" for recordings of one's own
	Sources []Source
}

// Source is what the sessions of one repository or corpus come to, or of several
// that were joined.
type Source struct {
	Sessions, Requests int64
	From, To           string // days of the first and last session; "" for simulated ones
	Notes              []string
	Roles              []Role
}

// Role is what threads of one kind come to, of models that count tokens alike; of one
// type where Type is not "".
type Role struct {
	Role    string // main, sub-agent, fork, hidden
	Family  string // of models, as tokens.FamilyOf parts them
	Type    string
	Threads int64             // 0 where only prompts and reports of agents are known
	Figures map[string]Figure // those of a tool are called TOOL.FIGURE
	Absent  map[string]string // figure → why it is not known
}

// Figure is the distribution of one figure in the figure's unit, or a share.
type Figure struct {
	N, Sessions int64
	Thin        bool   // N is below ThinBelow: nothing is drawn from it unless asked for
	Share       *int64 // thousandths
	// Floor is how far two halves of the sessions are apart, 95 times in 100: the larger
	// over the smaller P50 and P90, in thousandths; for shares their distance. Empty
	// where there are no two halves.
	Floor []int64
	Q     []int64 // Steps+1 quantiles, from the smallest to the largest; nil for a share
}

// Bounds of what is used.
const (
	Steps     = 20  // between quantiles
	ThinBelow = 20  // samples, or threads of a role
	minOfType = 100 // threads
)

// At is the quantile function: the value below which the share u/2⁶⁴ of all lies,
// between two quantiles in a straight line, above the last but one as rng.Tail has it. A
// share is 1 for so many of all u, else 0.
func (f *Figure) At(u uint64) int64 { return f.Draws()(u) }

// Draws is At, with what is equal for every u made once.
func (f *Figure) Draws() func(u uint64) int64 {
	if f.Share != nil {
		share := *f.Share
		return func(u uint64) int64 {
			hi, _ := bits.Mul64(u, 1000)
			return one(int64(hi) < share)
		}
	}
	q, tailed := f.Q[:Steps+1], f.N >= 2*Steps
	tail := rng.NewTail(q[Steps-1], q[Steps], f.N/Steps)
	return func(u uint64) int64 {
		i, part := bits.Mul64(u, Steps)
		if i == Steps-1 && tailed {
			return tail.Draw(part)
		}
		more, _ := bits.Mul64(part, uint64(q[i+1]-q[i]))
		return q[i] + int64(more)
	}
}

// Mean is the mean of what At draws, of a figure with quantiles.
func (f *Figure) Mean() int64 {
	const draws = 1000
	sum, draw := int64(0), f.Draws()
	for i := range uint64(draws) {
		sum += draw((2*i + 1) * (math.MaxUint64 / (2 * draws)))
	}
	return (sum + draws/2) / draws
}

// Percentile is a quantile in steps of five per cent.
func (f *Figure) Percentile(p int) int64 { return f.Q[p*Steps/100] }

// Grade says where a figure comes from.
type Grade uint8

// The grades.
const (
	Assumed  Grade = iota // nobody has recorded such agents
	Scaled                // measured of another model family
	Measured              // of this role and family
)

func (g Grade) String() string { return [...]string{"assumed", "scaled", "measured"}[g] }

// Want names a figure of agents of some kind. Type is used where the profile has it;
// Thin takes thin figures, and roles of few threads, too.
type Want struct {
	Role, Type, Family, Figure string
	Thin                       bool
}

// Find is the figure that comes nearest to what is wanted: of the type, else of the
// role, in its family, else in the family with most threads, and in place of a role
// that is not there of the one that is assumed for it. It is nil, and the grade
// Assumed, where there is none. Several sources are no one population: the profile
// must have one.
func (p *Profile) Find(w Want) (*Figure, Grade) {
	f, _, grade := p.Locate(w)
	return f, grade
}

// Locate is Find with the family of models that the figure was recorded of.
func (p *Profile) Locate(w Want) (*Figure, string, Grade) {
	if len(p.Sources) != 1 {
		return nil, "", Assumed
	}
	roles := slices.Clone(p.Sources[0].Roles)
	slices.SortStableFunc(roles, func(a, b Role) int {
		return -cmp.Or(cmp.Compare(one(a.Family == w.Family), one(b.Family == w.Family)),
			cmp.Compare(one(a.Type != ""), one(b.Type != "")), cmp.Compare(a.Threads, b.Threads))
	})
	for _, name := range []string{w.Role, assumedFor[w.Role]} {
		for _, r := range roles {
			f, ok := r.Figures[w.Figure]
			if !ok || r.Role != name || r.Type != "" && r.Type != w.Type || !w.Thin && (f.Thin || r.Threads < ThinBelow) {
				continue
			}
			switch {
			case name != w.Role:
				return &f, r.Family, Assumed
			case r.Family != w.Family:
				return &f, r.Family, Scaled
			}
			return &f, r.Family, Measured
		}
	}
	return nil, "", Assumed
}

// assumedFor is the role whose figures are assumed for another one that is not there.
var assumedFor = map[string]string{Fork: SubAgent}
