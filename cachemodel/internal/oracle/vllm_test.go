package oracle

import (
	"fmt"
	"slices"

	"agentsim/cachemodel"
)

// VLLM is vLLM's block pool once more: blocks know their whole prefix, the queue
// and the cached blocks are lists that are looked through.
type VLLM struct {
	Options cachemodel.VLLMOptions
	blocks  []*vblock
	queue   []int // free blocks, the next to be taken first
	cached  []int // blocks with content, oldest content first
}

type vblock struct {
	content string // the prefix that ends with the block; "" for none
	users   int
}

// VSequence is one request in the pool.
type VSequence struct {
	Like   *cachemodel.VLLMSequence // what its hashes hold beside tokens
	Tokens []cachemodel.Token
	Table  []int
	Hit    int
}

// NewVLLM makes a pool of free blocks.
func NewVLLM(opt cachemodel.VLLMOptions) *VLLM {
	v := &VLLM{Options: opt}
	for i := range opt.Blocks {
		v.blocks = append(v.blocks, &vblock{})
		v.queue = append(v.queue, i)
	}
	return v
}

// Free is the queue.
func (v *VLLM) Free() []int { return v.queue }

// content is all that decides whether block i of a sequence is another's.
func (v *VLLM) content(s *VSequence, i int) string {
	size := v.Options.BlockTokens
	text := fmt.Sprintf("%v %q %q", s.Tokens[:(i+1)*size], s.Like.LoRA, s.Like.Salt)
	for b := range i + 1 {
		for _, m := range s.Like.Media {
			if m.First+m.Tokens > b*size && m.First < (b+1)*size {
				text += fmt.Sprint(" ", b, ":", m.Hash)
			}
		}
	}
	return text
}

func (v *VLLM) find(content string) int {
	return slices.IndexFunc(v.cached, func(n int) bool { return v.blocks[n].content == content })
}

// Start begins a request.
func (v *VLLM) Start(s *VSequence) (read, held int) {
	size := v.Options.BlockTokens
	for i := 0; !s.Like.PromptLogprobs && !v.Options.PromptLogprobs && (i+1)*size <= len(s.Tokens) && (i+1)*size < len(s.Tokens)+s.Like.Behind; i++ {
		at := v.find(v.content(s, i))
		if at < 0 {
			break
		}
		s.Table = append(s.Table, v.cached[at])
	}
	s.Hit = len(s.Table)
	for _, n := range s.Table {
		v.blocks[n].users++
		v.queue = slices.DeleteFunc(v.queue, func(q int) bool { return q == n })
	}
	return s.Hit * size, v.Fill(s)
}

// Fill gives the sequence blocks for its tokens and caches the full ones.
func (v *VLLM) Fill(s *VSequence) (held int) {
	size := v.Options.BlockTokens
	for len(s.Table)*size < len(s.Tokens) && v.take(s) {
	}
	for i, n := range s.Table {
		if (i+1)*size <= len(s.Tokens) && v.blocks[n].content == "" {
			v.blocks[n].content = v.content(s, i)
			v.cached = append(v.cached, n)
		}
	}
	return min(len(s.Tokens), len(s.Table)*size)
}

func (v *VLLM) take(s *VSequence) bool {
	unbounded := v.Options.Blocks == cachemodel.Unbounded
	if unbounded && (len(v.queue) == 0 || v.blocks[v.queue[0]].content != "") {
		v.blocks = append(v.blocks, &vblock{})
		v.queue = append([]int{len(v.blocks) - 1}, v.queue...)
	}
	if len(v.queue) == 0 {
		return false
	}
	n := v.queue[0]
	v.queue = v.queue[1:]
	v.drop(n)
	v.blocks[n].users = 1
	s.Table = append(s.Table, n)
	return true
}

func (v *VLLM) drop(n int) {
	v.blocks[n].content = ""
	v.cached = slices.DeleteFunc(v.cached, func(c int) bool { return c == n })
}

// Finish frees the sequence's blocks; cancelled, those that only it uses lose
// the content that it gave them.
func (v *VLLM) Finish(s *VSequence, cancelled bool) {
	var empty, rest []int
	for i := len(s.Table) - 1; i >= 0; i-- {
		n := s.Table[i]
		b := v.blocks[n]
		if b.users == 1 && cancelled && i >= s.Hit {
			v.drop(n)
		}
		if b.users--; b.users > 0 {
			continue
		}
		if b.content == "" && (v.Options.UnhashedFirst || v.Options.Blocks == cachemodel.Unbounded) {
			empty = append(empty, n)
		} else {
			rest = append(rest, n)
		}
	}
	v.queue = slices.Concat(empty, v.queue, rest)
	s.Table = nil
}
