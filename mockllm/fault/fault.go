// Package fault is a small printable language for what goes wrong between a
// client and the model's server.
//
// Rules:
//   - A rule's String parses back to the same rule.
//   - A rule says what fails, before or after the server's effect where both
//     make sense, and where: by lineage, call and attempt.
//   - Chance is keyed by rule, lineage, call and attempt. Nothing is shared
//     between calls, so a rule that is added or that fires moves no other.
//   - Of several rules that match one attempt the first one acts.
//
// The language, one rule a line (words in any order behind the first):
//
//	429 [retry-after=5s]                    refused at admission
//	529 [retry-after=5s]                    refused at admission
//	529 after [event=N]                     an error event in the stream, in place of event N (1)
//	500 [retry-after=5s]                    as 529, an internal error
//	500 after [event=N]                     likewise
//	drop before                             the connection is lost before the request is admitted
//	drop [after] [event=N]                  the stream breaks where event N (1) would have come
//	duplicate before                        the request arrives twice: both copies are answered and billed
//	duplicate [after]                       the answer is delivered twice
//	truncate [tool=N] [keep=N]              the input of tool use N (0) ends after N (1) bytes
//	unknown-tool [tool=N]                   tool use N (0) names a tool that does not exist
//	wrong-type [tool=N]                     the first field of the input of tool use N (0) has another type
//	empty                                   the answer has no content
//	refusal [keep=N]                        the model refuses after N (0) tokens of its answer
//	max-tokens [keep=N]                     the answer is cut as if max_tokens were N (1)
//	slow [times=N]                          each token takes N (10) times as long
//
// and for each: agent=GLOB over lineages (** is every one), call=R and
// attempt=R with R as 3, 2-4 or 2-, chance=N/M. Calls and attempts count from 1:
// attempt=1 is the first try of a call, attempt=2- are its retries.
package fault

