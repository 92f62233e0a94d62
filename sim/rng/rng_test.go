package rng

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawing is one named draw of a run: who draws what, for which attempt.
type drawing struct {
	Agent, What string
	Attempt     uint64
}

func drawings() *rapid.Generator[drawing] {
	return rapid.Custom(func(t *rapid.T) drawing {
		return drawing{
			Agent:   fmt.Sprintf("main/%d.%d", rapid.IntRange(0, 20).Draw(t, "call"), rapid.IntRange(0, 5).Draw(t, "use")),
			What:    rapid.SampledFrom([]string{"latency", "jitter", "output", "id"}).Draw(t, "what"),
			Attempt: rapid.Uint64Range(0, 5).Draw(t, "attempt"),
		}
	})
}

// drawAll makes the draws in the order given and returns each one's value.
func drawAll(seed uint64, ds []drawing) map[drawing]int64 {
	out := map[drawing]int64{}
	for _, d := range ds {
		out[d] = Root(seed).Sub(d.Agent).Sub(d.What).At(d.Attempt).Between(0, 1_000_000)
	}
	return out
}

func TestConformance(t *testing.T) {
	t.Run("KRN-04 added draws, in any order and number, move no other stream", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			seed := rapid.Uint64().Draw(t, "seed")
			base := rapid.SliceOfN(drawings(), 1, 30).Draw(t, "base")
			added := rapid.SliceOf(drawings()).Draw(t, "added")
			mixed := rapid.Permutation(slices.Concat(base, added, base)).Draw(t, "order")
			want, got := drawAll(seed, base), drawAll(seed, mixed)
			for d, v := range want {
				if got[d] != v {
					t.Fatalf("seed %d: %+v drew %d, and %d beside %d other draws", seed, d, v, got[d], len(mixed))
				}
			}
		})
	})
	t.Run("KRN-04 distinct names are distinct streams", distinctNames)
	t.Run("KRN-04 a stream's numbers are the same on every platform and in every release", pinned)
	t.Run("KRN-04 a draw from a range stays in it, reaches both ends and favours none", rangesAreFair)
	t.Run("KRN-04 Perm gives each number once, the same for the same key", permutes)
}

// distinctNames compares paths that a careless hash would confuse.
func distinctNames(t *testing.T) {
	r := Root(1)
	paths := map[string]Key{
		"root": r, "empty": r.Sub(""), "a": r.Sub("a"), "a/b": r.Sub("a").Sub("b"), "b/a": r.Sub("b").Sub("a"),
		"ab": r.Sub("ab"), "ba": r.Sub("ba"), "a0": r.Sub("a\x00"), "12345678": r.Sub("12345678"),
		"12345678+": r.Sub("12345678").Sub(""), "123456789": r.Sub("123456789"), "8+9": r.Sub("12345678").Sub("9"),
		"at 0": r.At(0), "at 1": r.At(1), "at 0 0": r.At(0).At(0), "at 0 1": r.At(0).At(1), "at 1 0": r.At(1).At(0),
		"sub 1": r.Sub("1"), "seed 0": Root(0), "seed 2": Root(2), "zero": {},
	}
	names := slices.Sorted(maps.Keys(paths))
	seen := map[uint64]string{}
	for _, name := range names {
		x := paths[name].Uint64()
		if other, ok := seen[x]; ok {
			t.Errorf("%s and %s draw the same number %x", name, other, x)
		}
		seen[x] = name
	}
	rapid.Check(t, func(t *rapid.T) {
		ks := rapid.SliceOfNDistinct(drawings(), 2, 50, rapid.ID[drawing]).Draw(t, "names")
		seen := map[[2]uint64]drawing{}
		for _, d := range ks {
			hi, lo := r.Sub(d.Agent).Sub(d.What).At(d.Attempt).Bytes128()
			if other, ok := seen[[2]uint64{hi, lo}]; ok {
				t.Fatalf("%+v and %+v are one stream", d, other)
			}
			seen[[2]uint64{hi, lo}] = d
		}
	})
}

func rangesAreFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64().Draw(t, "a")
		b := rapid.Int64().Draw(t, "b")
		lo, hi := min(a, b), max(a, b)
		if x := Root(rapid.Uint64().Draw(t, "seed")).Between(lo, hi); x < lo || x > hi {
			t.Fatalf("%d is not between %d and %d", x, lo, hi)
		}
	})
	var seen [6]int
	for i := range uint64(6000) {
		seen[Root(9).At(i).Between(-2, 3)+2]++
	}
	for i, n := range seen {
		if n < 850 || n > 1150 {
			t.Errorf("%d came %d times of 6000, want about 1000", i-2, n)
		}
	}
	if x := Root(3).Between(7, 7); x != 7 {
		t.Errorf("a range of one gives %d", x)
	}
	if Root(3).Between(math.MinInt64, math.MaxInt64) != int64(Root(3).Uint64()) {
		t.Error("the whole range is not the key's own draw")
	}
	defer func() {
		if recover() == nil {
			t.Error("an empty range did not panic")
		}
	}()
	Root(3).Between(1, 0)
}

func permutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Root(rapid.Uint64().Draw(t, "seed"))
		p := make([]int, rapid.IntRange(0, 50).Draw(t, "n"))
		q := make([]int, len(p))
		k.Perm(p)
		k.Perm(q)
		if !slices.Equal(p, q) {
			t.Fatalf("one key gave %v and %v", p, q)
		}
		slices.Sort(q)
		for i, x := range q {
			if i != x {
				t.Fatalf("%v is no permutation", p)
			}
		}
	})
	firsts := map[int]int{}
	p := make([]int, 4)
	for seed := range uint64(400) {
		Root(seed).Perm(p)
		firsts[p[0]]++
	}
	for i := range 4 {
		if firsts[i] < 60 || firsts[i] > 140 {
			t.Errorf("%d came first %d times of 400, want about 100", i, firsts[i])
		}
	}
}

func pinned(t *testing.T) {
	for _, c := range []struct {
		name string
		got  uint64
		want uint64
	}{
		{"root", Root(42).Uint64(), 0x66aa231bb380d804},
		{"sub", Root(42).Sub("latency").Uint64(), 0x14654eb0ac99f0dd},
		{"long sub", Root(42).Sub("item/fix-auth/step/2/output").Uint64(), 0x531330e37c221aa3},
		{"at", Root(42).Sub("call").At(7).Uint64(), 0x65cee7f5e851523e},
		{"between", uint64(Root(42).Between(0, 999_999)), 0xacc8f},
	} {
		if c.got != c.want {
			t.Errorf("%s draws %#x, want %#x: a change here changes every run ever recorded", c.name, c.got, c.want)
		}
	}
}
