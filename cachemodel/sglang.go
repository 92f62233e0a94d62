package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// SGLangOptions are the server's settings.
type SGLangOptions struct {
	Capacity int // tokens; Unbounded forgets nothing
	Page     int // tokens of a page; 0 is 1, the server's default
	Policy   SGLangPolicy
	// StorePrompts stores a prompt when its response begins, as the server does
	// between prefill and output. Off, a request is stored when it finishes
	// (CACHE-86).
	StorePrompts bool
}

// SGLang is the prefix cache of an SGLang server: a radix tree over tokens
// (SGLangTree) behind the life of a request. A request reads the longest stored
// prefix, short of its last token, and locks its path while it runs; when it
// finishes its input and output are stored, its input alone when it broke off
// after its response had begun.
//
// Running requests take room for what they compute, beside the tree. Room is
// made by eviction; a request that finds none is served all the same, where a
// real server would let it wait.
//
// Tokens stand for the conversation as appendTokens says; scope and settings are
// in them, so no extra key is needed. A call takes time in proportion to its
// prompt.
type SGLang struct {
	server sglangServer
	opt    SGLangOptions
}

var _ Engine = (*SGLang)(nil)

// NewSGLang makes an empty cache. Negative options are a programmer's error.
func NewSGLang(opt SGLangOptions) *SGLang {
	if opt.Page == 0 {
		opt.Page = 1
	}
	if opt.Capacity < 0 {
		panic("cachemodel: a cache holds a number of tokens, or 0 for no bound")
	}
	return &SGLang{opt: opt, server: sglangServer{tree: NewSGLangTree(opt.Page, opt.Policy), capacity: opt.Capacity}}
}

// Tokens is how many tokens are stored.
func (e *SGLang) Tokens() int64 { return int64(e.server.tree.Tokens()) }

// Admit reads the longest stored prefix and locks it.
func (e *SGLang) Admit(now vtime.Instant, req *Request, a *Admission) error {
	a.reset(now, req)
	a.state = admitted
	f := &sglangFlight{tokens: appendTokens(nil, nil, req.Head, req.Counts)}
	// The last token is always computed (schedule_batch.py).
	read := e.server.admit(f, min(len(f.tokens), len(f.tokens)+int(req.Profile.Tail)-1))
	a.held = f
	a.readTokens(int64(read))
	return nil
}

// Begin stores the prompt where the options say so.
func (e *SGLang) Begin(now vtime.Instant, a *Admission) {
	a.begin(now)
	if e.opt.StorePrompts {
		f := a.held.(*sglangFlight)
		e.server.store(f)
		e.server.relock(f)
	}
}

// End stores what was computed and unlocks the path: input and output when the
// response is complete, the input when it broke off.
func (e *SGLang) End(_ vtime.Instant, a *Admission, how Ending, head *llm.Node, output int64) llm.Usage {
	f := a.held.(*sglangFlight)
	a.held = nil
	if a.state == begun {
		if how == Completed && isPrefix(a.Request.Head, head) {
			f.tokens = appendTokens(f.tokens, a.Request.Head, head, a.Request.Counts)
		}
		e.server.store(f)
	}
	e.server.finish(f)
	return a.bill(how, output)
}

// Options lists what is assumed: how tokens are told apart, and when prompts are
// stored.
func (e *SGLang) Options() []string {
	when := "finish"
	if e.opt.StorePrompts {
		when = "begin"
	}
	return []string{tokensOption, "sglang_stores_prompts=at-" + when}
}

// sglangServer is a tree and the room around it.
type sglangServer struct {
	tree     *SGLangTree
	capacity int // tokens; Unbounded forgets nothing
	running  int // tokens of running requests that are not in the tree
}

// sglangFlight is one running request.
type sglangFlight struct {
	tokens []Token
	match  SGLangMatch
	room   int // tokens that it takes beside the tree
}

// admit finds the longest stored prefix, of the first most tokens, locks it, and
// makes room for the rest. It returns the prefix's length.
func (s *sglangServer) admit(f *sglangFlight, most int) int {
	f.match = s.tree.Match("", f.tokens[:max(0, most)])
	s.tree.Lock(f.match)
	f.room = len(f.tokens) - f.match.Tokens
	s.running += f.room
	s.fit()
	return f.match.Tokens
}

// fit evicts what is above the capacity, if that can be.
func (s *sglangServer) fit() {
	if s.capacity != Unbounded {
		s.tree.Evict(s.tree.Tokens() + s.running - s.capacity)
	}
}

// store puts the request's tokens into the tree.
func (s *sglangServer) store(f *sglangFlight) {
	s.tree.Insert("", f.tokens, 0)
	s.running -= f.room
	f.room = 0
}

// relock locks all that the request has stored instead of what it read.
func (s *sglangServer) relock(f *sglangFlight) {
	now := s.tree.Match("", f.tokens)
	s.tree.Lock(now)
	s.tree.Unlock(f.match)
	f.match = now
}

// finish unlocks what the request held and gives its room back.
func (s *sglangServer) finish(f *sglangFlight) {
	s.tree.Unlock(f.match)
	s.running -= f.room
	f.room, f.match = 0, SGLangMatch{}
	s.fit()
}
