package cachemodel

// BlockRequest is a prompt as a trace of blocks tells it: an id for each of its
// blocks, which stands for the block's content and for all that precedes it.
type BlockRequest struct {
	IDs    []uint64 // in order; only the last one may not be full
	Full   int      // how many of them are full
	Tokens int64    // of the prompt
}

// BlockEngine is a cache that serves a trace's requests one after the other,
// each as a whole. What requests that run at once do to one another is not in
// such a replay.
type BlockEngine interface {
	// Serve answers a request and returns how many of its full blocks were
	// cached. The request is not kept.
	Serve(r *BlockRequest) (hits int)
}

// ServeLRU is a BlockEngine over a BlockCache: the ids are touched first to last
// and each is looked for by itself. A last block that is not full takes its place
// in the cache but counts neither as asked for nor as found (CACHE-V1).
type ServeLRU struct{ Cache *BlockCache }

// Serve touches the request's blocks.
func (e ServeLRU) Serve(r *BlockRequest) int {
	hits := e.Cache.Touch(r.IDs[:r.Full])
	e.Cache.Touch(r.IDs[r.Full:])
	return hits
}

// serveVLLM serves by a VLLMPool: each request takes its blocks and gives them
// back before the next one comes.
type serveVLLM struct {
	pool *VLLMPool
	one  VLLMSequence
}

// ServeVLLM is a BlockEngine over a pool: the ids are its blocks' hashes.
// PromptLogprobs, UnhashedFirst and the size of a block are the pool's.
func ServeVLLM(opt VLLMOptions) BlockEngine { return &serveVLLM{pool: NewVLLMPool(opt)} }

// Serve starts and finishes the request.
func (e *serveVLLM) Serve(r *BlockRequest) int {
	read, _ := e.pool.StartBlocks(&e.one, r.IDs[:r.Full], int(r.Tokens))
	e.pool.Finish(&e.one)
	return read / e.pool.opt.BlockTokens
}

// serveSGLang serves by an SGLangTree whose elements are blocks: pages that are
// known by their ids.
type serveSGLang struct {
	server sglangServer
	one    sglangFlight
	tokens int64 // of a block
}

// ServeSGLang is a BlockEngine over a radix tree: its pages are the trace's
// blocks of so many tokens, and its capacity is counted in them.
func ServeSGLang(blocks, blockTokens int, policy SGLangPolicy) BlockEngine {
	if blockTokens < 1 || blocks < 0 {
		panic("cachemodel: a cache has blocks, and a block has tokens")
	}
	return &serveSGLang{tokens: int64(blockTokens), server: sglangServer{tree: NewSGLangTree(1, policy), capacity: blocks}}
}

// Serve reads, stores and finishes the request.
func (e *serveSGLang) Serve(r *BlockRequest) int {
	e.one.tokens = append(e.one.tokens[:0], r.IDs[:r.Full]...)
	hits := e.server.admit(&e.one, min(r.Full, int((r.Tokens-1)/e.tokens)))
	e.server.store(&e.one)
	e.server.finish(&e.one)
	return hits
}
