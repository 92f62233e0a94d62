package toevents

import (
	"cmp"
	"slices"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// moment is one thing to be told.
type moment struct {
	at   vtime.Instant
	rank rank
	i    int // request or thread
	sub  int // place among what one request does at one instant; for a result the tool use
	what what
}

// rank orders what happens at one instant: answers before what is sent because
// of them, ends last.
type rank uint8

const (
	answered rank = iota
	returned
	started
	sent
	ended
)

type what uint8

const (
	agentStart what = iota
	request
	response
	toolResult
	agentEnd
)

// timeline puts what a session holds into the order in which it is told.
func timeline(s *recording.Session) []moment {
	t := &timing{s: s, begin: make([]vtime.Instant, len(s.Threads)), end: make([]vtime.Instant, len(s.Threads)),
		known: make([]bool, len(s.Threads))}
	next := nextStarts(s)
	for i := range s.Requests {
		t.request(i, next[i])
	}
	t.threads()
	slices.SortStableFunc(t.out, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank), cmp.Compare(a.i, b.i), cmp.Compare(a.sub, b.sub))
	})
	return t.out
}

type timing struct {
	s          *recording.Session
	begin, end []vtime.Instant // by thread
	known      []bool          // a thread has a begin and an end
	out        []moment
}

// virtual is an instant of the recording in the run's time.
func virtual(s *recording.Session, t vtime.Instant) vtime.Instant {
	return vtime.Instant(t.Sub(s.Requests[0].Start))
}

// endless is later than anything recorded.
const endless = vtime.Instant(1<<63 - 1)

// nextStarts tells for each request when its thread sent the next one.
func nextStarts(s *recording.Session) []vtime.Instant {
	out := make([]vtime.Instant, len(s.Requests))
	last := make([]vtime.Instant, len(s.Threads))
	for i := range last {
		last[i] = endless
	}
	for i := len(s.Requests) - 1; i >= 0; i-- {
		t := s.Requests[i].Thread
		out[i] = last[t]
		last[t] = virtual(s, s.Requests[i].Start)
	}
	return out
}

// request adds a request, its answer and the results of its tools. All of it is
// told before the thread's next request.
func (t *timing) request(i int, next vtime.Instant) {
	r := &t.s.Requests[i]
	start := virtual(t.s, r.Start)
	end := min(max(virtual(t.s, r.Last), start), next)
	at := answered
	if end == start {
		at = sent // it must not come before its own request
	}
	t.out = append(t.out, moment{start, sent, i, -2, request}, moment{end, at, i, -1, response})
	t.touch(r.Thread, start)
	t.touch(r.Thread, end)
	for k := range r.Tools {
		u := &r.Tools[k]
		if !u.Done {
			continue
		}
		back, rank := min(end.Add(max(u.Took, 0)), next), returned
		if back == end {
			rank = at
		}
		t.out = append(t.out, moment{back, rank, i, k, toolResult})
		t.touch(r.Thread, back)
	}
}

func (t *timing) touch(thread int32, at vtime.Instant) {
	if !t.known[thread] {
		t.known[thread], t.begin[thread], t.end[thread] = true, at, at
	}
	t.begin[thread], t.end[thread] = min(t.begin[thread], at), max(t.end[thread], at)
}

// threads adds the agents' starts and ends: a parent begins before its children
// and ends after them. One of which no request is known begins and ends when it
// was spawned.
func (t *timing) threads() {
	for i := range t.s.Threads {
		if p := t.s.Threads[i].SpawnedBy; !t.known[i] {
			at := vtime.Instant(0)
			if p >= 0 {
				at = max(virtual(t.s, t.s.Requests[p].Last), virtual(t.s, t.s.Requests[p].Start))
			}
			t.touch(int32(i), at)
		}
	}
	for i := len(t.s.Threads) - 1; i >= 0; i-- {
		if p := t.s.Threads[i].Parent; p >= 0 {
			t.begin[p], t.end[p] = min(t.begin[p], t.begin[i]), max(t.end[p], t.end[i])
		}
	}
	for i := range t.s.Threads {
		t.out = append(t.out, moment{t.begin[i], started, i, 0, agentStart},
			moment{t.end[i], ended, len(t.s.Threads) - 1 - i, 0, agentEnd})
	}
}
