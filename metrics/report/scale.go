package report

import (
	"fmt"
)

// Scale is how often a type of agent is started in the world at large, and the
// tokens that its starts are said to spare there.
type Scale struct {
	Type      string
	Spawns    int64  // in a period
	Period    string // such as week
	Low, High int64  // tokens spared in a period; 0 where nothing is said
}

// Extrapolate says what the type's prompts come to at that scale: first what the
// bounds are for one start and, by the first variant's requests, for one request;
// then, for every other variant, what it sends more than the first one.
func Extrapolate(rows []Row, s Scale) []string {
	base, ok := oneSpawn(rows[0], s.Type)
	if !ok {
		return nil
	}
	n := Quantity(s.Spawns)
	var out []string
	if s.High > 0 {
		lo, hi := s.Low/s.Spawns, s.High/s.Spawns
		out = append(out, fmt.Sprintf("%s to %s tok a %s ÷ %s starts of %s = %d to %d tok a start; a start makes %s here: %s to %s tok a request",
			Quantity(s.Low), Quantity(s.High), s.Period, n, s.Type, lo, hi, perStart(base), perRequest(s.Low, s.Spawns, base), perRequest(s.High, s.Spawns, base)))
	}
	for _, r := range rows[1:] {
		one, ok := oneSpawn(r, s.Type)
		if !ok {
			continue
		}
		more := one.prompt/one.starts - base.prompt/base.starts
		line := fmt.Sprintf("%s sends %+d tok a start (%s, %+d a request): × %s = %s tok a %s", variantName(r), more, perStart(one),
			one.prompt/one.requests-base.prompt/base.requests, n, Quantity(more*s.Spawns), s.Period)
		switch total := more * s.Spawns; {
		case s.High == 0:
		case total < s.Low:
			line += ", below the bounds"
		case total > s.High:
			line += ", above the bounds"
		default:
			line += ", within the bounds"
		}
		out = append(out, line)
	}
	return out
}

// spawned is what the agents of a type sent.
type spawned struct{ starts, requests, prompt int64 }

func oneSpawn(r Row, typ string) (spawned, bool) {
	t, ok := r.Run.Type(typ)
	if !ok || t.Agents == 0 || t.Tally.Calls == 0 {
		return spawned{}, false
	}
	return spawned{t.Agents, t.Tally.Calls, t.Tally.Usage.Prompt()}, true
}

func perStart(s spawned) string {
	if s.requests%s.starts == 0 {
		return count(s.requests/s.starts, "request", "requests")
	}
	return fmt.Sprintf("%.1f requests", float64(s.requests)/float64(s.starts))
}

// perRequest is tokens for one request, rounded.
func perRequest(tokens, starts int64, s spawned) string {
	return fmt.Sprintf("%.0f", float64(tokens)/float64(starts)*float64(s.starts)/float64(s.requests))
}
