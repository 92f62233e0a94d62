package sqlite

import (
	"errors"
	"strconv"
	"strings"

	"agentsim/sim/rng"
)

// Level is how much of a run is recorded. It is no part of the run's identity:
// the same run has one digest at every level, and one row of exact totals.
type Level string

// The levels; Sampled makes the fourth, and Packed is Full.
const (
	Full   Level = "full"   // every event, every payload
	Calls  Level = "calls"  // every event and every call's usage; no content, save the run's own files
	Totals Level = "totals" // the run, its agents' end figures and its metrics
)

// sampled is what the text of a level of samples begins with.
const sampled = "sampled:"

// Sampled is the level that keeps about one of n session trees in full, and
// totals of the others. A session tree is a root agent and all below it. n is at
// least 1.
func Sampled(n uint64) Level { return Level(sampled + strconv.FormatUint(n, 10)) }

// ParseLevel reads full, packed, calls, sampled:N or totals; the error says what to
// write.
func ParseLevel(s string) (Level, error) {
	switch l := Level(s); l {
	case Full, Packed, Calls, Totals:
		return l, nil
	}
	if _, some := strings.CutPrefix(s, sampled); some {
		if n := Level(s).every(); n > 0 && Sampled(n) == Level(s) {
			return Level(s), nil
		}
		return "", errors.New("write sampled:N with a whole number N from 1 on, such as sampled:100 for one session tree of a hundred")
	}
	return "", errors.New("write one of full, packed, calls, sampled:N, totals")
}

// every is the N of sampled:N, 0 of any other level.
func (l Level) every() uint64 {
	text, some := strings.CutPrefix(string(l), sampled)
	n, err := strconv.ParseUint(text, 10, 64)
	if !some || err != nil {
		return 0
	}
	return n
}

// covers reports whether a record of level l holds all that one of level o does.
func (l Level) covers(o Level) bool {
	n, m := l.every(), o.every()
	return l == Full || l == o || o == Totals || n > 0 && m%n == 0 && m > 0
}

// Keeps reports whether a record of level l keeps the single calls and events of
// an agent, given the run's seed and the agent's lineage. Of samples it keeps
// those trees whose root's lineage, hashed with the seed, is a multiple of N: the
// same ones in every variant of a scenario, others under another seed.
func (l Level) Keeps(seed uint64, lineage string) bool {
	if l == Totals {
		return false
	}
	n := l.every()
	root, _, _ := strings.Cut(lineage, "/")
	return n == 0 || rng.Root(seed).Sub("record").Sub(root).Uint64()%n == 0
}

// Content reports whether what is kept is kept with its blocks.
func (l Level) Content() bool { return l == Full || l.every() > 0 }

// Whole reports whether every event is kept: the digest can be taken of the
// record itself.
func (l Level) Whole() bool { return l == Full || l == Calls }
