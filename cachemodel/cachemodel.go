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
package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Engine is one provider's cache.
type Engine interface {
	// Admit looks the request up at instant now and fills a. It returns an
	// *llm.APIError with status 400 for a request that the provider refuses.
	Admit(now vtime.Instant, req *Request, a *Admission) error
	// Begin tells that the response began: what the request writes becomes
	// readable, as the provider has it, and its refreshes are settled.
	Begin(now vtime.Instant, a *Admission)
	// End tells how the request ended; head is the end of the conversation with
	// the response appended, nil if there is none. It returns what is billed
	// (CON-09), given the output tokens produced so far.
	End(now vtime.Instant, a *Admission, how Ending, head *llm.Node, output int64) llm.Usage
	// Options lists the undocumented points this engine decided, as name=value.
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
	// Expect is the earlier request to diagnose a miss against; nil for none.
	Expect *llm.Expectation
	// Salts are the request's own, for the diagnosis.
	Salts llm.Salts
}
