package llm

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkAppend is one tool_result by the size of its payload, which is
// escaped already. Bytes per second are of what is flattened and hashed.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint("payload=", size), func(b *testing.B) {
			var bld Builder
			h := history(&bld, 10)
			blk := &Block{Kind: ToolResult, Content: NewText(Code, strings.Repeat("0123456789", size/10))}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				bld.Append(h, User, blk)
			}
		})
	}
}

// BenchmarkFork is the first block of a fork, by the length of the history.
func BenchmarkFork(b *testing.B) {
	for _, blocks := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint("history=", blocks), func(b *testing.B) {
			var bld Builder
			h := history(&bld, blocks)
			blk := &Block{Kind: Text, Content: NewText(Prose, strings.Repeat("directive ", 30))}
			b.ReportAllocs()
			for b.Loop() {
				bld.Append(h, User, blk)
			}
		})
	}
}

// BenchmarkWellFormedSince is the check of one turn of two tools.
func BenchmarkWellFormedSince(b *testing.B) {
	var bld Builder
	since := script(&bld, messagesBorder(&bld), "user text")
	n := script(&bld, since, "assistant text use:1 use:2\nuser result:1 result:2")
	b.ReportAllocs()
	for b.Loop() {
		if err := WellFormedSince(n, since); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse is a request of 1,000 blocks.
func BenchmarkParse(b *testing.B) {
	var bld Builder
	req := AppendRequest(nil, history(&bld, 1000))
	b.SetBytes(int64(len(req)))
	for b.Loop() {
		if _, err := ParseRequest(&bld, testScope, testSalts, req); err != nil {
			b.Fatal(err)
		}
	}
}
