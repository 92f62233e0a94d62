package agent_test

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/sim/agent"
	"agentsim/sim/audit"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// check lists what must hold after every run, whatever it did.
func (s *story) check() (wrong []string) {
	for _, b := range s.model.broken {
		wrong = append(wrong, "LOOP-04 a request is not well-formed: "+b)
	}
	if s.err == nil {
		wrong = append(wrong, s.checkEnds()...)
		wrong = append(wrong, s.checkNotifications()...)
		wrong = append(wrong, s.checkMessages()...)
		wrong = append(wrong, s.checkUser()...)
		wrong = append(wrong, s.checkUsage()...)
	}
	if s.err == nil {
		wrong = append(wrong, s.checkAudit()...)
	}
	return append(wrong, s.checkRenders()...)
}

// events of the kind, each as its fields; field "" is the agent.
func (s *story) eventsOf(kind string) (out []map[string]string) {
	if s.kinds == nil || s.read > s.text.Len() {
		s.kinds, s.read = map[string][]string{}, 0
	}
	for line := range strings.Lines(s.text.String()[s.read:]) {
		if of := strings.SplitN(line, " ", 6); len(of) >= 5 {
			kind := strings.TrimSuffix(of[4], "\n")
			s.kinds[kind] = append(s.kinds[kind], line)
		}
	}
	s.read = s.text.Len()
	for _, line := range s.kinds[kind] {
		f := strings.Fields(line)
		ev := map[string]string{"": f[3], "at": f[1]}
		for _, w := range f[5:] {
			k, v, _ := strings.Cut(w, "=")
			ev[k] = v
		}
		out = append(out, ev)
	}
	return out
}

// checkEnds: each activation that starts ends, calls all have results, and an ended
// agent listens to nobody.
func (s *story) checkEnds() (wrong []string) {
	ends := map[string]int{}
	for _, e := range s.eventsOf("agent_end") {
		ends[e[""]]++
	}
	starts := map[string]int{}
	for _, e := range s.eventsOf("agent_start") {
		starts[e[""]]++
	}
	if len(starts) != len(s.world.Agents()) {
		wrong = append(wrong, fmt.Sprintf("%d agents, %d of them started", len(s.world.Agents()), len(starts)))
	}
	for ref, n := range starts { // order: every one is told
		if ends[ref] != n {
			wrong = append(wrong, fmt.Sprintf("agent %s started %d times and ended %d times", ref, n, ends[ref]))
		}
	}
	for _, a := range s.world.Agents() {
		if n := a.Context().Abort.Listeners(); n != 0 || a.Context().Abort.Linked() {
			wrong = append(wrong, fmt.Sprintf("ISO-03 %s ended and keeps %d listeners, linked %v", a.Lineage(), n, a.Context().Abort.Linked()))
		}
	}
	if calls, results := len(s.eventsOf("tool_call")), len(s.eventsOf("tool_result")); calls != results {
		wrong = append(wrong, fmt.Sprintf("%d tool calls, %d results", calls, results))
	}
	return wrong
}

// checkNotifications: one for each activation of each task, and what was queued was
// delivered or dropped.
func (s *story) checkNotifications() (wrong []string) {
	count := map[string]map[string]int{}
	for _, e := range s.eventsOf("notification") {
		k := e["task"] + "+" + e["activation"]
		if count[k] == nil {
			count[k] = map[string]int{}
		}
		count[k][e["op"]]++
	}
	for _, t := range s.world.Tasks().All() {
		for i := range t.Activation() + 1 {
			k := t.ID + "+"
			if i > 0 {
				k += strconv.Itoa(i)
			}
			n := count[k]
			if n["delivered"]+n["dropped"] != 1 || n["queued"] > 1 || n["queued"] < n["delivered"] || !t.Status().Final() {
				wrong = append(wrong, fmt.Sprintf("TSK-05 task %s is %s with notifications %v of activation %d", t.ID, t.Status(), n, i))
			}
		}
	}
	return wrong
}

