package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/task"
	"agentsim/sim/team"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Teams is what a session says of teams of agents.
type Teams struct {
	Environment team.Environment
	StartUp     vtime.Duration // of a teammate's process in a pane
	History     int            // messages of a teammate that its user can look at; 0 is DefaultHistory
}

// DefaultHistory is how many messages of a teammate its view holds.
const DefaultHistory = 50

// DefaultStartUp is how long a teammate's process in a pane takes until its first
// request: our own assumption.
const DefaultStartUp = 3 * vtime.Second

// What ends a teammate beside what ends any agent.
var (
	errShutDown  = errors.New("shut-down") // it has approved that
	errLeadEnded = errors.New("lead-ended")

	errProcessEnded = errors.New("process-ended") // of a teammate in a pane, with all below it
)

// squad is a team and the agents that are in it.
type squad struct {
	*team.Team
	lead  *Agent
	about string
	mates []*mate // every member there was
	plans int     // approvals that were asked for
	ends  int     // and shutdowns
}

// mate is an agent as one of a team; the lead is one too. A nil one is in none.
type mate struct {
	of        *Agent
	in        *squad
	name      string
	active    bool                 // it works, or something is on its way to it: its lead waits for it
	leaves    bool                 // it has approved its shutdown
	asked     string               // id of the shutdown that it has not answered
	plan      string               // id of the plan that is not answered
	restores  permission.Mode      // of one that is to plan: what it has once that is approved
	starts    vtime.Duration       // how long its process takes to start
	questions map[string]*question // of its prompts that wait for the lead, by id
}

// leads reports whether the agent is the lead of a team, member whether it is
// another one of it.
func (m *mate) leads() bool  { return m != nil && m.of == m.in.lead }
func (m *mate) member() bool { return m != nil && m.of != m.in.lead }

// find is the newest agent that bears a name in the team, nil for none.
func (s *squad) find(name string) *mate {
	if name == team.LeadName {
		return s.lead.mate
	}
	if !s.Member(name) {
		return nil
	}
	return s.newest(name)
}

// newest is the newest agent that has ever borne a name in the team, nil for none.
func (s *squad) newest(name string) *mate {
	for _, m := range slices.Backward(s.mates) {
		if m.name == name {
			return m
		}
	}
	return nil
}

// left reports whether a member was shut down and nobody bears its name since: it comes
// back when it is written to.
func (s *squad) left(m *mate) bool {
	return m.member() && m.in == s && !s.Member(m.name) && s.newest(m.name) == m
}

// rejoin takes a member back that has left.
func (m *mate) rejoin() {
	if _, err := m.in.Join(m.name); err != nil {
		panic("agent: " + err.Error()) // nobody bears its name
	}
	m.leaves = false
	w := m.of.w
	w.rec.emit(m.of.ref, &transcript.Team{Team: m.in.Name, Op: "joined", Name: m.name, Backend: string(w.executor().backend())})
}

func (s *squad) record(a *Agent, op, name string) {
	a.w.rec.emit(a.ref, &transcript.Team{Team: s.Name, Op: op, Name: name})
}

// errNoTeams answers calls that need teams where the gate is off.
const errNoTeams = "Teams are off in this session (gate AGENT_SWARMS)."

// teamCreate runs the TeamCreate tool (SWM-14).
func teamCreate(a *Agent, use *llm.Block) tool.Result {
	name, about, err := tool.ParseTeamInput(use.Content)
	switch {
	case err != nil:
		return failure(err.Error())
	case !a.w.gates.AgentSwarms:
		return failure(errNoTeams)
	case a.root == nil:
		return failure("Only the main agent of a session leads a team.")
	case a.mate != nil:
		return failure("You lead team " + a.mate.in.Name + ": delete it before you make another.")
	}
	t, err := team.New(name)
	if err != nil {
		return failure(err.Error())
	}
	s := &squad{Team: t, lead: a, about: about}
	a.mate = &mate{of: a, in: s, name: team.LeadName, questions: map[string]*question{}}
	s.record(a, "created", "")
	return sent(`{"team_name":"` + name + `","lead_agent_id":"` + team.ID(team.LeadName, name) + `"}`)
}

