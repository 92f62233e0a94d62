package metrics

import (
	"cmp"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Phase is a part of the work as a lead hands it out (CRD-07).
type Phase uint8

// The phases in the order in which a coordinator means them.
const (
	Research       Phase = iota // workers find out
	Synthesis                   // the lead understands what they found
	Implementation              // workers change files
	Verification                // workers prove that it works
	NumPhases
)

var phaseNames = [NumPhases]string{"research", "synthesis", "implementation", "verification"}

func (p Phase) String() string { return phaseNames[p] }

// phaseOf is the phase that work of a kind belongs to.
func phaseOf(kind string) (Phase, bool) {
	switch kind {
	case "research":
		return Research, true
	case "implement":
		return Implementation, true
	case "verify":
		return Verification, true
	}
	return 0, false
}

// PhaseTimes is when a phase went on, from the run's first event. A worker is in
// a phase from the start of the activation in which it is given such an item, or
// from the request that gives it one later, to that activation's end. The
// synthesis is the calls of whoever spawned the workers between the first
// research result that it has and the first implementation that it hands out;
// without both there is none.
type PhaseTimes struct {
	Parts        int64          // activations, or calls of the synthesis
	Began, Ended vtime.Duration // first begin and last end
	Busy         vtime.Duration // in which at least one part went on
}

// stretch is a part of a phase.
type stretch struct{ from, to vtime.Instant }

// phased is what the fold keeps of an agent's place in the phases.
type phased struct {
	in          [NumPhases]bool
	since       [NumPhases]vtime.Instant
	began       vtime.Instant // of the activation
	asked       bool          // it has sent a request since
	found       bool          // it had an item of research in any activation
	synthesises bool          // it has a first result of research and has handed out no implementation
	implements  bool          // it has handed one out
	heard       vtime.Instant // of the first result of research
	sent        vtime.Instant
	turns       []stretch // of the synthesis, as long as it goes on
}

// phase takes in what an event says of the phases. Memory grows with
// activations and with the calls of a synthesis.
func (f *Fold) phase(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		a := f.agent(e.Agent)
		a.phased.in, a.phased.began, a.phased.asked = [NumPhases]bool{}, e.At, false
	case *transcript.Request:
		f.phaseRequest(e, b)
	case *transcript.Response, *transcript.APIError:
		if p := &f.agent(e.Agent).phased; p.synthesises {
			p.turns = append(p.turns, stretch{max(p.sent, p.heard), e.At})
		}
	case *transcript.AgentEnd:
		a := f.agent(e.Agent)
		f.leavePhases(a, e.At)
		if a.phased.found && !a.async {
			f.researched(a.Parent, e.At)
		}
	case *transcript.Notification:
		if id, ok := parseAgentID(b.TaskID); ok && b.Op == "delivered" {
			if from, ok := f.byID[id]; ok && f.agents[from].phased.found {
				f.researched(e.Agent, e.At)
			}
		}
	}
}

// researched notes that a lead has its first result of research.
func (f *Fold) researched(lead int32, at vtime.Instant) {
	if lead < 0 {
		return
	}
	if p := &f.agent(lead).phased; !p.implements && !p.synthesises {
		p.synthesises, p.heard = true, at
	}
}

// phaseRequest looks at what is said to a worker: in the message that stands
// last, tools' results apart.
func (f *Fold) phaseRequest(e *transcript.Event, b *transcript.Request) {
	a := f.agent(e.Agent)
	p := &a.phased
	p.sent = e.At
	since := e.At
	if !p.asked {
		since, p.asked = p.began, true
	}
	if a.Parent < 0 || b.Attempt > 0 {
		return
	}
	for n := b.Head; n != nil && n.Role == llm.User; n = n.Parent {
		if n.Block.Kind != llm.Text {
			continue
		}
		for _, kind := range f.opt.Assigned(n.Block.Content.Raw()) {
			if phase, ok := phaseOf(kind); ok && !p.in[phase] {
				p.in[phase], p.since[phase] = true, since
				p.found = p.found || phase == Research
				if phase == Implementation {
					f.implements(a.Parent)
				}
			}
		}
	}
}