// checkMessages: each message that was sent is delivered or dropped, once, and
// those that are delivered are in the order of sending.
func (s *story) checkMessages() (wrong []string) {
	type to struct{ task, n string }
	left := map[to]int{}
	last := map[string]int{}
	for _, e := range s.eventsOf("message") {
		k := to{e["task"], e["n"]}
		if e["op"] == "sent" {
			left[k]++
			continue
		}
		left[k]--
		n, _ := strconv.Atoi(e["n"])
		if e["op"] == "delivered" && n <= last[e["task"]] {
			wrong = append(wrong, fmt.Sprintf("TSK-08 message %v was delivered behind message %d", k, last[e["task"]]))
		}
		last[e["task"]] = n
	}
	for k, n := range left { // order: every one is told
		if n != 0 {
			wrong = append(wrong, fmt.Sprintf("TSK-08 message %v was sent %d times more often than it was delivered or dropped", k, n))
		}
	}
	return wrong
}

// checkUser: each message of the user is heard or recorded as dropped, and a
// root that has ended well has heard them all.
func (s *story) checkUser() (wrong []string) {
	said, dropped, onEvent := 0, 0, 0
	for _, r := range s.roots {
		if len(r.First) > 0 {
			said++
		}
		for _, st := range r.Steps {
			if len(st.Message) > 0 {
				said++
				if st.On != nil {
					onEvent++ // its event may never have come
				}
			}
		}
	}
	heard := s.eventsOf("user_message")
	for _, e := range heard {
		if e["dropped"] != "" {
			dropped++
		}
	}
	if len(heard) != said {
		wrong = append(wrong, fmt.Sprintf("PRM-05 the user said %d messages, %d are recorded", said, len(heard)))
	}
	for _, a := range s.world.Agents() {
		if a.Parent() == nil && a.Ending().Status == "max_turns" {
			return wrong
		}
	}
	if dropped > onEvent {
		wrong = append(wrong, fmt.Sprintf("PRM-05 %d messages were dropped though every root went on", dropped))
	}
	return wrong
}

// checkUsage: what all agents consumed is what the roots answer for, and what
// was billed.
func (s *story) checkUsage() (wrong []string) {
	var own, roots llm.Usage
	for _, a := range s.world.Agents() {
		own = own.Plus(a.Own())
		if a.Parent() == nil {
			roots = roots.Plus(a.Rolled())
		}
	}
	if own != roots || own != s.model.billed {
		wrong = append(wrong, fmt.Sprintf("SUB-18 own %v, rolled up %v, billed %v", own, roots, s.model.billed))
	}
	return wrong
}

// checkRenders: the structured messages give the bytes that were sent.
func (s *story) checkRenders() (wrong []string) {
	for _, a := range s.world.Agents() {
		c := a.Conversation()
		repl := c.Repl
		repl.OnReplace = nil
		if n := agent.Render(&llm.Builder{}, c.Prefix, c.Last, &repl); n.Hash != c.Head.Hash {
			wrong = append(wrong, "CON-04 "+a.Lineage()+": its messages do not render to what it sends")
		}
	}
	return wrong
}

// auditor is a sink that holds the story against the invariants.
func (s *story) auditor() transcript.Sink {
	s.audit = audit.New(audit.Options{Rerender: s.cfg.Forks.Rerender || s.cfg.Forks.FreshRepl, EvictAfter: s.cfg.EvictAfter, Handoffs: s.classifier(),
		TypedChildren: s.cfg.Forks.TypedChildren})
	return s.audit
}

// checkAudit: the invariants hold, but for those on the cache: a story's model
// bills what the story says.
func (s *story) checkAudit() (wrong []string) {
	for _, v := range s.audit.Report().Violations {
		if !strings.HasPrefix(v.Check, "CACHE-") {
			wrong = append(wrong, v.String())
		}
	}
	return wrong
}