// teamDelete runs the TeamDelete tool (SWM-14).
func teamDelete(a *Agent, use *llm.Block) tool.Result {
	if err := tool.TakesNothing(use.Content); err != nil {
		return failure(err.Error())
	}
	if !a.mate.leads() {
		return failure("You lead no team.")
	}
	s := a.mate.in
	var alive []string
	for _, m := range s.mates {
		if !m.of.ended {
			alive = append(alive, m.name)
		}
	}
	if alive != nil {
		return failure("Team " + s.Name + " has members that are alive: " + strings.Join(alive, ", ") + ". Send each a shutdown_request and wait for its end.")
	}
	for _, m := range s.mates {
		m.forget()
	}
	a.mate = nil
	s.record(a, "deleted", "")
	return sent("Team " + s.Name + " is deleted.")
}

// forget lets go what is kept of a member that has ended.
func (m *mate) forget() { forgetChildren([]*Agent{m.of}) }

// enlist takes in what a call says of teams.
func (b *spawning) enlist() error {
	a, in := b.by, &b.in
	switch {
	case confined(a) && in.Background:
		return errNoBackground
	case in.Team == "" && in.Mode != "":
		return errors.New("a mode is a teammate's: it needs team_name and name too")
	case in.Team == "":
		return nil
	case a.mate.member():
		return errors.New("a teammate starts no teammates: a team is flat, and only its lead does")
	case a.root == nil:
		return errors.New("only the main agent of a session leads a team")
	case !a.mate.leads():
		return errors.New("you lead no team: call TeamCreate first")
	case a.mate.in.Name != in.Team:
		return fmt.Errorf("you lead team %s, and no team %s", a.mate.in.Name, in.Team)
	case in.Name == "":
		return errors.New("a teammate needs a name")
	}
	if err := a.mate.in.Free(in.Name); err != nil {
		return err
	}
	if err := a.w.executor().isAvailable(); err != nil {
		return err
	}
	b.recruits = true
	return nil
}

// errNoBackground answers a teammate, and who works for it, that would leave an agent
// behind (SUB-17).
var errNoBackground = errors.New("a teammate starts no agents in the background: they would outlive it")

// confined reports whether an agent is a teammate in the session's own process, or works
// for one. In a pane a teammate has a process of its own, with which those below it end.
func confined(a *Agent) bool {
	for ; a != nil; a = a.parent {
		if a.mate.member() {
			return !a.w.executor().backend().Panes()
		}
	}
	return false
}

// bound is what an agent may not start for a teammate whatever its call says.
func (b *spawning) bound() error {
	if confined(b.by) && b.def.Background {
		return errNoBackground
	}
	return nil
}

// forks reports whether a call without a type forks: not into or within a team, whose
// members start afresh and wait for whom they start.
func (b *spawning) forks() bool {
	return b.by.w.forks() && !b.recruits && !b.by.mate.member() && !confined(b.by)
}

// mateMode is the mode in which a teammate runs: that of its call, unless its lead's
// binds. One that is to plan plans.
func (b *spawning) mateMode() permission.Mode {
	if asked := permission.Mode(b.in.Mode); asked == permission.Plan {
		return asked
	} else if asked != "" {
		return RunMode(b.by.Mode(), asked)
	}
	return b.mode
}

// teamNote tells teammates in their prompt how a team works.
const teamNote = "\n# Team\nYou are a member of a team. Nobody reads what you write as plain text: reach your lead and the others by SendMessage. " +
	"Take tasks from the shared list (TaskList, then TaskUpdate with status in_progress), mark each completed when it is done, and tell " + team.LeadName +
	" what came of it. With nothing left to do just stop: a message wakes you. Answer a shutdown_request with a shutdown_response that bears its request_id.\n"

// partTeam is the part of the first message that tells a teammate who it is.
const partTeam = "team"

// shows is whether prompts of the child can be shown: a teammate's can.
func (b *spawning) shows() *bool {
	if !b.recruits {
		return nil
	}
	return &b.recruits
}

// introduced is that part.
func (m *mate) introduced() string {
	s := m.in
	text := "You are " + m.name + " of team " + s.Name + "."
	if s.about != "" {
		text += " The team is for: " + task.Defuse(team.Defuse(s.about))
	}
	return Reminder(partTeam, text)
}

// recruit makes a teammate of the child and starts it.
func (b *spawning) recruit() tool.Result {
	a, c := b.by, b.child
	ex := a.w.executor()
	c.becomeTask(b.in.Description, b.in.Name)
	a.w.moveTask(c, task.Running)
	c.inbox.expect() // for as long as it is not shut down
	c.mate.rouse()
	at := ex.spawn(c.mate)
	text := `{"status":"teammate_spawned","agentId":` + quoted(at.agentID) + `,"taskId":` + quoted(at.taskID) + `,"name":` + quoted(b.in.Name) +
		`,"team_name":` + quoted(c.mate.in.Name) + `,"backend":"` + string(ex.backend()) + `"}`
	c.task.OutputFile = outputDir + c.task.ID + ".output"
	return sent(text)
}

