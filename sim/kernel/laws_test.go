package kernel

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	gocmp "github.com/google/go-cmp/cmp"

	"agentsim/sim/vtime"
)

// population is a random set of programs; the first starters are spawned at 0.
type population struct {
	programs []string
	starters int
	policy   string
	seed     uint64
}

func drawPopulation(t *rapid.T) population {
	pop := population{
		starters: rapid.IntRange(1, 5).Draw(t, "starters"),
		policy:   rapid.SampledFrom([]string{"fifo", "random"}).Draw(t, "policy"),
		seed:     rapid.Uint64Range(0, 1000).Draw(t, "seed"),
	}
	for i := range pop.starters + 3 {
		pop.programs = append(pop.programs, drawProgram(t, pop.starters, i))
	}
	return pop
}

// drawProgram writes program number i. Programs spawn only those after
// them, so every population is finite.
func drawProgram(t *rapid.T, starters, i int) string {
	var b strings.Builder
	pick := func(what string, n int) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	for j := range rapid.IntRange(0, 8).Draw(t, "lines") {
		d := pick("d", 5)
		s := pick("name", 3)
		q := pick("proc", starters+3)
		switch pick("op", 12) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "try sleep %dns\n", d)
		case 3:
			fmt.Fprintf(&b, "try wait s%d %dns\n", s, d)
		case 4:
			fmt.Fprintf(&b, "fire s%d\n", s)
		case 5:
			fmt.Fprintf(&b, "send m%d v%d.%d\n", s, i, j)
		case 6:
			fmt.Fprintf(&b, "try recv m%d\n", s)
		case 7:
			fmt.Fprintf(&b, "abort p%d by-p%d\n", q, i)
		case 8:
			fmt.Fprintf(&b, "at %dns c%d.%d %s\n", d, i, j, []string{"say x", "fire s0", "send m1 c", "abort p1 timer"}[pick("callback", 4)])
		case 9:
			fmt.Fprintf(&b, "shield %dns\n try sleep %dns\n try recv m%d\nend\n", 2*d, pick("d", 5), s)
		case 10:
			fmt.Fprintf(&b, "cancel c%d.%d\n", pick("proc", i+1), pick("line", 8))
		case 11:
			if next := max(i, starters-1) + 1; next < starters+3 {
				fmt.Fprintf(&b, "spawn p%d\ntry join p%d\n", next, q)
			}
		}
	}
	return b.String()
}

// result is what a run of a population came to.
type result struct {
	Trace   []note
	Outcome string
	End     vtime.Instant
	Choices []int32
}

func (pop population) run(scale vtime.Duration, extra string) result {
	w := newWorldNamed(pop.policy, pop.seed, Limits{})
	w.scale = scale
	for i, text := range pop.programs {
		w.define(fmt.Sprintf("p%d", i), text)
	}
	for i := range pop.starters {
		if extra != "" && i == pop.starters/2 {
			w.define("idle", extra)
			w.spawn("idle")
		}
		w.spawn(fmt.Sprintf("p%d", i))
	}
	err := w.k.Run()
	r := result{Outcome: fmt.Sprintf("%T", err), End: w.k.Now(), Choices: w.k.policy.Choices()}
	r.Trace = slices.Clone(w.trace)
	w.k.Close()
	return r
}

var plain = cmpopts.EquateComparable(note{})

func TestLaws(t *testing.T) {
	t.Run("KRN-01 KRN-03 equal programs, policy and seed give an equal trace, on any number of processors", func(t *testing.T) {
		before := runtime.GOMAXPROCS(0)
		defer runtime.GOMAXPROCS(before)
		rapid.Check(t, func(t *rapid.T) {
			pop := drawPopulation(t)
			runtime.GOMAXPROCS(1)
			one := pop.run(1, "")
			runtime.GOMAXPROCS(4)
			two := pop.run(1, "")
			if d := gocmp.Diff(one, two, plain); d != "" {
				t.Fatalf("two runs differ (-first +second):\n%s", d)
			}
		})
	})
	t.Run("KRN-09 durations times k give every timestamp times k and nothing else changed", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			pop := drawPopulation(t)
			k := rapid.Int64Range(2, 1_000_000).Draw(t, "k")
			want, got := pop.run(1, ""), pop.run(vtime.Duration(k), "")
			for i := range want.Trace {
				want.Trace[i].at *= vtime.Instant(k)
			}
			want.End *= vtime.Instant(k)
			if d := gocmp.Diff(want, got, plain); d != "" {
				t.Fatalf("scaled by %d (-want +got):\n%s", k, d)
			}
		})
	})
	t.Run("KRN-04 CON-19 an idle process changes nothing for the others, though it forbids every shortcut of the clock", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			pop := drawPopulation(t)
			pop.policy = "fifo"
			want := pop.run(1, "")
			got := pop.run(1, "loop 200\nsleep 1ns\nend")
			if d := gocmp.Diff(processNotes(want.Trace), processNotes(got.Trace), plain); d != "" {
				t.Fatalf("an idle process moved the others (-without +with):\n%s", d)
			}
			if want.Outcome != got.Outcome {
				t.Fatalf("outcome %s became %s", want.Outcome, got.Outcome)
			}
		})
	})
	t.Run("CON-08 a callback runs before every process of its instant, and one asked for that instant before the next process", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			checkPhases(t, drawPopulation(t).run(1, "").Trace)
		})
	})
}

