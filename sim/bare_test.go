package sim

import (
	"container/heap"
	"fmt"
	"iter"
	"testing"

	"github.com/zeebo/xxh3"
)

// bareHeap orders wake-ups by time.
type bareHeap []bareWake

type bareWake struct {
	at  int64
	who int
}

func (h bareHeap) Len() int           { return len(h) }
func (h bareHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h bareHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *bareHeap) Push(x any)        { *h = append(*h, x.(bareWake)) }
func (h *bareHeap) Pop() any {
	old := *h
	w := old[len(old)-1]
	*h = old[:len(old)-1]
	return w
}

// bareBytes is about what a call of BenchmarkCall hashes: three blocks of a
// conversation and the text of five events.
const bareBytes = 1100

// BenchmarkBareCall is the floor under BenchmarkCall: coroutines that wake three
// times a call by a heap (first byte, last byte, tool) and hash as many bytes.
// There are no agents, no cache, no model and no events in it.
func BenchmarkBareCall(b *testing.B) {
	for _, n := range []int{4, 90, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("alive=%d", n), func(b *testing.B) {
			buf, sum := make([]byte, bareBytes), xxh3.Uint128{}
			nexts := make([]func() (int64, bool), n)
			var h bareHeap
			for i := range n {
				next, stop := iter.Pull(func(yield func(int64) bool) {
					for c := int64(1); ; c++ {
						if !yield(400+c&7) || !yield(600) || !yield(20) {
							return
						}
						buf[i%bareBytes]++
						sum = xxh3.Hash128(buf)
					}
				})
				defer stop()
				nexts[i] = next
				heap.Push(&h, bareWake{int64(i), i})
			}
			b.ResetTimer()
			for range b.N * 3 {
				w := &h[0]
				d, _ := nexts[w.who]()
				w.at += d
				heap.Fix(&h, 0)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/call")
			_ = sum
		})
	}
}
