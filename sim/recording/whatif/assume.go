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
	out := []string{"prompts, answers and times are as recorded, unless the question changes them"}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, f := range p.priced() {
		say("prices of %s: %s, %s", f.ID, f.Source, f.Date)
	}
	w := p.world()
	if w.outputs > 0 {
		say("%d of %s have no final output length in the log: every bill here lacks the rest, so shares of it are too large", w.outputs, count(len(s.Requests), "request"))
	}
	if p.opt.Slack > 0 {
		say("an entry can still be read %s after its TTL, by the client's log", p.opt.Slack)
	}
	say("tools and system prompt have the size that the whole recording shows")
	if w.statics > 0 {
		say("for %s it shows none: they share no prefix", count(w.statics, "thread"))
	}
	if p.q.Static > 0 {
		say("where it shows none for a sub-agent: %d tokens", p.q.Static)
	}
	for _, t := range w.taken() {
		say("from the log: %s; kept as they are in every answer", t)
	}
	if w.lifetimes > 0 {
		say("%s wrote nothing and follow nothing that did: their TTL is taken as 5m", count(w.lifetimes, "request"))
	}
	return out
}

// shown counts what the recording shows of the world and what it does not tell.
type shown struct {
	outputs, lifetimes, statics int // not told
	hidden, lost, warm          int // taken over
	tokens                      int64
}

// taken says what the log shows that no prompt holds, and that the model takes over.
func (w *shown) taken() (out []string) {
	if w.lost > 0 {
		out = append(out, fmt.Sprintf("%s reused less than was possible, for reasons outside the question (%s)", count(w.lost, "request"), count(w.tokens, "token")))
	}
	if w.hidden > 0 {
		out = append(out, fmt.Sprintf("%s of the client, not recorded, kept conversations cached before user turns (not billed here)", count(w.hidden, "request")))
	}
	if w.warm > 0 {
		out = append(out, fmt.Sprintf("%s found tools and system prompt cached, whoever kept them so", count(w.warm, "conversation")))
	}
	return out
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
			if f := p.opt.priced(s.Requests[i].Model); !slices.Contains(out, f) {
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
