package whatif

import (
	"fmt"

	"agentsim/cachemodel"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Kinds is how many kinds of threads a recording has.
const Kinds = 4

// Lifetime is a lifetime that may be left as it was recorded.
type Lifetime struct {
	Set bool
	TTL llm.TTL
}

// Question is what is asked. The zero value asks for nothing and answers with the
// model's own reproduction. Kinds of threads are those of the recording.
type Question struct {
	Lifetime [Kinds]Lifetime
	NoCache  bool
	// Model is the model that threads of each kind use instead; "" for the recorded
	// one. Factor is how many thousandths of the recorded tokens another tokenizer
	// counts; 0 when it was not given.
	Model  [Kinds]string
	Factor int64
	// KeepAlive, unless 0, repeats the last prompt of an idle conversation just before
	// it expires, until it has been idle for so long.
	KeepAlive vtime.Duration
	Stagger   bool // siblings of one answer wait until the first one's response begins
	// Static is the size of a sub-agent's tools and system prompt in tokens, where
	// the recording does not tell it; 0 when it was not given.
	Static int64
}

// Options say under which assumptions a session is played.
type Options struct {
	Slack vtime.Duration // how long an entry outlives its lifetime by the client's log
	// Tokenizer names what counts a model's tokens: equal names count alike.
	Tokenizer func(model string) string
	// Price finds a model with its rates, the same profile each time; nil is the table.
	Price func(model string) (*cachemodel.Profile, error)
}

// Refusal is why a question has no answer.
type Refusal struct {
	Question string // as it is asked on the command line; "" for any question of the kind
	Why      string
}

// Error says what was asked and why there is no answer.
func (r *Refusal) Error() string {
	if r.Question == "" {
		return r.Why
	}
	return r.Question + ": " + r.Why
}

func refuse(question, format string, args ...any) error {
	return &Refusal{question, fmt.Sprintf(format, args...)}
}

// The questions, as they are asked.
const (
	askLifetime  = "--ttl"
	askNoCache   = "--no-cache"
	askModel     = "--model"
	askFactor    = "--token-factor"
	askKeepAlive = "--keep-alive"
	askStagger   = "--stagger"
	askStatic    = "--static"
)

func (q *Question) lifetimes() bool { return q.Lifetime != [Kinds]Lifetime{} }

func (q *Question) models() bool { return q.Model != [Kinds]string{} }

// apart are questions of which a person asks one: what one changes, the other
// does not leave.
var apart = []struct{ a, b, why string }{
	{askNoCache, askLifetime, "without a cache nothing has a TTL"},
	{askNoCache, askKeepAlive, "without a cache there is nothing to keep alive"},
	{askNoCache, askStagger, "without a cache siblings have nothing to wait for"},
}

// check refuses what cannot be asked together, whatever was recorded.
func (q *Question) check() error {
	asked := map[string]bool{askLifetime: q.lifetimes(), askNoCache: q.NoCache, askKeepAlive: q.KeepAlive != 0, askStagger: q.Stagger}
	for _, p := range apart {
		if asked[p.a] && asked[p.b] {
			return refuse(p.a+" and "+p.b, "ask one of them: %s", p.why)
		}
	}
	switch {
	case q.KeepAlive < 0 || q.KeepAlive > maxKeepAlive:
		return refuse(askKeepAlive, "%s is out of range: write a duration up to %s", q.KeepAlive, maxKeepAlive)
	case q.Factor != 0 && !q.models():
		return refuse(askFactor, "it needs %s, the model whose tokens are counted otherwise", askModel)
	case q.Factor != 0 && (q.Factor < minFactor || q.Factor > maxFactor):
		return refuse(askFactor, "it is out of range: write a number from 0.2 to 5")
	case q.Static < 0:
		return refuse(askStatic, "%d is out of range: write a number of tokens", q.Static)
	case q.Static > 0 && !q.Stagger:
		return refuse(askStatic, "it needs %s", askStagger)
	}
	return nil
}

// Bounds of a question.
const (
	maxKeepAlive = 7 * 24 * vtime.Hour
	minFactor    = 200 // thousandths
	maxFactor    = 5000
)
