package whatif

import (
	"fmt"
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/recording"
	"agentsim/sim/recording/player"
)

// common lists what every question takes for granted.
func (p *plan) common() []string {
	s := p.recorded
	out := []string{"everything that was not asked is as recorded: prompts, answers, instants"}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, f := range p.priced() {
		say("prices of %s: %s, %s", f.ID, f.Source, f.Date)
	}
	w := p.world()
	if w.outputs > 0 {
		say("the output of %d of %s is a placeholder in the recording: every bill here lacks the rest, and shares of it are too large", w.outputs, count(len(s.Requests), "request"))
	}
	if p.opt.Slack > 0 {
		say("an entry outlives its lifetime by %s of the client's log", p.opt.Slack)
	}
	say("the size of tools and system prompt is what the whole recording tells of it")
	if w.statics > 0 {
		say("of %s it tells nothing: they share none", count(w.statics, "thread"))
	}
	if p.q.Static > 0 {
		say("where it tells nothing of a sub-agent's, %d tokens", p.q.Static)
	}
	if w.hidden > 0 {
		say("taken over, and not billed: before %s the client sent a request of its own that renewed the conversation, as the read shows", count(w.hidden, "user turn"))
	}
	if w.lost > 0 {
		say("taken over: %s did not go on from all that was left to them, for reasons that the recording does not tell, and do not whatever is asked (%s)", count(w.lost, "request"), count(w.tokens, "token"))
	}
	if w.warm > 0 {
		say("taken over: at %s tools and system prompt were there to be read, whoever kept them alive", count(w.warm, "conversation beginning"))
	}
	if w.lifetimes > 0 {
		say("%s wrote nothing and went on from nothing that did: their lifetime is 5m", count(w.lifetimes, "request"))
	}
	if p.unmarked {
		say("the client does not mark where its conversation went on: steps behind long answers lost their history")
	}
	return out
}

// shown counts what the recording shows of the world and what it does not tell.
type shown struct {
	outputs, lifetimes, statics int // not told
	hidden, lost, warm          int // taken over
	tokens                      int64
}

func (p *plan) world() (w shown) {
	s, k := p.recorded, p.known
	one := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		_, told := s.Lifetime(i)
		one(&w.outputs, !r.OutputKnown)
		one(&w.lifetimes, !told)
		one(&w.statics, r.Pred < 0 && k.Static[0][i] == 0)
		one(&w.hidden, k.Hidden[0][i] != 0)
		one(&w.warm, k.Seen[0][i] && k.Warm[0][i])
		if k.From[0][i] != player.AsTold {
			w.lost++
			w.tokens += max(s.Expected(i)-r.Usage.Read, 0)
		}
	}
	return w
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
func count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