// implements ends a lead's synthesis, if there was one.
func (f *Fold) implements(lead int32) {
	p := &f.agent(lead).phased
	p.implements, p.synthesises = true, false
	f.stretches[Synthesis] = append(f.stretches[Synthesis], p.turns...)
	p.turns = nil
}

func (f *Fold) leavePhases(a *agent, at vtime.Instant) {
	for i := range a.phased.in {
		if a.phased.in[i] {
			f.stretches[i] = append(f.stretches[i], stretch{a.phased.since[i], at})
			a.phased.in[i] = false
		}
	}
}

// phases is the figures of the phases. What goes on ends with the last event.
func (f *Fold) phases(r *Run) {
	var merged [NumPhases][]stretch
	for i := range merged {
		all := slices.Clone(f.stretches[i])
		for _, a := range f.agents {
			if p := &a.phased; p.in[i] {
				all = append(all, stretch{p.since[i], f.last})
			}
		}
		merged[i] = union(all)
		if len(all) == 0 {
			continue
		}
		last := merged[i][len(merged[i])-1].to
		r.Phases[i] = PhaseTimes{int64(len(all)), merged[i][0].from.Sub(f.first), last.Sub(f.first), length(merged[i])}
	}
	var twice []stretch
	for a := range merged {
		for b := a + 1; b < len(merged); b++ {
			both := meet(merged[a], merged[b])
			r.Overlaps[a][b] = length(both)
			twice = append(twice, both...)
		}
	}
	r.Overlap = length(union(twice))
}

// union puts stretches in order and joins those that touch.
func union(all []stretch) (out []stretch) {
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, s := range all {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// meet is what two unions have in common.
func meet(a, b []stretch) (out []stretch) {
	for i, k := 0, 0; i < len(a) && k < len(b); {
		if from, to := max(a[i].from, b[k].from), min(a[i].to, b[k].to); from < to {
			out = append(out, stretch{from, to})
		}
		if a[i].to < b[k].to {
			i++
		} else {
			k++
		}
	}
	return out
}

func length(parts []stretch) (d vtime.Duration) {
	for _, s := range parts {
		d += s.to.Sub(s.from)
	}
	return d
}

// phaseRows are the metrics of the phases, of a run only.
func phaseRows() (rows []Name) {
	add := func(name, what string, get func(r *Run) (vtime.Duration, bool)) {
		rows = append(rows, Name{name, Nanoseconds, what, "", func(s scope) (Value, bool) {
			d, ok := get(s.run)
			return Whole(int64(d), Nanoseconds), ok && s.whole
		}})
	}
	for p := range NumPhases {
		of := func(get func(*PhaseTimes) vtime.Duration) func(r *Run) (vtime.Duration, bool) {
			return func(r *Run) (vtime.Duration, bool) { return get(&r.Phases[p]), r.Phases[p].Parts > 0 }
		}
		name := "phase." + p.String()
		add(name+".start", "when "+p.String()+" began, from the run's first event", of(func(t *PhaseTimes) vtime.Duration { return t.Began }))
		add(name+".end", "when it ended", of(func(t *PhaseTimes) vtime.Duration { return t.Ended }))
		add(name+".time", "from one to the other", of(func(t *PhaseTimes) vtime.Duration { return t.Ended - t.Began }))
		add(name+".busy", "of that, time in which somebody was at it", of(func(t *PhaseTimes) vtime.Duration { return t.Busy }))
	}
	add("phase.overlap", "time in which two phases or more went on at once", func(r *Run) (vtime.Duration, bool) {
		ran := 0
		for i := range r.Phases {
			ran += int(min(r.Phases[i].Parts, 1))
		}
		return r.Overlap, ran > 1
	})
	for a := range NumPhases {
		for b := a + 1; b < NumPhases; b++ {
			add("phase.overlap."+a.String()+"_"+b.String(), "time in which these two went on at once", func(r *Run) (vtime.Duration, bool) {
				return r.Overlaps[a][b], r.Phases[a].Parts > 0 && r.Phases[b].Parts > 0
			})
		}
	}
	return rows
}
