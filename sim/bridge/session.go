package bridge

import (
	"errors"
	"path"

	"agentsim/sim/kernel"
	"agentsim/sim/vtime"
	"agentsim/sim/worktree"
)

// session is a session that a bridge runs.
type session struct {
	b           *Bridge
	work        Work
	tree        *worktree.Worktree // nil where it has none
	process     *process
	refresh     *refresher
	helpers     []*kernel.Proc
	outstanding map[string]vtime.Instant // questions of the process that wait for their answer, since when
	decided     map[string]*Line         // answers to others, by question
	posted      int                      // lines
	rounds      []vtime.Duration         // from questions to their answers
	behind      int                      // number of the last event that was taken
	status      Status                   // set by who ends the session
}

// run runs the session to its end, of which the control plane hears last.
func (s *session) run(p *kernel.Proc) error {
	err := s.begin()
	if err != nil {
		s.status = Failed
		s.b.tell("%s: cannot start: %v", s.work.ID, err)
	}
	for err == nil {
		var l *Line
		if l, err = s.process.stdout.Recv(p); l == nil {
			break
		}
		err = s.forward(p, l)
	}
	s.leave()
	if err != nil && p.Aborted() != nil {
		return err
	}
	if _, err := s.b.insist(p, Call{Verb: Complete, Work: s.work.ID, Status: s.status}); err != nil {
		return err
	}
	s.b.tell("%s: %s", s.work.ID, s.status)
	return nil
}

// begin starts the process and what goes on beside it.
func (s *session) begin() error {
	b := s.b
	dir, err := s.place()
	if err != nil {
		return err
	}
	r, err := b.start(s.work.Session, dir, s.work.Token)
	if err != nil {
		return err
	}
	b.tell("%s: started in %s", s.work.ID, dir)
	s.process = newProcess(b.k, s.work.ID, r)
	s.refresh = &refresher{k: b.k, name: s.work.ID, tell: b.tell, deliver: s.update, fetch: func(p *kernel.Proc) (string, error) {
		out, err := b.call(p, Call{Verb: Refresh, Work: s.work.ID})
		if err != nil {
			return "", err
		}
		return out.Token, nil
	}}
	s.refresh.lost = s.unrefreshed
	s.refresh.schedule(s.work.Token, 0)
	for _, h := range []struct {
		name string
		body func(*kernel.Proc) error
	}{{"heartbeat", s.beat}, {"events", s.listen}, {"watchdog", s.watch}, {"end", s.freed}} {
		s.helpers = append(s.helpers, b.k.Spawn(h.name+" of "+s.work.ID, h.body))
	}
	return nil
}

// place is the directory in which the session works: in mode worktree a worktree of its
// own, which is made for its first work, and gone on with where that one has left changes.
func (s *session) place() (string, error) {
	cfg := &s.b.cfg
	if cfg.Mode != Worktree {
		return cfg.Directory, nil
	}
	w := s.b.trees[s.work.Session]
	if w != nil && w.End() {
		w.Reopen()
	} else {
		var err error
		if w, err = worktree.Make(cfg.Repository, s.work.Session); err != nil {
			return "", err
		}
		s.b.trees[s.work.Session] = w
	}
	s.tree = w
	return path.Join(cfg.Directory, worktree.Path(s.work.Session)), nil
}

// unrefreshed says to the session's users, in the order of its lines, that its token will
// not be refreshed: what it asks for is refused from that token's end on.
func (s *session) unrefreshed(err error) {
	l := &Line{Type: System, Subtype: Unrefreshed, Session: s.work.Session, IsError: true, Error: err.Error()}
	if err := s.process.stdout.Send(l); err != nil {
		s.b.tell("%s: %v", s.work.ID, err)
	}
}

// freed gives the slot away as soon as the process has ended.
func (s *session) freed(p *kernel.Proc) error {
	err := s.process.ended.Wait(p)
	s.b.free(s)
	return err
}

