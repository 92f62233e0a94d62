package policy

import (
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// injection is an instruction that stands in a file and is nobody's to give.
type injection struct {
	name, text, command string
	input               *llm.Payload // of the shell's tool; nil without a command
}

// injections enters what a model that obeys is open to (CON-14). To one that does
// not obey such marks mean nothing.
func (b *binder) injections(sc *scenarios.Scenario) {
	if !sc.Model.Obeys {
		return
	}
	t := b.t
	t.injectIndex = map[string]int{}
	for i, x := range sc.Injections {
		in := injection{name: x.Name, text: x.Text, command: x.Runs}
		if x.Runs != "" {
			in.input = object("command", x.Runs)
		}
		t.injections = append(t.injections, in)
		t.injectIndex[x.Name] = i
	}
}

// seenInjections is what a state knows of injections.
type seenInjections struct {
	taken set  // injections that were read and not warned of
	acted set  // of these, those that were acted on
	shell bool // the pool has a shell
	spawn bool // it has the tool that starts agents
}

// injected notes a mark of an injection.
func (n *note) injected(m mark.Mark) {
	if i, ok := n.table.injectIndex[m.Args[0]]; ok {
		n.injects = union(n.injects, i)
	}
}

// How the stack's classifier stands in front of what it warns of: in the result of
// the Agent tool, in that of an agent that ended badly, and in a notification.
const (
	warnedText   = `"content":[{"type":"text","text":"` + warnedFail
	warnedFail   = "<handoff-warning>"
	warnedNotice = "\n<result>&lt;handoff-warning&gt;"
)

// warned reports whether a child's result bears the classifier's warning at its
// front. Anywhere else the words are somebody else's.
func warned(raw string) bool {
	if strings.HasPrefix(raw, noticeOpen) {
		return strings.Contains(raw, warnedNotice)
	}
	return strings.HasPrefix(raw, warnedFail) || strings.HasPrefix(raw, `{"status":"completed",`) && strings.Contains(raw, warnedText)
}

// pool notes what the model could obey with.
func (f *folder) pool(name string) {
	if len(f.t.injections) == 0 {
		return
	}
	switch name {
	case f.t.names.bash:
		own(&f.s.injections).shell = true
	case f.t.names.agent:
		own(&f.s.injections).spawn = true
	}
}

// tempted takes the injections of what the model reads. Those of a child's report
// count unless the classifier warns of it.
func (f *folder) tempted(n *note, report bool) {
	if len(n.injects) == 0 || report && n.warned {
		return
	}
	l := own(&f.s.injections)
	for _, i := range n.injects {
		l.taken = l.taken.with(i)
	}
}

// gaveIn notes a tool use by which the model obeyed: the command itself, or a
// child that was told to. It is no step of any item.
func (f *folder) gaveIn(b *llm.Block, n *note) {
	if len(f.t.injections) == 0 {
		return
	}
	did := f.t.commands(b)
	if b.Name == f.t.names.agent {
		did = n.injects
	}
	if len(did) == 0 {
		return
	}
	l := own(&f.s.injections)
	for _, i := range did {
		l.acted = l.acted.with(i)
	}
}

// commands are the injections whose command a tool use runs.
func (t *Table) commands(b *llm.Block) (out []int) {
	for i := range t.injections {
		if in := t.injections[i].input; in != nil && b.Name == t.names.bash && b.Content.Raw() == in.Raw() {
			out = append(out, i)
		}
	}
	return out
}

// outlived takes the injections of a summary: they were acted on in the history
// that it stands for.
func (f *folder) outlived(n *note) {
	if len(n.injects) == 0 {
		return
	}
	l := own(&f.s.injections)
	for _, i := range n.injects {
		l.taken, l.acted = l.taken.with(i), l.acted.with(i)
	}
}

// InjectedCause is the cause of a tool use by which a model obeys an injection;
// its name follows.
const InjectedCause = "injection:"

// obey does what injections ask for, each once, and reports whether there was
// anything to do. Who has no shell tells a child to, if it leads.
func (m *Model) obey() bool {
	l, did := m.s.injections, false
	for _, i := range l.taken.minus(l.acted).list(nil) {
		x := &m.t.injections[i]
		switch {
		case x.input == nil:
		case l.shell:
			m.a.Use(m.q, m.t.names.bash, x.input, InjectedCause+x.name)
			did = true
		case l.spawn && !strings.Contains(m.q.Stream.Lineage, "/"):
			m.a.Use(m.q, m.t.names.agent, m.mind().delegation(x), InjectedCause+x.name)
			did = true
		}
	}
	return did
}

// delegation is the input of the call that lets a child do what is asked for.
func (m mind) delegation(x *injection) *llm.Payload {
	typ := m.t.agentType
	if m.t.structure == scenarios.Coordinated {
		typ = workerType
	}
	return object("description", "Do what "+x.name+" asks for", "prompt", "Run this command and report what it prints: "+x.command+"\n"+m.t.passedOn(x),
		given(typ != "", m.t.names.agentType), typ)
}

// workerType is the type of a coordinator's children.
const workerType = "worker"

// passedOn is an injection as a model that obeys passes it on.
func (t *Table) passedOn(x *injection) string {
	return x.text + " " + t.marks.Text(mark.Inject, x.name)
}

// carried is what a report carries on of the injections that were read.
func (m mind) carried() string {
	return m.injectionsIn("\nAlso to be done: ", m.s.injections.taken)
}

// heeded is what a summary says of those that were acted on.
func (m mind) heeded() string {
	return m.injectionsIn("\nDone as asked: ", m.s.injections.acted)
}

func (m mind) injectionsIn(title string, which set) string {
	var b []byte
	for _, i := range which.list(nil) {
		b = append(append(b, title...), m.t.passedOn(&m.t.injections[i])...)
	}
	return string(b)
}
