// Package cachemodel is the prompt cache: what a provider reads, writes and
// bills for a request, as its own documents and recorded usage say.
//
// Rules:
//   - A request's life is Admit, Begin, End. Each provider acts where it really
//     does: Anthropic looks up at Admit and its entries become readable at
//     Begin; DeepSeek persists at the end of the output.
//   - Hits depend on hashes only. Token counts come with the request; the cache
//     never tokenizes.
//   - Every tool, system or message block is one position. Nothing here walks a
//     conversation's history on a hit.
//   - Time comes in as an argument and never goes backwards.
//   - Undocumented points are named options, listed by Options.
//   - A text with clear_at leaves the prefix: what is before it is read, and one turn is
//     written again. What a model cannot take is a byte of flags on each node.
//   - vLLM and SGLang make tokens of blocks, and a pool without room caches as far as it
//     reaches: the engines' life cycle has no waiting.
//   - Noise is a miss reason of its own, which only a named option brings about.
//
// What a request that fails is billed for (CON-09):
//
//	429 or 529 before Begin     nothing; nothing is written, no lifetime is renewed
//	abort or drop before Begin  nothing, likewise
//	abort or drop after Begin   its prompt and the output so far; a retry reads what it wrote
//	max_tokens 0                its prompt; it writes at its breakpoints and has no output
package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Engine is one provider's cache.
type Engine interface {
	// Admit looks the request up at instant now and fills a, whose Usage is then
	// the bill of the prompt should the response begin. It returns an
	// *llm.APIError with status 400 for a request that the provider refuses; a is
	// then free again. Neither req nor what it points to may change before End.
	Admit(now vtime.Instant, req *Request, a *Admission) error
	// Begin tells that the response began: what the request writes becomes
	// readable, as the provider has it, and its refreshes are settled.
	Begin(now vtime.Instant, a *Admission)
	// End tells how the request ended; head is the end of the conversation with
	// the response appended, nil if there is none. It returns what is billed
	// (CON-09), given the output tokens produced so far.
	End(now vtime.Instant, a *Admission, how Ending, head *llm.Node, output int64) llm.Usage
	// Options lists the undocumented points that touched a figure so far, as
	// name=value in a fixed order.
	Options() []string
}

// Ending is how a request ended.
type Ending uint8

// The endings.
const (
	Completed Ending = iota
	Aborted          // the client went away
	Dropped          // the stream broke
	Rejected         // 429 or 529 before anything began
)

func (e Ending) String() string { return [...]string{"completed", "aborted", "dropped", "rejected"}[e] }

// Request is what the cache sees of a call.
type Request struct {
	*llm.Request
	Profile *Profile
	Counts  llm.Counts
	// Limit, if set, is how many tokens of the prompt are found at most, whatever is
	// there: a miss that a recording tells and nothing explains.
	Limit *int64
}

// MaxMarks is how many breakpoints a request may have (CACHE-06).
const MaxMarks = 4

// Mark is a breakpoint that counts, the automatic one included.
type Mark struct {
	Node   *llm.Node
	TTL    llm.TTL
	Tokens int64 // of the prefix that ends there
	Long   bool  // it reaches the model's minimum, so it is looked up and written
	// Undecided: the count is within its error of the minimum; Long is the point
	// estimate's answer (CON-06).
	Undecided bool
	life      llm.TTL // lifetime of the entry it makes
	read      bool    // it stands within what was read
	at        *place  // of that entry, until the response begins or fails to
}

// Admission is one request on its way. The caller owns it and may use it again
// after End; the zero value is ready. It must not be copied or moved while a
// request is on its way.
type Admission struct {
	Request *Request
	Start   vtime.Instant // admitted
	Began   vtime.Instant // 0 before Begin
	Prompt  int64         // tokens of the whole prompt, tail included
	Usage   llm.Usage     // of the prompt; Output stays 0
	Report  llm.CacheReport
	Hit     Evidence // of what was read; zero when nothing was
	Settled bool     // all that the request does to the cache is done: its end does nothing

	marks [MaxMarks]Mark
	n     int
	state state
	noise noise // what kept the request from reading more

	uses [ttlClasses]use // refreshes on their way
	held any             // what a foreign engine holds while the request runs
}

// Marks are the request's breakpoints in order, the automatic one included.
func (a *Admission) Marks() []Mark { return a.marks[:a.n] }

// Evidence is what the store knows of a prefix that was read, for law L2.
type Evidence struct {
	Key      llm.Hash
	Tokens   int64         // when it was written
	Written  vtime.Instant // start of the request that wrote it
	Readable vtime.Instant // when that response began
	Expiry   vtime.Instant // by its own last use
	Kept     bool          // a longer prefix, used later, keeps it alive (CACHE-22)
}

type state uint8

const (
	idle state = iota
	admitted
	begun
)

// reset makes a ready for a request. It panics when a's last one has not ended.
func (a *Admission) reset(now vtime.Instant, req *Request) {
	if a.state != idle {
		panic("cachemodel: an admission was used again before its request had ended")
	}
	a.Request, a.Start, a.Began = req, now, 0
	a.Usage, a.Report, a.Hit, a.n = llm.Usage{}, llm.CacheReport{}, Evidence{}, 0
	a.noise, a.Settled = quiet, false
	a.Prompt = req.Counts.At(req.Head) + req.Profile.Tail
}

// begin moves a to its second stage.
func (a *Admission) begin(now vtime.Instant) {
	if a.state != admitted {
		panic("cachemodel: a response began that was not admitted, or began twice")
	}
	a.state, a.Began = begun, now
}

// bill moves a to its end and says what is billed.
func (a *Admission) bill(how Ending, output int64) llm.Usage {
	was := a.state
	a.state = idle
	if was == begun && how != Rejected {
		u := a.Usage
		u.Output = output
		return u
	}
	if was != admitted || how == Completed {
		panic("cachemodel: a request ended as " + how.String() + " that cannot have")
	}
	a.Usage, a.Report, a.Hit = llm.Usage{}, llm.CacheReport{}, Evidence{}
	return llm.Usage{}
}