// processNotes leaves out callbacks, which may go on while an idle process lives.
func processNotes(trace []note) (out []note) {
	for _, n := range trace {
		if n.who != "idle" && n.who[0] != '@' {
			out = append(out, n)
		}
	}
	return out
}

// ask is who asked for a callback, and which note says so.
type ask struct {
	note
	index int
}

// checkPhases fails when a callback follows a process of its own instant, unless
// that is the process that asked for it at that very instant.
func checkPhases(t *rapid.T, trace []note) {
	asked := map[string]ask{}
	for i, n := range trace {
		if name, ok := strings.CutPrefix(n.text, "at "); ok {
			asked[name] = ask{n, i}
		}
		if n.who[0] != '@' {
			continue
		}
		a := asked[n.who[1:]]
		for j := i - 1; j > a.index && trace[j].at == n.at; j-- {
			if m := trace[j]; m.who[0] != '@' && (m.who != a.who || a.at < n.at) {
				t.Fatalf("callback %s, asked for at %s by %s, ran after %q\n%v", n.who, a.at, a.who, m, trace)
			}
		}
	}
}

type nothing struct{}

func (nothing) Fire(vtime.Instant) {}

func TestStructures(t *testing.T) {
	t.Run("CON-08 CON-19 the heap yields (instant, phase, sequence) in order whatever was removed", func(t *testing.T) {
		rapid.Check(t, checkHeap)
	})
	t.Run("KRN-03 the ready set keeps the order of arrival whatever is taken", func(t *testing.T) {
		rapid.Check(t, checkReady)
	})
}

// checkHeap compares the heap with a sorted list.
func checkHeap(t *rapid.T) {
	var h timers
	var model []entry
	for range rapid.IntRange(0, 200).Draw(t, "ops") {
		if len(model) > 0 && rapid.IntRange(0, 2).Draw(t, "op") == 0 {
			i := rapid.IntRange(0, len(model)-1).Draw(t, "victim")
			h.remove(model[i].slot())
			model = slices.Delete(model, i, i+1)
			continue
		}
		at := vtime.Instant(rapid.IntRange(0, 9).Draw(t, "at"))
		phase := uint8(rapid.IntRange(0, 1).Draw(t, "phase"))
		s := h.push(at, phase, nothing{})
		model = append(model, entry{at: at, key: uint64(phase)<<63 | h.seq<<slotBits | uint64(s)})
	}
	slices.SortFunc(model, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.phase(), b.phase()), cmp.Compare(a.key, b.key))
	})
	for i, want := range model {
		if h.first() != want {
			t.Fatalf("entry %d of %d is %+v, want %+v", i, len(model), h.first(), want)
		}
		h.pop()
	}
	if h.len() != 0 {
		t.Fatalf("%d entries left over", h.len())
	}
}

// checkReady compares the ready set with a plain slice.
func checkReady(t *rapid.T) {
	var r readySet
	var model []*Proc
	for range rapid.IntRange(0, 200).Draw(t, "ops") {
		if len(model) > 0 && rapid.Bool().Draw(t, "take") {
			i := rapid.IntRange(0, len(model)-1).Draw(t, "i")
			if got := r.take(i); got != model[i] {
				t.Fatalf("number %d is process %d, want %d", i, got.id, model[i].id)
			}
			model = slices.Delete(model, i, i+1)
			continue
		}
		p := &Proc{id: int32(len(model))}
		r.push(p)
		model = append(model, p)
	}
	if r.len() != len(model) {
		t.Fatalf("%d processes, want %d", r.len(), len(model))
	}
	for i, want := range model {
		if r.at(i) != want {
			t.Fatalf("number %d differs", i)
		}
	}
}