import (
	"strconv"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// Kind is what fails.
type Kind uint8

// The faults.
const (
	RateLimited Kind = iota + 1 // 429 rate_limit_error
	Overloaded                  // 529 overloaded_error
	Drop                        // the stream breaks
	Truncate                    // a tool_use input is cut, so that it is no JSON
	ServerError                 // 500 api_error
	Duplicate                   // a request or an answer is delivered twice
	UnknownTool                 // a tool_use names no tool there is
	WrongType                   // a tool_use input has a field of another type
	Empty                       // the answer has no content
	Refusal                     // the model refuses
	MaxTokens                   // the answer is cut short
	Slow                        // the tokens come slowly
)

var kindNames = [...]string{"", "429", "529", "drop", "truncate", "500", "duplicate", "unknown-tool", "wrong-type", "empty",
	"refusal", "max-tokens", "slow"}

func (k Kind) String() string { return kindNames[k] }

// Shapes reports whether the fault leaves the call to its course and changes
// what is answered, or how: such a call completes.
func (k Kind) Shapes() bool { return k == Truncate || k >= Duplicate }

// HitsTool reports whether the fault is one of a tool use of the answer.
func (k Kind) HitsTool() bool { return k == Truncate || k == UnknownTool || k == WrongType }

// refuses reports whether the fault is an error status that may come before or
// within the stream.
func (k Kind) refuses() bool { return k == Overloaded || k == ServerError }

// Range is a closed range of ordinals from 1; To is Open for no upper end.
type Range struct{ From, To int }

// Open is the To of a range without an upper end.
const Open = -1

var everything = Range{1, Open}

// Has reports whether n lies in the range.
func (r Range) Has(n int) bool { return n >= r.From && (r.To == Open || n <= r.To) }

func (r Range) append(dst []byte) []byte {
	dst = strconv.AppendInt(dst, int64(r.From), 10)
	if r.To == r.From {
		return dst
	}
	dst = append(dst, '-')
	if r.To == Open {
		return dst
	}
	return strconv.AppendInt(dst, int64(r.To), 10)
}

// Rule is one rule of the language. Fields that its kind does not use are zero.
type Rule struct {
	Kind       Kind
	After      bool           // after the server's effect; what Shapes an answer has none, but for Duplicate
	RetryAfter vtime.Duration // RateLimited, Overloaded and ServerError before; 0 is not given
	Event      int            // Drop, Overloaded and ServerError after: index of the first event that does not come
	Tool       int            // of those that hit one: which tool use of the answer, from 0
	Keep       int            // Truncate: how many bytes of its input stay; Refusal and MaxTokens: how many tokens of the answer
	Times      int            // Slow: how many times as long a token takes, at least 1
	Agent      string         // doublestar pattern over lineages
	Calls      Range
	Attempts   Range
	Chance     Chance
}

// Chance is N in M, 1 ≤ N ≤ M; 1 in 1 is always.
type Chance struct{ N, M int64 }

// String writes the rule so that it parses back. What is left at its default is
// left out, but for a drop's event.
func (r Rule) String() string {
	b := append([]byte(nil), r.Kind.String()...)
	switch {
	case (r.Kind == Drop || r.Kind == Duplicate) && !r.After:
		b = append(b, " before"...)
	case r.Kind.refuses() && r.After:
		b = append(b, " after"...)
	}
	if r.RetryAfter > 0 {
		b = append(append(b, " retry-after="...), r.RetryAfter.String()...)
	}
	for _, w := range [...]struct {
		word string
		n    int
	}{{"event", r.Event}, {"tool", r.Tool}, {"keep", r.Keep}, {"times", r.Times}} {
		if r.takes(w.word) {
			b = strconv.AppendInt(append(append(append(b, ' '), w.word...), '='), int64(w.n), 10)
		}
	}
	return string(r.appendAddress(b))
}

func (r Rule) appendAddress(b []byte) []byte {
	if r.Agent != anyAgent {
		b = append(append(b, " agent="...), r.Agent...)
	}
	if r.Calls != everything {
		b = r.Calls.append(append(b, " call="...))
	}
	if r.Attempts != everything {
		b = r.Attempts.append(append(b, " attempt="...))
	}
	if r.Chance != always {
		b = strconv.AppendInt(append(b, " chance="...), r.Chance.N, 10)
		b = strconv.AppendInt(append(b, '/'), r.Chance.M, 10)
	}
	return b
}

const anyAgent = "**"

var always = Chance{1, 1}

// Call is the attempt that a plan is asked about. Key is the agent's, which
// belongs to its lineage and the run's seed.
type Call struct {
	Lineage       string
	Key           rng.Key
	Call, Attempt int // from 0, as in a request's stream name
}

// Plan is the rules of a run in order. The zero value and nil have none.
type Plan struct{ rules []keyed }

type keyed struct {
	Rule
	name   string // identity of its draws
	struck bool
}

// NewPlan makes a plan. Rules of one text have draws of their own.
func NewPlan(rules []Rule) *Plan {
	p := &Plan{}
	seen := map[string]int{}
	for _, r := range rules {
		text := r.String()
		p.rules = append(p.rules, keyed{Rule: r, name: text + "#" + strconv.Itoa(seen[text])})
		seen[text]++
	}
	return p
}

// Find is the rule that acts on an attempt, or nil.
func (p *Plan) Find(c *Call) *Rule {
	if p == nil {
		return nil
	}
	for i := range p.rules {
		if r := &p.rules[i]; r.acts(c) {
			return &r.Rule
		}
	}
	return nil
}

// Strikes notes that a rule that Find has given changed what came of the attempt.
func (p *Plan) Strikes(rule *Rule) {
	for i := range p.rules {
		if r := &p.rules[i]; &r.Rule == rule {
			r.struck = true
		}
	}
}

// Unstruck are the rules that struck no attempt, by their places.
func (p *Plan) Unstruck() (unstruck []int) {
	if p == nil {
		return nil
	}
	for i := range p.rules {
		if !p.rules[i].struck {
			unstruck = append(unstruck, i)
		}
	}
	return unstruck
}

func (r *keyed) acts(c *Call) bool {
	if !r.Calls.Has(c.Call+1) || !r.Attempts.Has(c.Attempt+1) || !r.Names(c.Lineage) {
		return false
	}
	if r.Chance == always {
		return true
	}
	draw := c.Key.At(uint64(c.Call)).At(uint64(c.Attempt)).Sub("fault").Sub(r.name)
	return draw.Between(1, r.Chance.M) <= r.Chance.N
}

// Names reports whether the rule is for an agent.
func (r *Rule) Names(lineage string) bool {
	return r.Agent == anyAgent || doublestar.MatchUnvalidated(r.Agent, lineage)
}

// Stream is a response as server-sent events. They are a formula and are never
// stored: one message_start (index 0), for each block a start, a delta for each
// of its tokens (at least one) and a stop, then message_delta and message_stop.
type Stream struct{ Tokens []int64 } // output tokens by block

// Events is the number of events, at least 3.
func (s Stream) Events() int64 {
	n := int64(3)
	for _, t := range s.Tokens {
		n += 2 + max(t, 1)
	}
	return n
}

// Before is the number of output tokens in the events ahead of event n; an
// index past the last event stands for the last one.
func (s Stream) Before(n int64) int64 {
	n = min(max(n, 0), s.Events()-1) - 1 // events ahead, message_start aside
	var sum int64
	for _, t := range s.Tokens {
		if n <= 1 {
			break
		}
		deltas := max(t, 1)
		sum += min(n-1, deltas, t)
		n -= 2 + deltas
	}
	return sum
}

// Name is the type of event n, clamped like Before's.
func (s Stream) Name(n int64) string {
	n = min(max(n, 0), s.Events()-1)
	if n == 0 {
		return "message_start"
	}
	n--
	for _, t := range s.Tokens {
		switch deltas := max(t, 1); {
		case n == 0:
			return "content_block_start"
		case n <= deltas:
			return "content_block_delta"
		case n == deltas+1:
			return "content_block_stop"
		default:
			n -= 2 + deltas
		}
	}
	if n == 0 {
		return "message_delta"
	}
	return "message_stop"
}
