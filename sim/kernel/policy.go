package kernel

import (
	"fmt"
	"strings"

	"agentsim/sim/rng"
)

// Policy decides which of several processes that are ready at one instant runs
// first. It is part of a run's identity.
type Policy interface {
	// Name is the text that selects the policy: "fifo", "random", "pct:3:1000".
	Name() string
	// Choose returns a number from 0 to n-1. It is asked only when n > 1; number 0
	// has been ready longest.
	Choose(n int, ready func(i int) *Proc) int
	// Choices are the numbers chosen so far, in order; nil when the name alone
	// implies them.
	Choices() []int32
}

// FIFO runs processes in the order in which they became ready.
func FIFO() Policy { return fifo{} }

// Random draws from the processes that are ready, choice number i from key.At(i).
func Random(key rng.Key) Policy { return &random{key: key} }

// PolicyNamed returns the policy that a text selects; key seeds those that draw.
//
//	fifo                who has been ready longest
//	random              drawn at every choice
//	pct:D[:K]           priorities, of which D-1 fall within the first K choices
//	replay:2,0*15,1     a list of choices; 0*15 stands for fifteen zeros
//
// The error says what to write.
func PolicyNamed(text string, key rng.Key) (Policy, error) {
	switch name, rest, _ := strings.Cut(text, ":"); {
	case text == "fifo":
		return FIFO(), nil
	case text == "random":
		return Random(key), nil
	case name == "pct":
		return parsePCT(text, rest, key)
	case name == "replay":
		choices, err := ParseChoices(rest)
		if err != nil {
			return nil, fmt.Errorf("scheduling policy replay: %w", err)
		}
		return Replay(choices), nil
	}
	return nil, fmt.Errorf("scheduling policy %q is unknown: write one of %s", text, Policies)
}

// Policies says which scheduling policies there are, for messages.
const Policies = "fifo, random, pct:DEPTH, pct:DEPTH:CHOICES or replay:LIST"

type fifo struct{}

func (fifo) Name() string                            { return "fifo" }
func (fifo) Choose(int, func(int) *Proc) (first int) { return 0 }
func (fifo) Choices() []int32                        { return nil }

type random struct {
	key     rng.Key
	choices []int32
}

func (r *random) Name() string { return "random" }

func (r *random) Choose(n int, _ func(int) *Proc) int {
	i := r.key.At(uint64(len(r.choices))).Between(0, int64(n-1))
	r.choices = append(r.choices, int32(i))
	return int(i)
}

func (r *random) Choices() []int32 { return r.choices }
