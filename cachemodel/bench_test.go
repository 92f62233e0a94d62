package cachemodel

import (
	"fmt"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// BenchmarkCall is one Admit, Begin and End of an append-only conversation, and
// the two nodes that its turn appends, while so many other entries are alive.
func BenchmarkCall(b *testing.B) {
	for _, alive := range []int{1e3, 1e4, 1e5, 1e6} {
		b.Run(fmt.Sprintf("alive=%d", alive), func(b *testing.B) {
			e := NewAnthropic(DefaultAnthropicOptions())
			var builder llm.Builder
			fill(e, &builder, alive)
			th := newThread(&builder, begin(&builder, "mine"))
			th.call(e, 0)
			now := vtime.Instant(0)
			b.ReportAllocs()
			for b.Loop() {
				now += 1000
				th.call(e, now)
			}
		})
	}
}

// BenchmarkThousandThreads is the same with the calls of a thousand
// conversations taking turns, and their entries expiring.
func BenchmarkThousandThreads(b *testing.B) {
	e := NewAnthropic(DefaultAnthropicOptions())
	var builder llm.Builder
	threads := make([]*thread, 1000)
	for i := range threads {
		threads[i] = newThread(&builder, begin(&builder, fmt.Sprint(i)))
	}
	now, i := vtime.Instant(0), 0
	b.ReportAllocs()
	for b.Loop() {
		now += 10 * vtime.Instant(vtime.Millisecond)
		th := threads[i%1000]
		if i/1000%200 == 199 {
			th.head = begin(&builder, fmt.Sprint(i))
			th.req.Expect = nil
		}
		th.call(e, now)
		i++
	}
}

// fill keeps so many entries alive, in conversations of a hundred turns.
func fill(e *Anthropic, builder *llm.Builder, alive int) {
	for i := 0; i < alive; i += 100 {
		th := newThread(builder, begin(builder, fmt.Sprint(i)))
		for range 100 {
			th.call(e, 0)
		}
	}
}

// BenchmarkFanOut is one fork of a parent that so many others have forked.
func BenchmarkFanOut(b *testing.B) {
	for _, siblings := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("siblings=%d", siblings), func(b *testing.B) {
			e := NewAnthropic(DefaultAnthropicOptions())
			var builder llm.Builder
			parent := newThread(&builder, begin(&builder, "parent"))
			for range 100 {
				parent.call(e, 0)
			}
			fork := newThread(&builder, parent.head)
			blocks := make([]llm.Block, 1<<16)
			for i := range blocks {
				blocks[i] = llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, fmt.Sprint(i))}
			}
			n := 0
			one := func() {
				h := builder.Append(parent.head, llm.User, &blocks[n>>16&0xffff])
				fork.head = builder.Append(h, llm.User, &blocks[n&0xffff])
				fork.req.Expect = nil
				fork.call(e, 1)
				n++
			}
			for range siblings {
				one()
			}
			b.ReportAllocs()
			for b.Loop() {
				one()
			}
		})
	}
}
