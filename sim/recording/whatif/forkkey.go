package whatif

import "agentsim/sim/recording"

// ForkKey is what forks of Codex lost that were routed by a key of their own
// instead of their parent's, and so to a machine that did not know the parent's
// prefix (IMP-07). No model is played: OpenAI's cache is best effort.
type ForkKey struct {
	Forks []LostFork
	Plain int64 // tokens of all requests that were not read
	// Assumed is what was taken for granted, for people.
	Assumed []string
}

// LostFork is one fork's first request.
type LostFork struct {
	Thread       string
	Prompt, Read int64
	// Prefix is what it shares with its parent, in whole units of the cache; where
	// the parent's prompt is not in the recording, its whole prompt.
	Prefix      int64
	ParentKnown bool
}

// Lost is how many tokens it would have read with its parent's key.
func (f LostFork) Lost() int64 { return max(f.Prefix-f.Read, 0) }

// Lost sums what the forks lost.
func (k *ForkKey) Lost() (sum int64) {
	for _, f := range k.Forks {
		sum += f.Lost()
	}
	return sum
}

// forkUnit is the granularity of what OpenAI's cache reports, in tokens.
const forkUnit = 128

// AskForkKey says what Codex's forks in s would have read under their parent's
// routing key. The error is a *Refusal where it has none.
func AskForkKey(s *recording.Session) (*ForkKey, error) {
	k := &ForkKey{}
	seen := map[int32]bool{}
	forks, guessed := 0, 0
	for i := range s.Requests {
		r := &s.Requests[i]
		if !r.Billed {
			return nil, refuse(askForkKey, "it is about Codex, whose API bills no writes: this recording, of format %s, holds no bill of request %d of %d", s.Format, i+1, len(s.Requests))
		}
		if r.WritesKnown {
			return nil, refuse(askForkKey, "it is about Codex, whose API bills no writes: this recording is of %s", client(s))
		}
		k.Plain += r.Usage.Input
		if seen[r.Thread] || s.Threads[r.Thread].Kind != recording.Fork {
			continue
		}
		seen[r.Thread] = true
		forks++
		f := lostFork(s, r)
		if f.Read*2 >= f.Prefix {
			continue
		}
		if !f.ParentKnown {
			guessed++
		}
		k.Forks = append(k.Forks, f)
	}
	switch {
	case forks == 0:
		return nil, refuse(askForkKey, "the recording has no forks")
	case len(k.Forks) == 0:
		return nil, refuse(askForkKey, "the first request of each of its forks read its parent's prefix")
	}
	k.Assumed = []string{"with its parent's key a fork reads what it shares with its parent, in units of 128 tokens; OpenAI's cache is best effort, so this is what it can read at most",
		"tokens only: the API bills no writes, and the table has no prices of its models"}
	if guessed > 0 {
		k.Assumed = append(k.Assumed, "the parent of "+count(guessed, "fork")+" is not in the recording: the whole first prompt is taken to be its prefix, though what the fork was told stands in it too")
	}
	return k, nil
}

func client(s *recording.Session) string {
	if s.Client == "" {
		return "a client that is not named"
	}
	return s.Client
}

func lostFork(s *recording.Session, r *recording.Request) LostFork {
	f := LostFork{Thread: s.Threads[r.Thread].Name, Prompt: r.Usage.Prompt(), Read: r.Usage.Read}
	f.Prefix = f.Prompt
	if r.Pred >= 0 {
		f.ParentKnown = true
		f.Prefix = min(f.Prefix, s.Requests[r.Pred].Usage.Prompt())
	}
	f.Prefix -= f.Prefix % forkUnit
	return f
}
