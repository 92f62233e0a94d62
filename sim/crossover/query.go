package crossover

import (
	"cmp"
	"fmt"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Query is one point at which fork and fresh sub-agent are compared. Sizes are
// in tokens.
type Query struct {
	Model    string         // an id that cachemodel knows: the parent's, which forks have
	Child    string         // the model of a fresh child; "" for the parent's
	Prefix   int64          // P: the parent's prompt when it spawns
	Know     int64          // S+R: what a fresh child must know
	Own      int64          // S of it: the child's own system prompt, tools and context; the rest is R
	Turns    int64          // T: calls that each child makes
	Siblings int64          // children of one answer
	Stagger  vtime.Duration // siblings wait so long at most for the first one's response to begin (CACHE-29); 0: none waits
	Cold     bool           // a slow tool stands between the parent's request and the spawn, and its entry expires
	Fourth   bool           // the fourth cache marker is used (CON-23)
	Reading  int64          // over how many turns R arrives, in equal parts; 1: all of it in the first
	Task     int64          // what the child is told to do
	Growth   int64          // what each turn adds to a child's conversation
	Output   int64          // output billed for each call
	Ideal    bool           // the idealised world: none of what moves a run away from the law
	// What measured children have and the law leaves out. Shares are thousandths.
	Said   int64 // tokens of the parent's answer, its calls included, which a fork begins with and nobody has cached; 0: not known, and generated ones are weighed
	Warm   int64 // tokens of S that were cached before the first child began
	Half   int64 // share of R that has arrived by the middle turn, all from the second on, as results of tools do; 0: Reading says when
	Lacks  int64 // share of R that the parent does not hold: a fork reads it too
	Spares int64 // share of its turns that a fork need not make
	Thinks int64 // output of each turn that a fork has and a fresh child has not; it stays in the conversation
	Adds   int64 // tokens of a fork's first prompt beside its parent's, where forks tell; 0: Said, its own blocks and its task
	Misses int64 // share of forks that do not find all that the cache has of their parent's prompt
	Reach  int64 // share of it that such a fork reads all the same, in millionths
	Head   int64 // tokens of the parent's prompt behind whose end a breakpoint of its own stands, its tools and system prompt; 0: not known
	Spoke  bool  // the parent's answer holds more than its calls, so that one block more stands between its entry and a fork's breakpoint
	Again  int64 // tokens that a fresh child writes again, being behind misses in its course
	Forked int64 // so many that a fork does, in millionths of its parent's prompt
	Pauses int64 // turns before which a child waited longer than its cache entry lives
	Hour   bool  // the parent's entries live for an hour, and so do a fork's
	Long   bool  // a fresh child's entries do
}

// Default is a long lead and one child that must know half of what it knows.
func Default() Query {
	return Query{Model: "claude-sonnet-5-5", Prefix: 80_000, Know: 40_000, Own: DefaultOwn, Turns: 12, Siblings: 1,
		Reading: 4, Task: 200, Growth: 300, Output: 100}
}

// DefaultOwn is S where only S+R is given, as far as S+R allows.
const DefaultOwn = 8_000

// Bounds of a query.
const (
	MaxTurns    = 200 // where the stack ends a fork that has not reported
	MaxSiblings = 50
	MaxTokens   = 1_000_000
)

// Error is a value of a query that no world can be made of.
type Error struct {
	Field string // the query's field, in lower case
	What  string
}

func (e *Error) Error() string { return e.Field + ": " + e.What }

// Profile is the model's, which Check has found.
func (q *Query) Profile() *cachemodel.Profile {
	p, err := cachemodel.Lookup(q.Model)
	if err != nil {
		panic("crossover: a query was not checked: " + err.Error())
	}
	return p
}

// profileOf is that of the model that answers children of a kind.
func (q *Query) profileOf(k kind) *cachemodel.Profile {
	if k == fresh && q.Child != "" {
		other := Query{Model: q.Child}
		return other.Profile()
	}
	return q.Profile()
}

// Check says what is wrong with a query, as an *Error.
func (q *Query) Check() error {
	p, err := cachemodel.LookupBillable(q.Model)
	if err != nil {
		return &Error{"model", err.Error()}
	}
	for _, f := range [...]struct {
		name        string
		v, low, top int64
	}{
		{"prefix", q.Prefix, 1, MaxTokens}, {"know", q.Know, 1, MaxTokens}, {"own", q.Own, 1, q.Know}, {"turns", q.Turns, 1, MaxTurns},
		{"siblings", q.Siblings, 1, MaxSiblings}, {"reading", q.Reading, 1, MaxTurns}, {"task", q.Task, 1, MaxTokens},
		{"growth", q.Growth, 0, MaxTokens}, {"output", q.Output, 0, MaxTokens},
		{"stagger", int64(q.Stagger), 0, int64(vtime.Hour)},
	} {
		if f.v < f.low || f.v > f.top {
			return &Error{f.name, outside(f.name, f.v, f.low, f.top)}
		}
	}
	if q.Child != "" {
		if _, err := cachemodel.LookupBillable(q.Child); err != nil {
			return &Error{"model", err.Error()}
		}
	}
	return q.fits(p)
}

func outside(name string, v, low, top int64) string {
	switch name {
	case "stagger":
		return fmt.Sprintf("%s is outside 0s to 1h", vtime.Duration(v))
	case "own":
		return fmt.Sprintf("%d is outside 1 to %d: it is part of what a child must know", v, top)
	case "turns":
		return fmt.Sprintf("%d is outside 1 to %d: a fork ends after %d turns", v, top, top)
	}
	return fmt.Sprintf("%d is outside %d to %d", v, low, top)
}

// fits refuses prompts that the model's window does not hold.
func (q *Query) fits(p *cachemodel.Profile) error {
	window := cmp.Or(p.Window, MaxTokens)
	if longest := q.longest(q.Turns); longest > window {
		return &Error{"prefix", fmt.Sprintf("the last prompt would have some %d tokens, and %s takes %d: lower the prefix, turns or growth", longest, p.Pinned(), window)}
	}
	return nil
}

// longest is about the longest prompt of a run of so many turns; a fork's own
// blocks are taken for what they are at most, a task for each sibling and some
// hundred tokens.
func (q *Query) longest(turns int64) int64 {
	blocks := (q.Task+ownBlocksMost)*q.Siblings + boilerplateMost
	return max(q.begins()+blocks+q.missing(), q.Know) + q.Task + (q.Growth+q.Thinks)*(turns-1)
}

// Generous bounds on what a fork says that its task does not: for each tool use
// of the answer, and once.
const (
	ownBlocksMost   = 200
	boilerplateMost = 1_000
)

// most is the longest run that the model's window allows, at most MaxTurns.
func (q *Query) most() int64 {
	most := int64(MaxTurns)
	if q.Growth > 0 {
		most = min(most, (cmp.Or(q.Profile().Window, MaxTokens)-q.longest(1))/q.Growth+1)
	}
	return max(most, q.Turns)
}

// side is what one kind of children does.
type side struct {
	prefix, warm, read    int64 // tokens: in front, how many of them are cached, and what arrives
	turns, growth, output int64
	pauses                int64
	hour                  bool
}

// paused reports whether the entry expires before turn t, from 1.
func (s *side) paused(t int64) bool {
	return s.pauses > 0 && t > 1 && t <= s.turns && (t-1)*(s.pauses+1)/s.turns != (t-2)*(s.pauses+1)/s.turns
}

// begins is what stands in front of a fork's own blocks and its task; where forks tell
// what theirs are, in front of the task alone.
func (q *Query) begins() int64 {
	if q.Adds > 0 {
		return max(q.Prefix+q.Adds-q.Task, 1)
	}
	return q.Prefix + q.Said
}

// OutOfReach is how many forks of one answer put their parent's entry out of the
// look-back's reach: their calls stand between it and a fork's breakpoint, a placeholder
// for each, the directive, and what the parent says beside (CON-23).
func (q *Query) OutOfReach() int64 {
	spoke := int64(0)
	if q.Spoke {
		spoke = 1
	}
	return (cachemodel.LookBack-2-spoke)/2 + 1
}

// missing is the part of R that a fork must read.
func (q *Query) missing() int64 { return (q.Know - q.Own) * q.Lacks / 1000 }

func (q *Query) side(k kind) side {
	if k == fork {
		turns := max(q.Turns-(q.Turns*q.Spares+500)/1000, 1)
		warm := q.Prefix - q.Prefix*(rng.Millionth-q.Reach)/rng.Millionth*q.Misses/1000
		s := side{q.begins(), warm, q.missing(), turns, q.Growth + q.Thinks, q.Output + q.Thinks, q.Pauses, q.Hour}
		if q.Hour && !q.Long {
			s.pauses = 0 // they are shorter
		}
		return s
	}
	return side{q.Own, min(q.Warm, q.Own), q.Know - q.Own, q.Turns, q.Growth, q.Output, q.Pauses, q.Long}
}

// model is what answers children of a kind.
func (q *Query) model(k kind) string {
	if k == fresh {
		return cmp.Or(q.Child, q.Model)
	}
	return q.Model
}

// bill is what one child pays at a price whose every prompt is cached: what a turn
// adds is written, all before it is read. R arrives over so many turns.
func (q *Query) bill(price func(llm.Usage) cachemodel.Picodollars, k kind, reading int64) (sum cachemodel.Picodollars) {
	s := q.side(k)
	before := s.warm
	for t := range s.turns {
		prompt := s.prefix + s.arrived(q, t+1, reading) + q.Task + t*s.growth
		if s.paused(t + 1) {
			before = 0
		}
		u := llm.Usage{Read: before, Write5m: prompt - before, Output: s.output}
		if s.hour {
			u.Write5m, u.Write1h = 0, u.Write5m
		}
		sum += price(u)
		before = prompt
	}
	return sum
}

// again is what a child's misses cost beside what hits would have.
func (q *Query) again(k kind) cachemodel.Picodollars {
	if k == fork {
		return q.more(k, q.Prefix*q.Forked/rng.Millionth)
	}
	return q.more(k, q.Again)
}

// missed is what it costs a fork that forks do not find all of their parents' prompts.
func (q *Query) missed() cachemodel.Picodollars { return q.more(fork, q.Prefix-q.side(fork).warm) }

// more is what it costs more to write so many tokens than to read them.
func (q *Query) more(k kind, n int64) cachemodel.Picodollars {
	u := llm.Usage{Write5m: n}
	if q.side(k).hour {
		u = llm.Usage{Write1h: n}
	}
	rates := q.profileOf(k).Rates
	return rates.Cost(u) - rates.Cost(llm.Usage{Read: n})
}

// Pair is a figure of forks and of fresh sub-agents.
type Pair struct {
	Fork  cachemodel.Picodollars
	Fresh cachemodel.Picodollars
}

// minus is the difference, figure by figure.
func (a Pair) minus(b Pair) Pair { return Pair{a.Fork - b.Fork, a.Fresh - b.Fresh} }

// Zero reports whether neither kind pays anything.
func (a Pair) Zero() bool { return a == Pair{} }

// closed is what the law says at a model's rates that all children of the query
// cost, with the growth that both kinds have in common. It knows no dearer rates of
// long prompts.
func (q *Query) closed(p *cachemodel.Profile) Pair {
	n := cachemodel.Picodollars(q.Siblings)
	return Pair{n * q.bill(p.Rates.Cost, fork, 1), n * q.bill(p.Rates.Cost, fresh, 1)}
}
