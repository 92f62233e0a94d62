// Package toscenario makes a scenario of a recorded session: what each of its threads
// did, call by call, as far as the recording says and shows.
//
// Rules:
//   - What a call goes on from, what it missed and which requests of the client's own
//     stood between are those that player.Hindsight finds.
//   - Nothing that was said, no path and no name stands in it unless content is asked
//     for: tools and types of agents are named as profiles name them.
//   - Instants count from the session's first.
package toscenario

import (
	"cmp"
	"slices"
	"strconv"

	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/player"
	"agentsim/sim/recording/profile"
	"agentsim/sim/vtime"
)

// Options say how a scenario is made.
type Options struct {
	Slack   vtime.Duration // how long an entry outlives its lifetime
	Content bool           // what was said is part of it, as far as the recording holds it
}

// Told is a session as a scenario tells it.
type Told struct {
	Model   string // of most calls
	TTL     llm.TTL
	Threads []scenarios.RecordedThread
	Ends    vtime.Duration // of the last answer
}

// Known is what the whole of a session shows, requests of the client's own and what
// they left to be read included.
func Known(s *recording.Session, slack vtime.Duration) *player.Known {
	k := player.Hindsight([]*recording.Session{s}, slack)
	left := make([]int64, len(s.Requests))
	for i := range left {
		if k.Hidden[0][i] != 0 {
			left[i] = s.Requests[i].Usage.Read
		}
	}
	k.Left = [][]int64{left}
	return k
}

// Of tells a session. It must be playable.
func Of(s *recording.Session, opt Options) (*Told, error) {
	if err := player.Playable(s); err != nil {
		return nil, err
	}
	t := &teller{s: s, opt: opt, known: Known(s, opt.Slack), out: &Told{}}
	for i := range s.Requests {
		if i == 0 || s.Requests[i].Start < t.origin {
			t.origin = s.Requests[i].Start
		}
	}
	t.place()
	t.name()
	t.common()
	for i := range s.Requests {
		t.call(i)
	}
	return t.out, nil
}

// teller tells one session.
type teller struct {
	s      *recording.Session
	opt    Options
	known  *player.Known
	out    *Told
	origin vtime.Instant
	nth    []int     // of each request, its number in its thread, from 0
	of     [][]int32 // requests by thread
	names  []string  // of threads
	at     []int     // where threads stand in the scenario; -1 for one without requests
	uses   [][]scenarios.RecordedUse
	heads  []int64 // of each request, tokens of its conversation's head
	froms  []int32 // of each request, the one that it goes on from; -1 for none
}

// place numbers the requests in their threads.
func (t *teller) place() {
	n := len(t.s.Requests)
	t.of, t.nth = t.s.ByThread()
	t.heads, t.froms = make([]int64, n), make([]int32, n)
	t.uses = make([][]scenarios.RecordedUse, n)
	for i := range t.s.Requests {
		t.used(i)
	}
}

// used lists the tool uses of an answer that another request of its thread follows.
// Where the recording does not name them, one that is not named stands for them.
func (t *teller) used(i int) {
	r := &t.s.Requests[i]
	calls := t.of[r.Thread]
	if t.nth[i]+1 == len(calls) {
		return
	}
	for _, u := range r.Tools {
		t.uses[i] = append(t.uses[i], scenarios.RecordedUse{Tool: profile.ToolName(u.Name), Bytes: u.Bytes, Took: u.Took, Failed: u.IsError})
	}
	if next := &t.s.Requests[calls[t.nth[i]+1]]; r.Tools == nil && !next.UserTurn && !next.Compacted && t.s.Threads[r.Thread].Kind != recording.Compact {
		t.uses[i] = []scenarios.RecordedUse{{Tool: "other"}}
	}
}

