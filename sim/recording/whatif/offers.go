package whatif

import (
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// Offer is a question and whether a recording can answer it.
type Offer struct {
	Question string // as it is asked on the command line
	Means    string
	Why      string // why there is no answer; "" when there is one
}

// Offers lists the questions, and for each why s cannot answer it if it cannot.
func Offers(s *recording.Session, opt Options) []Offer {
	all := func(ttl llm.TTL) (l [Kinds]Lifetime) {
		for k := range l {
			l[k] = Lifetime{true, ttl}
		}
		return l
	}
	return []Offer{
		offer(s, opt, askLifetime+" 5m", "every cache entry lives for five minutes", &Question{Lifetime: all(llm.TTL5m)}),
		offer(s, opt, askLifetime+" 1h", "every cache entry lives for an hour", &Question{Lifetime: all(llm.TTL1h)}),
		offer(s, opt, askNoCache, "no prompt is cached", &Question{NoCache: true}),
		offer(s, opt, askModel+" ID", "another Claude model answers", &Question{}),
		offer(s, opt, askKeepAlive+" 30m", "idle conversations are kept alive for so long", &Question{KeepAlive: 30 * vtime.Minute}),
		offer(s, opt, askStagger, "siblings wait until the first one's response begins", &Question{Stagger: true}),
		structures(s, opt),
	}
}

// structures offers to have the work of children done by another structure.
func structures(s *recording.Session, opt Options) Offer {
	o := Offer{Question: askStructure + " fork", Means: "forks, sub-agents, a coordinator or the parents do the work of children"}
	if err := billable(s, &opt); err != nil {
		o.Why = why(err)
	} else if !slices.ContainsFunc(s.Threads, func(t recording.Thread) bool { return t.SpawnedBy >= 0 }) {
		o.Why = noChildren
	}
	return o
}

func offer(s *recording.Session, opt Options, question, means string, q *Question) Offer {
	o := Offer{Question: question, Means: means}
	if _, err := prepare(s, q, opt); err != nil {
		o.Why = why(err)
	}
	return o
}

// why is a refusal's reason alone.
func why(err error) string {
	if r, ok := err.(*Refusal); ok {
		return r.Why
	}
	return err.Error()
}
