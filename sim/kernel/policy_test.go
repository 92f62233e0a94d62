package kernel

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim/rng"

	"pgregory.net/rapid"
)

func TestPolicies(t *testing.T) {
	t.Run("KRN-10 pct finds a planted order that random finds rarely, at least as often as its bound says", plantedRaces)
	t.Run("KRN-10 pct runs the highest priority, which falls at its points alone", pctFalls)
	t.Run("KRN-10 each choice of pct is the one that its definition asks for: own priorities for processes of one name, falls at their points, the first drawn deepest", rapid.MakeCheck(pctLaw))
	t.Run("KRN-10 a run's choices, replayed, make the same run under any policy", replayLaw)
	t.Run("KRN-10 a list of choices is written as it is read, and a wrong part is named", choiceLists)
	t.Run("KRN-10 a policy is its name and its key, and a wrong name says what to write", policyNames)
}

// late is a fault of depth 1: one process's eight steps all come before the only
// step of another one.
func late(p Policy) (found bool) {
	k := New(Options{Policy: p})
	defer k.Close()
	ready := false
	k.Spawn("slow", func(p *Proc) error {
		for range 8 {
			if err := p.Sleep(0); err != nil {
				return err
			}
		}
		ready = true
		return nil
	})
	k.Spawn("quick", func(p *Proc) error {
		found = ready
		return nil
	})
	if err := k.Run(); err != nil {
		panic(err)
	}
	return found
}

// torn is a fault of depth 2: of two processes of twelve steps, the reader runs as
// a whole between two certain neighbouring steps of the writer.
func torn(p Policy) (found bool) {
	k := New(Options{Policy: p})
	defer k.Close()
	steps := 0
	k.Spawn("writer", func(p *Proc) error {
		for range 12 {
			steps++
			if err := p.Sleep(0); err != nil {
				return err
			}
		}
		return nil
	})
	k.Spawn("reader", func(p *Proc) error {
		from := steps
		for range 12 {
			if err := p.Sleep(0); err != nil {
				return err
			}
		}
		found = from == 6 && steps == 6
		return nil
	})
	if err := k.Run(); err != nil {
		panic(err)
	}
	return found
}

// seeds is how many schedules each policy gets.
const seeds = 4000

func hits(fault func(Policy) bool, policy func(rng.Key) Policy) (n int) {
	for s := range uint64(seeds) {
		if fault(policy(rng.Root(s))) {
			n++
		}
	}
	return n
}

func plantedRaces(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  func(Policy) bool
		depth  int
		steps  int64
		procs  int64
		random int // at most so many of the seeds
	}{
		{"late", late, 1, 10, 2, 40},
		{"torn", torn, 2, 26, 2, 4},
	} {
		random := hits(c.fault, Random)
		pct := hits(c.fault, func(k rng.Key) Policy { return PCT(c.depth, c.steps, k) })
		bound := int64(seeds) / c.procs
		for range c.depth - 1 {
			bound /= c.steps
		}
		t.Logf("%s: random %d, pct:%d:%d %d of %d schedules; the bound is %d", c.name, random, c.depth, c.steps, pct, seeds, bound)
		if random > c.random || c.depth == 1 && random == 0 || int64(pct) < bound*9/10 {
			t.Errorf("%s: random found it %d times, pct %d times, of %d; the bound is %d", c.name, random, pct, seeds, bound)
		}
	}
}

// pctFalls looks at the order of four processes of many steps: under depth 1 they
// run one after the other, under depth d they are interrupted d-1 times at most.
func pctFalls(t *testing.T) {
	for depth := 1; depth <= 5; depth++ {
		seen := map[int]int{}
		for s := range uint64(300) {
			breaks := interruptions(PCT(depth, 40, rng.Root(s)))
			if breaks > depth-1 {
				t.Fatalf("depth %d, seed %d: %d interruptions", depth, s, breaks)
			}
			seen[breaks]++
		}
		if seen[depth-1] == 0 {
			t.Errorf("depth %d: never %d interruptions: %v", depth, depth-1, seen)
		}
	}
}

