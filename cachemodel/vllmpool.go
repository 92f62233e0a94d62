package cachemodel

import (
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"
)

// VLLMOptions are the pool's settings. The zero value is an unbounded pool of
// blocks of 16 tokens.
type VLLMOptions struct {
	Blocks      int // in the pool; Unbounded makes a new one where a cached one would have to go
	BlockTokens int // tokens of a block; 0 is DefaultVLLMBlock
	// UnhashedFirst puts freed blocks that hold no cached content at the head of
	// the queue, so that they are taken first, as recent versions do (CACHE-83).
	UnhashedFirst bool
	// PromptLogprobs lets every request ask for the log probabilities of its
	// prompt, which a cached block does not have: nothing is read (CACHE-84).
	PromptLogprobs bool
}

// DefaultVLLMBlock is the tokens of a block unless told otherwise (CACHE-80).
const DefaultVLLMBlock = 16

// Token is one token's id.
type Token = uint64

// VLLMMedia is a run of placeholder tokens that stand for an image, a sound or
// the like.
type VLLMMedia struct {
	First, Tokens int // place among the sequence's tokens
	Hash          uint64
}

// VLLMSequence is one request in a pool: what its blocks' hashes hold beside
// tokens, set before Start, and from then on its tokens and its block table.
// After Finish it may be started again.
type VLLMSequence struct {
	LoRA           string      // adapter, part of every block's hash
	Salt           string      // cache_salt, part of the first block's hash
	Media          []VLLMMedia // in order; part of the hashes of the blocks that they reach into
	PromptLogprobs bool        // read nothing
	// Behind is how many tokens the prompt has behind those given to Start:
	// computed for each request, never part of a block's hash, but of the length
	// that a hit may not reach.
	Behind int

	hashes  []uint64 // of the full blocks
	partial []Token  // what does not fill a block
	table   []int32  // the sequence's blocks in the pool, append-only
	hit     int      // blocks of the table that were found
	cached  int      // blocks of the table that have their hash
}

// Blocks are the numbers of the sequence's blocks in order (its block table).
func (s *VLLMSequence) Blocks() []int32 { return s.table }

// VLLMPool is vLLM's block pool: numbered blocks, a queue of the free ones that
// is allocator and order of eviction at once, and an index of the full blocks by
// their hash. A free block stays cached until it is taken again (CACHE-80 to
// CACHE-84; vllm/v1/core/block_pool.py, docs/design/prefix_caching.md). The null
// block that the server sets aside is left out, as in its documentation.
type VLLMPool struct {
	opt    VLLMOptions
	index  map[uint64][]int32 // the blocks with each hash, oldest first (CACHE-84)
	blocks []vllmBlock
	free   ring // the free blocks, the one that is taken next first
	buf    []byte
}

type vllmBlock struct {
	users  int32
	hashed bool
	hash   uint64
}

// NewVLLMPool makes a pool whose blocks are all free, in the order of their
// numbers. Negative options are a programmer's error.
func NewVLLMPool(opt VLLMOptions) *VLLMPool {
	if opt.BlockTokens == 0 {
		opt.BlockTokens = DefaultVLLMBlock
	}
	if opt.Blocks < 0 || opt.BlockTokens < 0 {
		panic("cachemodel: a pool has blocks, and a block has tokens")
	}
	p := &VLLMPool{opt: opt, index: map[uint64][]int32{}, free: newRing()}
	for range opt.Blocks {
		p.push(p.make())
	}
	return p
}

// FreeBlocks are the free blocks in the order in which they will be taken.
func (p *VLLMPool) FreeBlocks() []int32 {
	out := []int32{}
	for n := p.free.after(none); n != none; n = p.free.after(n) {
		out = append(out, n)
	}
	return out
}

// Cached reports whether block n holds content that can be found.
func (p *VLLMPool) Cached(n int32) bool { return p.blocks[n].hashed }

// Start begins a request with its prompt: it touches the blocks that are found,
// takes new ones for the rest and makes the full ones findable. It returns how
// many tokens were read and how many of the prompt are held in blocks, which is
// fewer than all where the pool had no more; a server would let such a request
// wait, of which a pool knows nothing.
func (p *VLLMPool) Start(s *VLLMSequence, tokens []Token) (read, held int) {
	s.reset()
	p.hash(s, tokens)
	return p.start(s, len(tokens))
}

// StartBlocks is Start for a prompt whose full blocks' hashes are known.
func (p *VLLMPool) StartBlocks(s *VLLMSequence, hashes []uint64, tokens int) (read, held int) {
	s.reset()
	s.hashes = append(s.hashes, hashes...)
	return p.start(s, tokens)
}

func (s *VLLMSequence) reset() {
	if len(s.table) > 0 {
		panic("cachemodel: a sequence was started again before it had finished")
	}
	s.hashes, s.partial, s.hit, s.cached = s.hashes[:0], s.partial[:0], 0, 0
}

func (p *VLLMPool) start(s *VLLMSequence, tokens int) (read, held int) {
	if !s.PromptLogprobs && !p.opt.PromptLogprobs {
		// At least one token of a prompt is computed (CACHE-81).
		most := min(len(s.hashes), (tokens+s.Behind-1)/p.opt.BlockTokens)
		for s.hit < most {
			found := p.index[s.hashes[s.hit]]
			if len(found) == 0 {
				break
			}
			s.table = append(s.table, found[0])
			s.hit++
		}
	}
	for _, n := range s.table {
		if p.blocks[n].users++; p.blocks[n].users == 1 {
			p.free.remove(n)
		}
	}
	s.cached = s.hit
	return s.hit * p.opt.BlockTokens, p.room(s, tokens)
}

