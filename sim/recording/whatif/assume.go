package whatif

import (
	"fmt"
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/recording"
)

// common lists what every question takes for granted.
func (p *plan) common() []string {
	s := p.recorded
	out := []string{"everything that was not asked is as recorded: prompts, answers, instants"}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, f := range p.priced() {
		say("prices of %s: %s, %s", f.ID, f.Source, f.Date)
	}
	var unknown, hidden, lifetime, static int
	for i := range s.Requests {
		r := &s.Requests[i]
		if !r.OutputKnown {
			unknown++
		}
		if _, ok := s.Lifetime(i); !ok {
			lifetime++
		}
		if r.Pred < 0 && p.known.Static[0][i] == 0 {
			static++
		}
		if r.UserTurn && r.Pred >= 0 && !r.Compacted && p.kind(r) == recording.Main {
			hidden++
		}
	}
	if unknown > 0 {
		say("the output of %d of %s is a placeholder in the recording: every bill here lacks the rest, which no question about the cache changes", unknown, count(len(s.Requests), "request"))
	}
	if hidden > 0 {
		say("at %s the client may have sent a request of its own right after the last answer, which keeps the conversation alive: it is played and not billed", count(hidden, "user turn"))
	}
	if p.opt.Slack > 0 {
		say("an entry outlives its lifetime by %s of the client's log", p.opt.Slack)
	}
	say("the size of tools and system prompt is what the whole recording tells of it")
	if static > 0 {
		say("of %s it tells nothing: they are taken to share none", count(static, "thread"))
	}
	if p.q.Static > 0 {
		say("where it tells nothing of a sub-agent's, %d tokens", p.q.Static)
	}
	if lifetime > 0 {
		say("%s wrote nothing and went on from nothing that did: their lifetime is taken to be 5m", count(lifetime, "request"))
	}
	say("other sessions of the account are not played; what they kept alive is what the recording shows")
	if p.unmarked {
		say("the client does not mark where its conversation went on: steps behind long answers lost their history")
	}
	return out
}

// priced lists the models of both playings.
func (p *plan) priced() (out []*cachemodel.Profile) {
	for _, s := range [...]*recording.Session{p.recorded, p.session} {
		for i := range s.Requests {
			if f := profile(s.Requests[i].Model); !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// count prints a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