// pctLaw holds the choices against the definition, written out: priorities and
// points are drawn beforehand, and all processes are always ready.
func pctLaw(t *rapid.T) {
	depth, bound := rapid.IntRange(1, 6).Draw(t, "depth"), rapid.Int64Range(1, 8).Draw(t, "choices")
	key := rng.Root(rapid.Uint64().Draw(t, "seed"))
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"worker", "main"}), 1, 5).Draw(t, "names")
	var procs []*Proc
	var priorities []uint64
	of := map[string]uint64{}
	for i, name := range names {
		procs = append(procs, &Proc{id: int32(i + 1), name: name})
		priorities = append(priorities, 1<<63|key.Sub("priority").Sub(name).At(of[name]).Uint64())
		of[name]++
	}
	highest := func() int { return slices.Index(priorities, slices.Max(priorities)) }
	policy := PCT(depth, bound, key)
	for step := range bound + 2 {
		for point := range uint64(depth - 1) {
			if key.Sub("fall").At(point).Between(0, bound-1) == step {
				priorities[highest()] = point + 1
			}
		}
		want := highest()
		if got := policy.Choose(len(procs), func(i int) *Proc { return procs[i] }); got != want {
			t.Fatalf("choice %d is process %d, want %d", step, got, want)
		}
	}
}

// interruptions counts how often a process goes on after another one ran, which it
// had begun before.
func interruptions(p Policy) (n int) {
	k := New(Options{Policy: p})
	defer k.Close()
	var order []string
	for _, name := range []string{"a", "b", "c", "d"} {
		k.Spawn(name, func(p *Proc) error {
			for range 10 {
				order = append(order, name)
				if err := p.Sleep(0); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := k.Run(); err != nil {
		panic(err)
	}
	begun := map[string]bool{}
	last := ""
	for _, name := range order {
		if name != last && begun[name] {
			n++
		}
		begun[name], last = true, name
	}
	return n
}

func replayLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rng.Root(rapid.Uint64().Draw(t, "seed"))
		name := rapid.SampledFrom([]string{"random", "pct:1", "pct:4:20", "replay:1,0*3,2"}).Draw(t, "policy")
		run := func(p Policy) (order []string) {
			k := New(Options{Policy: p})
			defer k.Close()
			for _, name := range []string{"a", "b", "c"} {
				k.Spawn(name, func(p *Proc) error {
					for range 5 {
						order = append(order, name)
						if err := p.Sleep(0); err != nil {
							return err
						}
					}
					return nil
				})
			}
			if err := k.Run(); err != nil {
				t.Fatal(err)
			}
			return order
		}
		first, err := PolicyNamed(name, key)
		if err != nil {
			t.Fatal(err)
		}
		want := run(first)
		again := Replay(first.Choices())
		if got := run(again); !slices.Equal(got, want) || !slices.Equal(again.Choices(), first.Choices()) {
			t.Fatalf("%s: %v became %v", name, want, got)
		}
		// Behind the end of a list, and where it cannot be followed, the first runs.
		if got := run(Replay([]int32{-1, 7})); !slices.Equal(got, run(FIFO())) {
			t.Fatalf("a list that cannot be followed made %v", got)
		}
	})
}

func choiceLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.Int32Range(0, 3)).Draw(t, "list")
		got, err := ParseChoices(ChoicesText(list))
		if err != nil || !slices.Equal(got, list) {
			t.Fatalf("%v became %v, %v by way of %s", list, got, err, ChoicesText(list))
		}
	})
	if got := ChoicesText([]int32{2, 0, 0, 0, 1, 1}); got != "2,0*3,1*2" {
		t.Error(got)
	}
	for text, says := range map[string]string{"1,x": `part 2 of the list, "x"`, "1,": `part 2 of the list, ""`, "-1": `part 1`, "0*0": `"0*0"`,
		"0*99999999999": "more than", "0*99999999999999999999": "part 1"} {
		if _, err := ParseChoices(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func policyNames(t *testing.T) {
	for _, name := range []string{"fifo", "random", "pct:1", "pct:3", "pct:3:200", "pct:64:1099511627776", "replay:", "replay:0*3,1"} {
		p, err := PolicyNamed(name, rng.Root(1))
		if err != nil || p.Name() != name {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	for _, name := range []string{"", "pct", "pct:", "pct:0", "pct:65", "pct:3:", "pct:3:0", "pct:3:x", "pct:3:4:5", "fifo:1", "random:2", "replay:x", "lifo"} {
		if _, err := PolicyNamed(name, rng.Root(1)); err == nil || !strings.Contains(err.Error(), "scheduling policy") {
			t.Errorf("%q: %v", name, err)
		}
	}
	order := func(seed uint64) []int32 {
		p := PCT(3, 26, rng.Root(seed))
		torn(p)
		return p.Choices()
	}
	if !slices.Equal(order(5), order(5)) {
		t.Error("one key, two schedules")
	}
	if slices.Equal(order(1), order(2)) && slices.Equal(order(2), order(3)) && slices.Equal(order(3), order(4)) {
		t.Error("the key makes no difference")
	}
}
