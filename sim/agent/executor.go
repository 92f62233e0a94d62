package agent

import (
	"agentsim/sim/kernel"
	"agentsim/sim/permission"
	"agentsim/sim/team"
	"agentsim/sim/transcript"
)

// executor runs teammates, whatever the backend (SWM-01). All calls return at once.
type executor interface {
	// backend is where teammates run.
	backend() team.Backend
	// isAvailable says why none can be started.
	isAvailable() error
	// spawn starts a teammate that has been made.
	spawn(m *mate) spawned
	// sendMessage puts a mail into its mailbox.
	sendMessage(m *mate, from *mate, kind team.MailKind, text string) error
	// terminate asks it to end, which it may refuse.
	terminate(m *mate, by *mate, reason string) error
	// kill ends it at once; false where it is not active.
	kill(m *mate) bool
	// isActive reports whether it has started and not ended.
	isActive(m *mate) bool
}

// spawned is what is known of a teammate that was started.
type spawned struct {
	agentID, taskID string
	controller      *Controller // its own, by which it alone is aborted (SWM-11)
}

// executor is the one for the session's environment, which is looked at once (SWM-02).
func (w *World) executor() executor {
	if w.runs == nil {
		b, err := team.Detect(w.cfg.Teams.Environment)
		w.runs = &inProcess{w}
		if err != nil || b.Panes() {
			w.runs = &panes{inProcess{w}, b, err}
		}
	}
	return w.runs
}

// inProcess runs teammates in the session's own process: they share its connections.
type inProcess struct{ w *World }

func (x *inProcess) backend() team.Backend { return team.InProcess }
func (x *inProcess) isAvailable() error    { return nil }
func (x *inProcess) isActive(m *mate) bool {
	return !m.of.ended && (m.of.task == nil || !m.of.task.Status().Final())
}

func (x *inProcess) spawn(m *mate) spawned {
	return x.run(m, &transcript.Team{Backend: string(team.InProcess)})
}

// run starts the process of a teammate and records it.
func (x *inProcess) run(m *mate, ev *transcript.Team) spawned {
	ev.Team, ev.Op, ev.Name = m.in.Name, "joined", m.name
	x.w.rec.emit(m.of.ref, ev)
	m.starts = ev.StartUp
	m.of.proc = x.w.cfg.Kernel.Spawn(m.of.lineage, m.of.body)
	return spawned{team.ID(m.name, m.in.Name), m.of.task.ID, m.of.ctx.Abort}
}

func (x *inProcess) sendMessage(m *mate, from *mate, kind team.MailKind, text string) error {
	return post(x.w, m.of, m.in.Box(m.name), m.in.Name, from.name, kind, text)
}

func (x *inProcess) terminate(m *mate, by *mate, reason string) error {
	return m.requestShutdown(by, reason)
}

func (x *inProcess) kill(m *mate) bool {
	if !x.isActive(m) {
		return false
	}
	stopMate(x.w, m, ErrTaskStopped)
	return true
}

// panes runs each teammate as a process of its own in a pane of a terminal: it takes
// time to start and opens connections of its own (SWM-03). No pane is opened.
type panes struct {
	inProcess
	in   team.Backend
	lack error // why there is no terminal for them
}

func (x *panes) backend() team.Backend { return x.in }
func (x *panes) isAvailable() error    { return x.lack }

func (x *panes) spawn(m *mate) spawned {
	start := x.w.cfg.Teams.StartUp
	if start == 0 {
		start = DefaultStartUp
	}
	return x.run(m, &transcript.Team{Backend: string(x.in), StartUp: start, Connections: 1 + len(x.w.cfg.Servers.Shared()), Command: x.command(m)})
}

// command is what is done to have a shell run a teammate in its pane (SWM-10).
func (x *panes) command(m *mate) string {
	p := team.Pane{Dir: m.of.directory(), Binary: "agentsim", Name: m.name, Team: m.in.Name, Color: m.in.Color(m.name), Session: m.in.lead.ctx.ID.String(),
		PlanRequired: m.of.Mode() == permission.Plan, Mode: string(m.of.Mode()), Type: m.of.def.Type, Model: m.of.client.req.Model}
	if x.in == team.ITerm2 {
		return p.Command()
	}
	return team.Line(team.SendKeys(m.name, p.Command(), x.w.cfg.Teams.Environment.InTmux))
}

// pane is the command that does something to the pane of a teammate, "" where it has none.
func (m *mate) pane(what string) string {
	w := m.of.w
	if x, ok := w.executor().(*panes); ok {
		return team.Line(x.in.Do(what, m.name, w.cfg.Teams.Environment.InTmux))
	}
	return ""
}

// turnPane hides or shows the pane of a member that lives, where there is one that can be.
func (m *mate) turnPane(what string) {
	if !m.member() || m.of.ended {
		return
	}
	if command := m.pane(what); command != "" {
		m.of.w.rec.emit(m.of.ref, &transcript.Team{Team: m.in.Name, Op: what, Name: m.name, Command: command})
	}
}

// startUp waits until a teammate's own process has started.
func (m *mate) startUp(p *kernel.Proc) error {
	if m == nil || m.starts == 0 {
		return nil
	}
	return p.Sleep(m.starts)
}
