package sim

import (
	"container/heap"
	"iter"

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

// bareBytes is about what a call of BenchmarkCall hashed when the bars were set: three
// blocks of a conversation and the text of five events.
const bareBytes = 1100

// bareLoop is the floor under a call: coroutines that wake three times a call by a heap
// (first byte, last byte, tool) and hash as many bytes. There are no agents, no cache,
// no model and no events in it. Its calls are those of all coroutines together.
type bareLoop struct {
	heap  bareHeap
	nexts []func() (int64, bool)
	stops []func()
	sum   xxh3.Uint128
}

func newBareLoop(n int) *bareLoop {
	l := &bareLoop{}
	buf := make([]byte, bareBytes)
	for i := range n {
		next, stop := iter.Pull(func(yield func(int64) bool) {
			for c := int64(1); ; c++ {
				if !yield(400+c&7) || !yield(600) || !yield(20) {
					return
				}
				buf[i%bareBytes]++
				l.sum = xxh3.Hash128(buf)
			}
		})
		l.nexts, l.stops = append(l.nexts, next), append(l.stops, stop)
		heap.Push(&l.heap, bareWake{int64(i), i})
	}
	return l
}

func (l *bareLoop) run(calls int) {
	for range calls * 3 {
		w := &l.heap[0]
		d, _ := l.nexts[w.who]()
		w.at += d
		heap.Fix(&l.heap, 0)
	}
}

func (l *bareLoop) close() {
	for _, stop := range l.stops {
		stop()
	}
}
