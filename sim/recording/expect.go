package recording

import "agentsim/sim/llm"

// Expected is how many tokens request i would read if everything its predecessor
// had read or written were still there: E in the rules of IMP-05. It is 0 for a
// request without a predecessor.
func (s *Session) Expected(i int) int64 {
	p := s.Requests[i].Pred
	if p < 0 {
		return 0
	}
	u := s.Requests[p].Usage
	return u.Read + u.Written()
}

// Lifetime is the lifetime that was asked for what request i leaves to be read:
// its own writes tell it, else those of the nearest request before it in the
// conversation. ok is false when none of them wrote.
func (s *Session) Lifetime(i int) (ttl llm.TTL, ok bool) {
	for ; i >= 0; i = int(s.Requests[i].Pred) {
		switch u := s.Requests[i].Usage; {
		case u.Write1h > 0:
			return llm.TTL1h, true
		case u.Write5m > 0:
			return llm.TTL5m, true
		}
	}
	return llm.TTL5m, false
}

// Usage is what the session was billed for.
func (s *Session) Usage() (u llm.Usage) {
	for i := range s.Requests {
		u = u.Plus(s.Requests[i].Usage)
	}
	return u
}
