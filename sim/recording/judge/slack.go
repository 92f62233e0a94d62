package judge

import (
	"cmp"
	"slices"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"

	"github.com/zeebo/xxh3"
)

// Halves is how many parts sessions are split into.
const Halves = 2

// Half is the half that a session belongs to, by a hash of its origin and id.
func Half(s *recording.Session) int { return int(xxh3.HashString(s.Origin+"\x00"+s.ID) % Halves) }

// maxSlack bounds what is looked for: a log is not minutes late.
const maxSlack = 30 * vtime.Second

// sighting is one request that came shortly after a lifetime.
type sighting struct {
	past   vtime.Duration // beyond the lifetime
	tokens int64
	hit    bool
}

// fitSlack is how long, by the client's log, entries outlive their lifetime: the
// duration that gets the most expected tokens right over requests that came up to
// maxSlack past it.
func fitSlack(sessions []*recording.Session) vtime.Duration {
	var seen []sighting
	for _, s := range sessions {
		for i := range s.Requests {
			if x, ok := sight(s, i); ok {
				seen = append(seen, x)
			}
		}
	}
	slices.SortFunc(seen, func(a, b sighting) int { return cmp.Compare(a.past, b.past) })
	var gain, best int64
	slack := vtime.Duration(0)
	for _, x := range seen {
		if !x.hit {
			gain -= x.tokens
			continue
		}
		if gain += x.tokens; gain > best {
			best, slack = gain, x.past
		}
	}
	return slack
}

// sight is what request i tells of the slack.
func sight(s *recording.Session, i int) (sighting, bool) {
	r := &s.Requests[i]
	if r.Pred < 0 || r.Compacted || s.Requests[r.Pred].Model != r.Model {
		return sighting{}, false
	}
	ttl, ok := s.Lifetime(int(r.Pred))
	past := sinceUse(s, i) - ttl.Duration()
	if !ok || past <= 0 || past > maxSlack {
		return sighting{}, false
	}
	e := s.Expected(i)
	return sighting{past, e, r.Usage.Read*10 >= e*9}, true
}
