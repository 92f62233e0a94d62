package cachemodel_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
)

// slowLRU is the same cache, looked through as a list: the oldest block first.
type slowLRU struct {
	capacity int
	order    []uint64
}

func (s *slowLRU) touch(ids []uint64) (hits int) {
	for _, id := range ids {
		if i := slices.Index(s.order, id); i >= 0 {
			s.order = slices.Delete(s.order, i, i+1)
			hits++
		} else if s.capacity > 0 && len(s.order) == s.capacity {
			s.order = s.order[1:]
		}
		s.order = append(s.order, id)
	}
	return hits
}

// requests draws requests that share beginnings, as ids of blocks.
func requests(t *rapid.T) [][]uint64 {
	var out [][]uint64
	next := uint64(1)
	for range rapid.IntRange(1, 40).Draw(t, "requests") {
		var ids []uint64
		if len(out) > 0 && rapid.IntRange(0, 3).Draw(t, "from another") > 0 {
			from := out[rapid.IntRange(0, len(out)-1).Draw(t, "which")]
			ids = slices.Clone(from[:rapid.IntRange(0, len(from)).Draw(t, "shared")])
		}
		for range rapid.IntRange(0, 6).Draw(t, "new") {
			ids = append(ids, next*64) // the same low bits
			next++
		}
		if rapid.IntRange(0, 9).Draw(t, "odd") == 0 && len(ids) > 0 { // a block twice
			ids = append(ids, ids[rapid.IntRange(0, len(ids)-1).Draw(t, "again")])
		}
		out = append(out, ids)
	}
	return out
}

func TestBlockCache(t *testing.T) {
	t.Run("CACHE-V1 the block cache finds and forgets what a list of all blocks does", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			capacity := rapid.SampledFrom([]int{0, 1, 2, 3, 7, 20}).Draw(t, "capacity")
			fast, slow := cachemodel.NewBlockCache(capacity), &slowLRU{capacity: capacity}
			for i, ids := range requests(t) {
				if got, want := fast.Touch(ids), slow.touch(ids); got != want {
					t.Fatalf("request %d hits %d blocks, want %d", i, got, want)
				}
				if fast.Len() != len(slow.order) {
					t.Fatalf("after request %d: %d blocks are cached, want %d", i, fast.Len(), len(slow.order))
				}
			}
		})
	})
	t.Run("CACHE-V1 a look-up in a full cache allocates nothing, hit or miss", func(t *testing.T) {
		c := cachemodel.NewBlockCache(1000)
		ids, next := make([]uint64, 500), uint64(0)
		fill := func() {
			for i := range ids {
				next++
				ids[i] = next
			}
		}
		for range 10 {
			fill()
			c.Touch(ids)
		}
		if n := testing.AllocsPerRun(100, func() { fill(); c.Touch(ids); c.Touch(ids) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
	t.Run("CACHE-V1 a last block that is not full takes a place, and is neither asked for nor found", func(t *testing.T) {
		e := cachemodel.ServeLRU{Cache: cachemodel.NewBlockCache(3)}
		r := cachemodel.BlockRequest{IDs: []uint64{1, 2, 3}, Full: 2, Tokens: 5}
		if first, again := e.Serve(&r), e.Serve(&r); first != 0 || again != 2 || e.Cache.Len() != 3 {
			t.Errorf("%d and %d hits, %d blocks", first, again, e.Cache.Len())
		}
	})
	t.Run("CACHE-V1 a capacity below 0 is a programmer's error", func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		cachemodel.NewBlockCache(-1)
	})
}