// leave ends what goes on beside the process, and the process; its worktree stays where
// it holds changes.
func (s *session) leave() {
	if s.tree != nil {
		defer func() {
			s.b.tell("%s: its worktree is %s", s.work.ID, map[bool]string{true: "kept", false: "removed"}[s.tree.End()])
		}()
	}
	if s.process == nil {
		s.b.free(s)
		return
	}
	s.refresh.cancel()
	s.process.kill()
	for _, h := range s.helpers {
		h.Abort(ErrStopped)
	}
	switch {
	case s.status != "":
	case s.process.why == nil:
		s.status = Completed
	default:
		s.status = Failed
		s.b.tell("%s: %v", s.work.ID, s.process.why)
	}
}

// forward brings a line of the process to the control plane. A question that has its
// answer already, since a process before this one asked it, is answered here.
func (s *session) forward(p *kernel.Proc, l *Line) error {
	if l.Type == ControlRequest {
		s.outstanding[l.RequestID] = p.Now()
		if answer := s.decided[l.RequestID]; answer != nil {
			s.decide(answer)
			return nil
		}
	}
	s.posted++
	_, err := s.b.insist(p, Call{Verb: Post, Work: s.work.ID, Number: s.posted, Line: l})
	return err
}

// beat tells the control plane that the session is alive.
func (s *session) beat(p *kernel.Proc) error {
	for {
		if _, err := s.b.insist(p, Call{Verb: Heartbeat, Work: s.work.ID}); err != nil {
			return err
		}
		if err := p.Sleep(BeatEvery); err != nil {
			return err
		}
	}
}

// listen takes what the control plane has for the session, from where it was before the
// connection broke.
func (s *session) listen(p *kernel.Proc) error {
	for {
		out, err := s.b.insist(p, Call{Verb: Events, Work: s.work.ID, Number: s.behind})
		if err != nil {
			s.stop(Stopped) // nobody speaks to it any more
			return err
		}
		for _, e := range out.Events {
			if e.Number != s.behind+1 {
				continue // known, or not its turn
			}
			s.behind++
			s.take(&e)
		}
		if len(out.Events) == 0 {
			if err := p.Sleep(vtime.Second); err != nil {
				return err
			}
		}
	}
}

// take brings an event to the process.
func (s *session) take(e *Event) {
	switch {
	case e.End:
		s.process.write(nil)
	case e.Line == nil:
		s.b.tell("%s: event %d is nothing", s.work.ID, e.Number)
	case e.Line.Type == User:
		s.process.write(e.Line)
	case e.Line.Type == ControlResponse && e.Line.Response != nil:
		s.decide(e.Line)
	default:
		s.b.tell("%s: event %d is no line for a process: %s", s.work.ID, e.Number, e.Line.Type)
	}
}

// decide gives the process the answer to a question that it has asked, once.
func (s *session) decide(l *Line) {
	id := l.Response.RequestID
	since, asked := s.outstanding[id]
	if !asked {
		s.decided[id] = l
		return
	}
	delete(s.outstanding, id)
	s.rounds = append(s.rounds, s.b.k.Now().Sub(since))
	s.process.write(l)
}

// update gives the process a new token.
func (s *session) update(token string) {
	s.b.tell("%s: a new token", s.work.ID)
	s.process.write(&Line{Type: Environment, Variables: map[string]string{TokenVariable: token}})
}

// errLate is why a session that took too long was ended.
var errLate = errors.New("the session took too long")

// watch ends a session that takes too long.
func (s *session) watch(p *kernel.Proc) error {
	ended, err := s.process.ended.WaitUntil(p, p.Now().Add(s.b.cfg.TimeOut))
	if err != nil || ended {
		return err
	}
	s.stop(TimedOut)
	return errLate
}

// stop ends the process: TERM, and KILL after the grace period.
func (s *session) stop(why Status) {
	if s.status == "" && s.process != nil && !s.process.ended.Fired() {
		s.status = why
		s.process.terminate()
		s.b.k.Spawn("end of "+s.work.ID, func(p *kernel.Proc) error {
			if ended, err := s.process.ended.WaitUntil(p, p.Now().Add(Grace)); err != nil || ended {
				return err
			}
			s.b.tell("%s: killed %s after TERM", s.work.ID, Grace)
			s.process.kill()
			return nil
		})
	}
}