func quoted(s string) string { return string(llm.AppendQuoted(nil, s)) }

// joins makes the child a member of its caller's team.
func (b *spawning) joins(own *Authority) {
	s := b.by.mate.in
	if _, err := s.Join(b.in.Name); err != nil {
		panic("agent: " + err.Error()) // enlist has looked
	}
	m := &mate{of: b.child, in: s, name: b.in.Name}
	b.child.mate, s.mates = m, append(s.mates, m)
	if b.mode == permission.Plan && own.alone {
		m.restores = b.wanted()
	}
}

// wanted is the mode that a teammate to plan has once its plan is approved: that of its
// call, else what it would have but for the call.
func (b *spawning) wanted() permission.Mode {
	if m := permission.Mode(b.in.Mode); m != "" && m != permission.Plan {
		return m
	}
	if m := b.by.w.cfg.Stack.Mode(b.by, b.def); m != permission.Plan {
		return m
	}
	return permission.Default
}

// rouse notes that something is on its way to a member: its lead, who waits for it,
// is told once it rests again or ends.
func (m *mate) rouse() {
	if !m.member() || m.active || m.in.lead.ended {
		return
	}
	m.active = true
	m.in.lead.inbox.expect()
}

// rest notes that a member has nothing to do and nothing on its way to it.
func (m *mate) rest() {
	if !m.member() || !m.active || len(m.below()) > 0 || slices.ContainsFunc(m.of.held.shells, func(s *shellTask) bool { return !s.task.Status().Final() }) {
		return
	}
	m.active = false
	m.in.record(m.of, "idle", m.name)
	if m.of.def.verifies() {
		if why := unverified(lastText(m.of)); why != "" { // it has not ended: no status says so
			m.of.finding("no-verdict", why)
		}
	}
	if lead := m.in.lead; !lead.ended {
		poke(m.of.w, lead)
	}
}

// poke has an agent look again whether it has ended. Something was expected.
func poke(w *World, a *Agent) {
	if err := a.inbox.box.Send(&notice{at: w.cfg.Kernel.Now(), poke: true}); err != nil {
		w.fail(err)
	}
}

// below is the tasks of agents in the background of a member's own process.
func (m *mate) below() (out []*task.Task) {
	if confined(m.of) {
		return nil
	}
	for _, t := range m.of.w.tasks.Live() {
		if t.Agent >= 0 {
			for c := m.of.w.agents[t.Agent].parent; c != nil; c = c.parent {
				if c == m.of {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// ends is called at the end of an activation. A member that was shut down has left;
// another one can be resumed by a message. Its open tasks are anybody's. A lead takes its
// members with it.
func (m *mate) ends() {
	switch {
	case m == nil:
	case m.leads():
		var left []string
		for _, x := range m.in.mates {
			if !x.of.ended {
				left = append(left, x.name)
				stopMate(m.of.w, x, errLeadEnded)
			}
		}
		if left != nil {
			m.of.finding("team-left", "the lead of team "+m.in.Name+" ended before it had shut down "+strings.Join(left, ", "))
		}
	default:
		m.rouse() // its notification is expected
		for _, t := range m.below() {
			m.of.w.stopTask(t, errProcessEnded)
		}
		op, released := "stopped", []team.Task(nil)
		if m.leaves {
			op, released = "left", m.in.Leave(m.name)
		} else {
			released = m.in.Tasks.Release(m.name)
		}
		m.of.w.rec.emit(m.of.ref, &transcript.Team{Team: m.in.Name, Op: op, Name: m.name, Command: m.pane("kill")})
		for _, t := range released {
			m.changed("released", t)
		}
	}
}

// stopMate ends a member at once.
func stopMate(w *World, m *mate, why error) {
	w.move(m.of.ref, m.of.task, task.Killed)
	m.of.ctx.Abort.Abort(why)
}

// viewed is how many messages the view of a teammate holds, the newest ones: the record
// has all (SWM-12). Others have no such view.
func viewed(a *Agent) (n int) {
	most := a.w.cfg.Teams.History
	if most == 0 {
		most = DefaultHistory
	}
	switch {
	case !a.mate.member():
	case a.life != nil:
		for m := a.conv.Last; m != nil && n < most; m = m.Prev {
			n++
		}
	case a.past.resumable():
		n = min(len(a.past.chain.entries), most)
	}
	return n
}