// name names the threads: main/12.3 is what the third tool use of main's twelfth
// answer started. Others are roots with a number.
func (t *teller) name() {
	t.names, t.at = make([]string, len(t.s.Threads)), make([]int, len(t.s.Threads))
	taken := map[string]bool{}
	for i := range t.s.Threads {
		t.at[i] = -1
		if len(t.of[i]) == 0 {
			continue
		}
		th := &t.s.Threads[i]
		name, ok := t.started(i)
		if !ok && th.Kind == recording.Main && !taken["main"] {
			name = "main"
		} else if !ok {
			name = "thread-" + strconv.Itoa(i+1)
		}
		taken[name] = true
		t.names[i], t.at[i] = name, len(t.out.Threads)
		t.out.Threads = append(t.out.Threads, scenarios.RecordedThread{Thread: name, Type: t.typeOf(th), Background: ok && t.waits(i)})
	}
}

// typeOf is the type of a thread's agent, "" for a main thread's.
func (t *teller) typeOf(th *recording.Thread) string {
	if th.Kind == recording.Main {
		return ""
	}
	return cmp.Or(profile.TypeName(th.Type), th.Kind.String())
}

// deepest is how deep agents may start agents.
const deepest = 5

// started is the lineage of a thread whose spawner is known: the use of a tool that
// started it is found, or made where the recording does not name uses.
func (t *teller) started(i int) (string, bool) {
	th := &t.s.Threads[i]
	if th.Kind != recording.SubAgent || th.Parent < 0 || th.SpawnedBy < 0 || t.s.Requests[th.SpawnedBy].Thread != th.Parent || t.at[th.Parent] < 0 {
		return "", false
	}
	by := &t.s.Requests[th.SpawnedBy]
	call, parent := t.nth[th.SpawnedBy], t.names[th.Parent]
	first := &t.s.Requests[t.of[i][0]]
	if depth(parent)+1 > deepest || first.Pred >= 0 || first.Start < by.Last || call+1 == len(t.of[th.Parent]) {
		return "", false
	}
	uses := &t.uses[th.SpawnedBy]
	k := slices.IndexFunc(by.Tools, func(u recording.ToolUse) bool { return th.ToolUse != "" && u.ID == th.ToolUse })
	if k < 0 || k >= len(*uses) {
		if by.Tools == nil && len(*uses) == 1 && (*uses)[0].Tool == "other" {
			*uses = nil
		}
		k = len(*uses)
		*uses = append(*uses, scenarios.RecordedUse{Tool: "Agent"})
	}
	return parent + "/" + strconv.Itoa(call+1) + "." + strconv.Itoa(k+1), true
}

func depth(lineage string) (n int) {
	for _, c := range lineage {
		if c == '/' {
			n++
		}
	}
	return n
}

// waits reports whether a thread's spawner did not wait for its end.
func (t *teller) waits(i int) bool {
	th := &t.s.Threads[i]
	next := &t.s.Requests[t.of[th.Parent][t.nth[th.SpawnedBy]+1]]
	for _, j := range t.of[i] {
		if t.s.Requests[j].Last > next.Start {
			return true
		}
	}
	return th.Async
}

// common finds the model and the lifetime of most calls.
func (t *teller) common() {
	models, ttls := map[string]int{}, [2]int{}
	for i := range t.s.Requests {
		m := t.model(i)
		if models[m]++; t.out.Model == "" || models[m] > models[t.out.Model] {
			t.out.Model = m
		}
		ttl, _ := t.s.Lifetime(i)
		ttls[ttl]++
	}
	if ttls[llm.TTL1h] > ttls[llm.TTL5m] {
		t.out.TTL = llm.TTL1h
	}
}

// model is the dated id of a request's model.
func (t *teller) model(i int) string {
	p, err := cachemodel.Lookup(t.s.Requests[i].Model)
	if err != nil {
		panic("toscenario: a session was told that is not playable: " + err.Error())
	}
	return p.Pinned()
}

func (t *teller) since(at vtime.Instant) vtime.Duration { return at.Sub(t.origin) }

