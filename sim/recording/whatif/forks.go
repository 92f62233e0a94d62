package whatif

import (
	"fmt"

	"agentsim/sim/recording"
	"agentsim/sim/recording/player"
)

// askForks makes forks of sub-agents, or sub-agents of forks.
func (p *plan) askForks() error {
	switch {
	case p.q.AsForks:
		return p.turn(recording.SubAgent, askAsForks, p.asFork)
	case p.q.AsSubagents:
		return p.turn(recording.Fork, askAsSubagents, p.asSubagent)
	}
	return nil
}

// turn gives each thread of a kind to do, which says why it cannot be changed.
// Parents come before their children.
func (p *plan) turn(kind recording.ThreadKind, question string, do func(t int32, reqs []int) string) error {
	reqs := p.requestsOf()
	a := p.answer
	for t := range p.recorded.Threads {
		th := &p.recorded.Threads[t]
		if th.Kind != kind || len(reqs[t]) == 0 {
			continue
		}
		if why := do(int32(t), reqs[t]); why != "" {
			a.Left = append(a.Left, Left{th.Name, kind, why})
			continue
		}
		a.Changed++
	}
	switch {
	case a.Changed > 0:
	case len(a.Left) > 0:
		return refuse(question, "none of its %s can be changed: of %s, %s", count(len(a.Left), kind.String()), a.Left[0].Thread, a.Left[0].Why)
	case kind == recording.Fork && p.threads(recording.Compact) > 0:
		return refuse(question, "the recording has no fork but those that summarise a conversation, which they cannot do without it")
	default:
		return refuse(question, "the recording has no %s with requests of its own", kind)
	}
	p.noteForks(kind)
	return nil
}

func (p *plan) threads(kind recording.ThreadKind) (n int) {
	for i := range p.recorded.Threads {
		if p.recorded.Threads[i].Kind == kind {
			n++
		}
	}
	return n
}

// requestsOf lists the requests of each thread, in order.
func (p *plan) requestsOf() [][]int {
	out := make([][]int, len(p.recorded.Threads))
	for i := range p.recorded.Requests {
		t := p.recorded.Requests[i].Thread
		out[t] = append(out[t], i)
	}
	return out
}

// asFork lets a sub-agent go on from its spawner's conversation: its prompts
// begin with what the spawner had read and written and what it answered, instead
// of the tools and system prompt of its own.
func (p *plan) asFork(t int32, reqs []int) string {
	th, own := &p.session.Threads[t], p.given.Static[0][reqs[0]]
	if th.SpawnedBy < 0 {
		return "which request spawned it is not in the recording"
	}
	spawner := &p.session.Requests[th.SpawnedBy]
	first := &p.session.Requests[reqs[0]]
	answer, known := p.answered(spawner)
	if own == 0 && p.q.Static > size(first) {
		return fmt.Sprintf("%s %d is larger than its first prompt, which has %d tokens", askStatic, p.q.Static, size(first))
	}
	if why := untold(!known, "how long its spawner's answer is, which it would begin with,", own == 0, "the size of its tools and system prompt, which it would not have,"); why != "" {
		return why
	}
	if p.opt.Tokenizer(profile(first.Model).ID) != p.opt.Tokenizer(profile(spawner.Model).ID) {
		return "its spawner's model counts tokens otherwise, so their sizes do not add up"
	}
	for _, i := range reqs {
		if r := &p.session.Requests[i]; r.Compacted || size(r) < own {
			return "its conversation was compacted: what it would have kept is not in the recording"
		}
	}
	grow := size(spawner) + answer - own
	if first.Model != spawner.Model {
		p.moved++
	}
	th.Kind = recording.Fork
	first.Pred = th.SpawnedBy
	for _, i := range reqs {
		r := &p.session.Requests[i]
		resize(r, size(r)+grow, r.Usage.Input)
		r.Model = spawner.Model
		p.begin(i, p.given.Static[0][th.SpawnedBy], p.given.Warm[0][th.SpawnedBy])
		p.asks[i].ttl = p.asks[th.SpawnedBy].ttl
	}
	return ""
}

// untold says which of two sizes a recording does not tell; "" when it tells both.
func untold(answer bool, ofAnswer string, static bool, ofStatic string) string {
	switch {
	case answer && static:
		return ofAnswer + " and " + ofStatic + " are not in the recording (" + askAnswer + " and " + askStatic + " give them)"
	case answer:
		return ofAnswer + " is not in the recording (" + askAnswer + " gives it)"
	case static:
		return ofStatic + " is not in the recording (" + askStatic + " gives it)"
	}
	return ""
}

// answered is how long a request's answer is, as recorded or else as the question
// has it.
func (p *plan) answered(r *recording.Request) (tokens int64, known bool) {
	if r.OutputKnown {
		return r.Usage.Output, true
	}
	return p.q.Answer, p.q.Answer > 0
}

// begin gives request i a static prefix that it was not recorded with, and says
// whether others keep that one alive.
func (p *plan) begin(i int, static int64, warm bool) {
	p.given.Static[0][i], p.given.Seen[0][i], p.given.Warm[0][i] = static, false, warm
	if p.session.Requests[i].Pred < 0 {
		p.given.From[0][i] = player.AsTold
	}
}

// asSubagent lets a fork begin anew, with the tools and system prompt of a
// sub-agent instead of its parent's conversation.
func (p *plan) asSubagent(t int32, reqs []int) string {
	first := &p.session.Requests[reqs[0]]
	if first.Pred < 0 {
		return "what it went on from is not in the recording"
	}
	parent := &p.session.Requests[first.Pred]
	static := p.staticOfSubagents()
	answer, known := p.answered(parent)
	shrink := size(parent) + answer
	if why := untold(!known, "how long the answer is that it went on from", static == 0, "the size of a sub-agent's tools and system prompt"); why != "" {
		return why
	}
	for _, i := range reqs {
		if r := &p.session.Requests[i]; r.Compacted || size(r) < shrink {
			return "its prompts are shorter than what it went on from, so its own part is not in the recording"
		}
	}
	p.session.Threads[t].Kind = recording.SubAgent
	first.Pred = -1
	for _, i := range reqs {
		r := &p.session.Requests[i]
		resize(r, size(r)-shrink+static, r.Usage.Input)
		p.begin(i, static, false)
	}
	return ""
}

// staticOfSubagents is the size of tools and system prompt of a sub-agent: that
// of the first one recorded, else what the question says.
func (p *plan) staticOfSubagents() int64 {
	for i := range p.recorded.Requests {
		if n := p.given.Static[0][i]; n > 0 && p.kind(&p.recorded.Requests[i]) == recording.SubAgent {
			return n
		}
	}
	return p.q.Static
}

func (p *plan) noteForks(kind recording.ThreadKind) {
	if p.q.Answer > 0 {
		p.note("an answer that spawned a thread has %d tokens where the recording does not tell its length", p.q.Answer)
	}
	if kind == recording.Fork {
		p.note("a sub-agent needs nothing of what its parent knew; reading it again would cost more")
		p.note("a sub-agent has the model and the lifetime of the fork, and tools and a system prompt of %d tokens", p.staticOfSubagents())
		return
	}
	p.note("a fork takes as many steps as the sub-agent did, with the same tool results, though it knows what its spawner knew")
	p.note("a fork has its spawner's model, tools, system prompt and lifetime")
	if p.moved > 0 {
		p.note("of %s that model is another one, and so are the prices", count(p.moved, "thread"))
	}
	p.note("a fork's own part is the sub-agent's prompt without tools and system prompt, behind the spawner's answer")
}