// room gives the sequence blocks for so many tokens, makes the full ones
// findable, and returns how many of the tokens have a block.
func (p *VLLMPool) room(s *VLLMSequence, tokens int) int {
	size := p.opt.BlockTokens
	for len(s.table)*size < tokens {
		n := p.take()
		if n == none {
			break
		}
		s.table = append(s.table, n)
	}
	for s.cached < min(len(s.hashes), len(s.table)) {
		p.publish(s.table[s.cached], s.hashes[s.cached])
		s.cached++
	}
	return min(tokens, len(s.table)*size)
}

// Extend appends tokens that the request produced, and returns how many tokens
// of the whole sequence are held in blocks.
func (p *VLLMPool) Extend(s *VLLMSequence, tokens []Token) (held int) {
	p.hash(s, tokens)
	return p.room(s, len(s.hashes)*p.opt.BlockTokens+len(s.partial))
}

// Finish gives the sequence's blocks back, the last one first, so that of equal
// age the one with the longer prefix is taken first (CACHE-83).
func (p *VLLMPool) Finish(s *VLLMSequence) {
	after := int32(none) // what was put at the head last: the others of the request follow it
	for i := len(s.table) - 1; i >= 0; i-- {
		n := s.table[i]
		b := &p.blocks[n]
		if b.users--; b.users > 0 {
			continue
		}
		if !b.hashed && (p.opt.UnhashedFirst || p.opt.Blocks == Unbounded) {
			p.free.insert(n, after)
			after = n
		} else {
			p.push(n)
		}
	}
	s.table = s.table[:0]
}

// Cancel gives back the blocks of a sequence that was never computed: those that
// it made and nobody else uses lose their content.
func (p *VLLMPool) Cancel(s *VLLMSequence) {
	for _, n := range s.table[s.hit:] {
		if p.blocks[n].users == 1 && p.blocks[n].hashed {
			p.withdraw(n)
		}
	}
	p.Finish(s)
}

// take removes the head of the queue and lets go of its content. An unbounded
// pool makes a block rather than lose one that is cached.
func (p *VLLMPool) take() int32 {
	n := p.free.after(none)
	switch {
	case p.opt.Blocks == Unbounded && (n == none || p.blocks[n].hashed):
		n = p.make()
	case n == none:
		return none
	default:
		p.free.remove(n)
	}
	if p.blocks[n].hashed {
		p.withdraw(n)
	}
	p.blocks[n].users = 1
	return n
}

func (p *VLLMPool) make() int32 {
	n := int32(len(p.blocks))
	p.blocks = append(p.blocks, vllmBlock{})
	p.free.grow()
	return n
}

// push puts a block at the end of the queue of free blocks.
func (p *VLLMPool) push(n int32) { p.free.insert(n, p.free.before(none)) }

// publish makes a full block findable. A block with the same hash stays beside
// it and, being older, is the one that is found (CACHE-84).
func (p *VLLMPool) publish(n int32, hash uint64) {
	p.blocks[n].hashed, p.blocks[n].hash = true, hash
	p.index[hash] = append(p.index[hash], n)
}

// withdraw lets go of a block's content; the next block with the same hash is
// found from now on.
func (p *VLLMPool) withdraw(n int32) {
	b := &p.blocks[n]
	b.hashed = false
	twins := slices.DeleteFunc(p.index[b.hash], func(o int32) bool { return o == n })
	if p.index[b.hash] = twins; len(twins) == 0 {
		delete(p.index, b.hash)
	}
}

// hash appends tokens to the sequence and hashes each block that they fill:
// the parent's hash, the block's tokens, and its extra keys (CACHE-80).
func (p *VLLMPool) hash(s *VLLMSequence, tokens []Token) {
	size := p.opt.BlockTokens
	for len(s.partial)+len(tokens) >= size {
		fill := size - len(s.partial)
		s.partial, tokens = append(s.partial, tokens[:fill]...), tokens[fill:]
		s.hashes = append(s.hashes, p.blockHash(s))
		s.partial = s.partial[:0]
	}
	s.partial = append(s.partial, tokens...)
}

func (p *VLLMPool) blockHash(s *VLLMSequence) uint64 {
	buf, block := p.buf[:0], len(s.hashes)
	if block > 0 {
		buf = binary.LittleEndian.AppendUint64(buf, s.hashes[block-1])
	}
	for _, t := range s.partial {
		buf = binary.LittleEndian.AppendUint64(buf, t)
	}
	buf = appendText(buf, s.LoRA)
	from, to := block*p.opt.BlockTokens, (block+1)*p.opt.BlockTokens
	for _, m := range s.Media {
		if m.First < to && m.First+m.Tokens > from {
			buf = binary.LittleEndian.AppendUint64(buf, m.Hash)
		}
	}
	if block == 0 {
		buf = appendText(buf, s.Salt)
	}
	p.buf = buf
	return xxh3.Hash(buf)
}

// appendText appends a text so that no two texts in a row look like others.
func appendText(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(dst, uint64(len(s))), s...)
}
