package llm

import (
	"fmt"

	"agentsim/sim/vtime"
)

// Call is a request under way. Of End and Abandon one is called, once; after that the
// call is nobody's any more.
type Call interface {
	// Ends is when the last byte of the answer comes.
	Ends() vtime.Instant
	// End fills the response, at that instant. The error is an *APIError for what the API
	// answers.
	End() error
	// Abandon ends the call of a client that goes away before it has heard the answer:
	// the response has then what was billed all the same, and no blocks.
	Abandon(now vtime.Instant)
}

// Response is what the model answered and what the server counted.
type Response struct {
	Blocks []Block // assistant content, in order
	Stop   StopReason
	Usage  Usage
	// Iterations are the parts of Usage by pass of the model, where server tools
	// made it pass more than once; else nil (CACHE-27, CACHE-37).
	Iterations []Usage
	Cache      CacheReport
	Started    vtime.Instant // admitted
	Began      vtime.Instant // first byte
	Ended      vtime.Instant // last byte
	// Causes says for each block, where it is a tool use that a policy had to
	// make for a reason worth counting, which: "lazy", "stale", "truncated",
	// "compaction", "detour". Out of band: it never stands in bytes. Nil when there is none.
	Causes []string
	// Head is the conversation with Blocks appended, as the server built it; a
	// client may go on from it instead of hashing the blocks again.
	Head *Node
	// Again is how often the answer was delivered beyond once.
	Again int
	// Copy is what became of a second delivery of the request that nobody heard
	// the answer of; nil for none.
	Copy *APIError
}

// CacheReport says how a request met the cache.
type CacheReport struct {
	ReadTo    *Node // end of the prefix that was read; nil when nothing was
	WrittenTo *Node // end of the prefix that was written; nil when nothing was
	Miss      Miss
	// Undecided is how many breakpoints have a length within the counter's error
	// of the model's minimum; the point estimate decided (CON-06).
	Undecided int
	// Life is how long what was read is kept unused, and Left how much of that was left
	// when it was read; both 0 where nothing was read, where longer prefixes keep it too,
	// and where nothing expires. Neither is in the text of events.
	Life, Left vtime.Duration
}

// Expectation is the earlier request whose prefix a request could have read:
// the agent's previous one, for a fork its parent's.
type Expectation struct {
	Mark  *Node // its last breakpoint, nil if it had none
	Head  *Node
	Start vtime.Instant // when it was admitted
	TTL   TTL
	Salts Salts
	Model string
}

// MissReason is why a request read less than it could have. The list is closed.
type MissReason uint8

// The reasons, NotMissed first.
const (
	NotMissed MissReason = iota
	MissNoMarker
	MissBelowMinimum
	MissUndecided
	MissModel
	MissSalt
	MissTools
	MissSystem
	MissMessages
	MissLookBack
	MissNotYetReadable
	MissExpired
	MissNeverWritten
	MissUnexplained // of recordings only: nothing in them says why
	MissNoise       // a named option of the server let it miss, for no reason in what was sent

	numMisses
)

// NumMisses is the number of reasons, NotMissed included.
const NumMisses = int(numMisses)

var missNames = [...]string{"", "no-marker", "below-minimum", "undecided", "model", "salt", "tools", "system",
	"messages", "look-back", "not-yet-readable", "expired", "never-written",
	"unexplained", "noise"}

func (r MissReason) String() string { return missNames[r] }

// Miss is the diagnosis of one request that read less than expected.
type Miss struct {
	Reason   MissReason
	Expected int64 // tokens of the expectation's marked prefix
	Lost     int64 // tokens of it that were not read
	Pos      int32 // first position at which the two requests differ; 0 if they do not
	Byte     int64 // offset of the first differing byte, in the flat bytes; -1 if they do not differ
}

// APIError is an answer of the API that is no message: a simulated error, to be
// handled by the client, never a failure of the simulation.
type APIError struct {
	Status     int    // HTTP status; 0 for a dropped stream
	Type       string // such as rate_limit_error, overloaded_error, invalid_request_error
	Message    string
	RetryAfter vtime.Duration // 0 if not given
	Usage      Usage          // what was billed all the same (CON-09)
	Cache      CacheReport
	Started    vtime.Instant // when it was admitted, for a request that was
	Began      vtime.Instant // of a dropped stream that had begun, else 0
}

func (e *APIError) Error() string {
	return fmt.Sprintf("API error %d %s: %s", e.Status, e.Type, e.Message)
}

// Retryable reports whether a client tries again (LOOP-06).
func (e *APIError) Retryable() bool {
	switch e.Status {
	case 0, 408, 409, 429:
		return true
	}
	return e.Status >= 500
}
