package whatif

import (
	"fmt"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// prefix is what makes siblings share one.
type prefix struct {
	by    int32
	kind  recording.ThreadKind
	typ   string
	model string
}

// askStagger lets siblings of one answer wait until the first one's response
// begins, as CACHE-29 has it: those of one type and model, which begin alike.
func (p *plan) askStagger() error {
	if !p.q.Stagger {
		return nil
	}
	reqs, _ := p.recorded.ByThread()
	if err := p.canStagger(reqs); err != nil {
		return err
	}
	hold := p.holds(reqs)
	if p.answer.Held == 0 {
		return refuse(askStagger, "no sibling began before the first one's response did, so there is nothing to hold")
	}
	if p.answer.Held == len(p.answer.Left) {
		return refuse(askStagger, "the siblings that began too early read nothing, and so did all like them: the size of what they share is not in the recording (%s gives it)", askStatic)
	}
	p.shift(hold, reqs)
	p.note("siblings of one answer are alike when their type and model are; the spawner goes on when the last of them has come back")
	if p.answer.Longest > claudeCodeHold {
		p.note("a sibling waits as long as it takes; Claude Code's own staggering gives up after %s", claudeCodeHold)
	}
	return nil
}

// claudeCodeHold is how long Claude Code's workflows hold siblings at most: the
// default of CLAUDE_CODE_WORKFLOW_PREFIX_STAGGER_MS.
const claudeCodeHold = 5 * vtime.Second

func (p *plan) canStagger(reqs [][]int32) error {
	siblings := map[int32]int{}
	agents, unknown := 0, 0
	for t := range p.recorded.Threads {
		th := &p.recorded.Threads[t]
		if th.Kind == recording.Main || len(reqs[t]) == 0 {
			continue
		}
		agents++
		if th.SpawnedBy < 0 {
			unknown++
			continue
		}
		if siblings[th.SpawnedBy]++; siblings[th.SpawnedBy] > 1 {
			return nil
		}
	}
	switch {
	case agents == 0:
		return refuse(askStagger, "the recording has no sub-agents")
	case unknown == agents:
		return refuse(askStagger, "which requests spawned its sub-agents is not in the recording")
	}
	return refuse(askStagger, "no answer in the recording spawned more than one sub-agent")
}

// holds is how long each thread waits before its first request.
func (p *plan) holds(reqs [][]int32) []vtime.Duration {
	out := make([]vtime.Duration, len(reqs))
	leader := map[prefix]int{}
	of := func(t int) (prefix, bool) {
		th := &p.session.Threads[t]
		if th.SpawnedBy < 0 || len(reqs[t]) == 0 {
			return prefix{}, false
		}
		return prefix{th.SpawnedBy, th.Kind, th.Type, p.session.Requests[reqs[t][0]].Model}, true
	}
	for t := range reqs {
		k, ok := of(t)
		if !ok {
			continue
		}
		if l, had := leader[k]; !had || p.session.Requests[reqs[t][0]].Start < p.session.Requests[reqs[l][0]].Start {
			leader[k] = t
		}
	}
	for t := range reqs {
		k, ok := of(t)
		if !ok || leader[k] == t {
			continue
		}
		first := &p.session.Requests[reqs[t][0]]
		wait := p.session.Requests[reqs[leader[k]][0]].First.Sub(first.Start)
		if wait <= 0 {
			continue
		}
		out[t] = wait
		p.answer.Held++
		p.answer.Changed++
		p.answer.Longest = max(p.answer.Longest, wait)
		if p.given.Static[0][reqs[t][0]] == 0 {
			p.answer.Left = append(p.answer.Left, Left{p.session.Threads[t].Name, p.recorded.Threads[t].Kind,
				p.unshared()})
		}
	}
	return out
}

// unshared is why a sibling that waited reads nothing.
func (p *plan) unshared() string {
	if p.q.Static > 0 {
		return fmt.Sprintf("held, and reads nothing: its prompt is shorter than the %d tokens of %s", p.q.Static, askStatic)
	}
	return "held, and reads nothing: the size of what it shares with its siblings is not in the recording (" + askStatic + " gives it)"
}

// shift moves requests by what they wait for: a thread's first one for its
// spawner and its hold, a later one for its predecessor and for what that one
// spawned and waited for.
func (p *plan) shift(hold []vtime.Duration, reqs [][]int32) {
	late := make([]vtime.Duration, len(p.session.Requests))
	for i := range p.session.Requests {
		r := &p.session.Requests[i]
		th := &p.session.Threads[r.Thread]
		switch {
		case int32(i) == reqs[r.Thread][0]:
			late[i] = hold[r.Thread]
			if th.SpawnedBy >= 0 {
				late[i] += late[th.SpawnedBy]
			}
		case r.Pred >= 0:
			late[i] = max(late[r.Pred], p.joined(int(r.Pred), r.Start, late, reqs))
		}
	}
	for i := range p.session.Requests {
		r := &p.session.Requests[i]
		r.Start, r.First, r.Last = r.Start.Add(late[i]), r.First.Add(late[i]), r.Last.Add(late[i])
	}
}

// joined is how much later than recorded the last of the threads came back that
// request i spawned and whose end was waited for until start.
func (p *plan) joined(i int, start vtime.Instant, late []vtime.Duration, reqs [][]int32) vtime.Duration {
	var was, is vtime.Instant
	for t := range p.session.Threads {
		th := &p.session.Threads[t]
		if int(th.SpawnedBy) != i || th.Async || len(reqs[t]) == 0 {
			continue
		}
		last := reqs[t][len(reqs[t])-1]
		end := p.session.Requests[last].Last
		if end > start {
			continue
		}
		was, is = max(was, end), max(is, end.Add(late[last]))
	}
	return is.Sub(was)
}
