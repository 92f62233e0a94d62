package cachemodel_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"agentsim/cachemodel"
)

// The requests of the benchmarks have 500 blocks each, of which ten requests
// share the first 50.
const (
	benchBlocks = 500
	benchShared = 50
	benchFamily = 10
	benchBatch  = 256 // look-ups that are timed together: short beside a time slice of a busy machine
)

// benchRequest writes the ids of request r to dst.
func benchRequest(dst []uint64, r int) {
	family := uint64(r/benchFamily)<<32 | 1<<63
	own := uint64(r) << 32
	for i := range benchShared {
		dst[i] = family + uint64(i)
	}
	for i := benchShared; i < benchBlocks; i++ {
		dst[i] = own + uint64(i)
	}
}

// finder is a cache that can be filled and asked.
type finder interface {
	store(ids []uint64)
	find(ids []uint64) int
}

type touched struct{ *cachemodel.BlockCache }

func (c touched) store(ids []uint64)    { c.Touch(ids) }
func (c touched) find(ids []uint64) int { return c.Touch(ids) }

type matched struct{ *cachemodel.BlockCache }

func (c matched) store(ids []uint64)    { c.Touch(ids) }
func (c matched) find(ids []uint64) int { return c.Match(ids) }

// chainMap is vLLM's algorithm made plainly: a map from a block's hash to the
// block, asked block by block up to the first miss.
type chainMap map[uint64]int32

func (m chainMap) store(ids []uint64) {
	for _, id := range ids {
		if _, ok := m[id]; !ok {
			m[id] = int32(len(m))
		}
	}
}

func (m chainMap) find(ids []uint64) int {
	for i, id := range ids {
		if _, ok := m[id]; !ok {
			return i
		}
	}
	return len(ids)
}

// plainRadix is SGLang's algorithm made plainly: a radix tree whose elements are
// blocks, which spares it the comparison of the blocks' tokens, with a map of
// children by their first element, and a stamp on each node of the path.
type plainRadix struct {
	root  plainNode
	clock int
}

type plainNode struct {
	key  []uint64
	kids map[uint64]*plainNode
	used int
}

func (n *plainNode) common(ids []uint64) int {
	for i, id := range n.key {
		if i == len(ids) || ids[i] != id {
			return i
		}
	}
	return len(n.key)
}

func (p *plainRadix) store(ids []uint64) {
	n := &p.root
	for len(ids) > 0 {
		kid := n.kids[ids[0]]
		if kid == nil {
			if n.kids == nil {
				n.kids = map[uint64]*plainNode{}
			}
			n.kids[ids[0]] = &plainNode{key: append([]uint64(nil), ids...)}
			return
		}
		c := kid.common(ids)
		if c < len(kid.key) {
			upper := &plainNode{key: kid.key[:c:c], kids: map[uint64]*plainNode{kid.key[c]: kid}}
			kid.key = kid.key[c:]
			n.kids[ids[0]] = upper
			kid = upper
		}
		n, ids = kid, ids[c:]
	}
}

func (p *plainRadix) find(ids []uint64) (hits int) {
	p.clock++
	for n := &p.root; len(ids) > 0; {
		kid := n.kids[ids[0]]
		if kid == nil {
			return hits
		}
		kid.used = p.clock
		c := kid.common(ids)
		hits += c
		if c < len(kid.key) {
			return hits
		}
		n, ids = kid, ids[c:]
	}
	return hits
}

// bare is no cache: the ids of all requests one behind the other, and the place
// of each known. Its find reads no more memory than any look-up must that
// compares every id, so what it loses with more blocks is the machine's.
type bare []uint64

func (m *bare) store(ids []uint64) { *m = append(*m, ids...) }

func (m *bare) find(ids []uint64) int {
	place := (*m)[int(ids[benchShared]>>32)*benchBlocks:][:benchBlocks]
	for i, id := range ids {
		if place[i] != id {
			return i
		}
	}
	return len(ids)
}

// BenchmarkLookup is the look-up of a request of 500 cached blocks, another one
// each time, among so many cached blocks. ours/use also renews the blocks'
// places in the order of use; the others only find. median-ns/op is the median of
// short batches, which other programs on the machine disturb less than the mean.
func BenchmarkLookup(b *testing.B) {
	for _, k := range []struct {
		name string
		make func() finder
	}{
		{"ours/find", func() finder { return matched{cachemodel.NewBlockCache(cachemodel.Unbounded)} }},
		{"ours/use", func() finder { return touched{cachemodel.NewBlockCache(cachemodel.Unbounded)} }},
		{"bare", func() finder { return &bare{} }},
		{"block-chain", func() finder { return chainMap{} }},
		{"radix-tree", func() finder { return &plainRadix{} }},
	} {
		for cached := 1_000; cached <= 10_000_000; cached *= 10 {
			b.Run(fmt.Sprintf("%s/cached=%d", k.name, cached), func(b *testing.B) { benchLookup(b, k.make(), cached) })
		}
	}
}

func benchLookup(b *testing.B, c finder, cached int) {
	ids := make([]uint64, benchBlocks)
	requests := max(1, cached/(benchBlocks-benchShared+benchShared/benchFamily))
	for r := range requests {
		benchRequest(ids, r)
		c.store(ids)
	}
	draw := uint64(1)
	var batches []time.Duration
	b.ReportAllocs()
	b.ResetTimer() // b.Loop would fill anew
	for done := 0; done < b.N; done += benchBatch {
		start := time.Now()
		for range benchBatch {
			draw = draw*6364136223846793005 + 1442695040888963407
			benchRequest(ids, int((draw>>33)%uint64(requests)))
			if c.find(ids) != benchBlocks {
				b.Fatal("a cached request was not found")
			}
		}
		batches = append(batches, time.Since(start))
	}
	slices.Sort(batches)
	b.ReportMetric(float64(batches[len(batches)/2].Nanoseconds())/benchBatch, "median-ns/op")
}
