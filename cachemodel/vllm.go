package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// VLLM is the prefix cache of a vLLM server: a pool of blocks of tokens
// (VLLMPool) behind the life of a request. A request takes its blocks when it is
// admitted, and what it fills is found from then on by whoever comes next; its
// output fills further blocks; at its end all go back to the queue of free ones.
//
// Tokens stand for the conversation as appendTokens says. The tail that the
// provider counts behind the last block is computed by every request and held in
// no block. A request that ends before its response began leaves nothing, and
// one that finds too few free blocks is served with those there are: what does
// not fit is not cached, where a real server would let it wait.
//
// A call takes time in proportion to its prompt, as hashing its tokens does.
type VLLM struct {
	pool  *VLLMPool
	buf   []Token
	short bool // some tokens found no block
}

var _ Engine = (*VLLM)(nil)

// NewVLLM makes an empty cache.
func NewVLLM(opt VLLMOptions) *VLLM { return &VLLM{pool: NewVLLMPool(opt)} }

// Admit finds the prompt's cached blocks and takes new ones for the rest.
func (e *VLLM) Admit(now vtime.Instant, req *Request, a *Admission) error {
	a.reset(now, req)
	a.state = admitted
	s := &VLLMSequence{Behind: int(req.Profile.Tail)}
	e.buf = appendTokens(e.buf[:0], nil, req.Head, req.Counts)
	read, held := e.pool.Start(s, e.buf)
	e.short = e.short || held < len(e.buf)
	a.held = s
	a.readTokens(int64(read))
	return nil
}

// Begin changes nothing in the cache.
func (e *VLLM) Begin(now vtime.Instant, a *Admission) { a.begin(now) }

// End caches the output of a complete response, as far as head tells it, and
// frees the request's blocks.
func (e *VLLM) End(_ vtime.Instant, a *Admission, how Ending, head *llm.Node, output int64) llm.Usage {
	s := a.held.(*VLLMSequence)
	a.held = nil
	if a.state != begun {
		e.pool.Cancel(s)
	} else {
		if how == Completed && isPrefix(a.Request.Head, head) {
			e.buf = appendTokens(e.buf[:0], a.Request.Head, head, a.Request.Counts)
			held := e.pool.Extend(s, e.buf)
			e.short = e.short || int64(held) < a.Request.Counts.At(head)
		}
		e.pool.Finish(s)
	}
	return a.bill(how, output)
}

// Options lists what is assumed: how tokens are told apart, where freed blocks
// without content go, and what became of tokens without room, if there were any.
func (e *VLLM) Options() []string {
	unhashed := "tail"
	if e.pool.opt.UnhashedFirst {
		unhashed = "head"
	}
	out := []string{tokensOption, "vllm_unhashed=" + unhashed}
	if e.short {
		out = append(out, "vllm_no_room=uncached")
	}
	return out
}