// call tells request i.
func (t *teller) call(i int) {
	r := &t.s.Requests[i]
	thread := &t.out.Threads[t.at[r.Thread]]
	first, last := max(r.First, r.Start), max(r.Last, r.First, r.Start)
	c := scenarios.RecordedCall{At: t.since(r.Start), First: first.Sub(r.Start), Took: last.Sub(r.Start), Prompt: t.size(i), Input: r.Usage.Input,
		Output: r.Usage.Output, Uses: t.uses[i]}
	if r.AnswerBlocks > 1 {
		c.Blocks = r.AnswerBlocks
	}
	if ttl, _ := t.s.Lifetime(i); ttl != t.out.TTL {
		c.TTL = &ttl
	}
	if at := t.known.Hidden[0][i]; at != 0 {
		d := t.since(at)
		c.Hidden, c.Left = &d, t.known.Left[0][i]
	}
	c.Warm = t.known.Seen[0][i] || c.Hidden != nil && t.known.Warm[0][i]
	t.goesOn(i, thread, &c)
	if t.opt.Content {
		t.content(i, &c)
	}
	thread.Calls = append(thread.Calls, c)
	t.out.Ends = max(t.out.Ends, t.since(last))
}

// size is how many tokens of request i can be cached.
func (t *teller) size(i int) int64 {
	u := t.s.Requests[i].Usage
	return u.Read + u.Written()
}

// goesOn tells what request i goes on from, and what it missed.
func (t *teller) goesOn(i int, thread *scenarios.RecordedThread, c *scenarios.RecordedCall) {
	r := &t.s.Requests[i]
	from, model := t.base(i), t.out.Model
	static := t.known.Static[0][i]
	if static > t.size(i) {
		static = 0
	}
	lost := t.known.From[0][i] != player.AsTold
	if lost && from >= 0 && !changed(r) {
		t.froms[i], t.heads[i] = from, t.heads[from]
		c.Miss = &r.Usage.Read
		if back := t.known.From[0][i]; back >= 0 {
			t.heads[i] = t.heads[back]
		} else if r.Usage.Read > 0 { // where it is not the head's size, the head is another one
			t.heads[i] = r.Usage.Read
		}
	} else {
		if lost {
			from = t.known.From[0][i]
			if from >= 0 && (t.model(int(from)) != t.model(i) || t.size(int(from)) > t.size(i)) {
				from = -1
			}
		}
		t.froms[i], t.heads[i] = from, static
		if from >= 0 {
			t.heads[i] = t.heads[from]
		}
	}
	switch from := t.froms[i]; {
	case from < 0:
		if t.nth[i] == 0 {
			thread.Head = static
		} else {
			c.From = scenarios.Anew
			if before := t.of[r.Thread][t.nth[i]-1]; t.heads[before] != static {
				c.Head = &static
			}
			model = t.model(int(t.of[r.Thread][t.nth[i]-1]))
		}
	case t.s.Requests[from].Thread != r.Thread:
		c.From, model = t.names[t.s.Requests[from].Thread]+" "+strconv.Itoa(t.nth[from]+1), t.model(i)
	case t.nth[from]+1 != t.nth[i]:
		c.From, model = strconv.Itoa(t.nth[from]+1), t.model(i)
	default:
		model = t.model(i)
	}
	if m := t.model(i); m != model {
		c.Model = m
	}
}

// base is the request whose conversation request i goes on from by what the recording
// says: the nearest one of its model, unless the prompt is shorter. -1 for none.
func (t *teller) base(i int) int32 {
	for j := int32(i); ; {
		r := &t.s.Requests[j]
		if r.Compacted || r.Pred < 0 {
			return -1
		}
		if j = r.Pred; t.s.Requests[j].Model == t.s.Requests[i].Model {
			if t.size(int(j)) <= t.size(i) {
				return j
			}
			return -1
		}
	}
}

// changed reports whether the recording says that a request's front or history is
// another one than before.
func changed(r *recording.Request) bool {
	_, told := r.Tells(recording.ResumeTold, recording.MicrocompactTold, recording.VersionTold)
	return told || !r.Continues() || r.ServerMiss == "tools_changed" || r.ServerMiss == "system_changed" || r.ServerMiss == "messages_changed"
}
