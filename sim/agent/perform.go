package agent

import (
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// perform runs a tool on the agent's environment.
func (u *toolUse) perform(p *kernel.Proc) {
	a := u.by
	env := &a.w.env // tools run to completion, so one serves all
	*env = tool.Env{FS: a.place.of(a.w).fs, Cache: a.ctx.Files, Marks: a.w.cfg.Marks, Now: p.Now(), Root: a.directory(), Agent: a.ref}
	if u.tool.Stateful {
		if a.ctx.Session == nil {
			a.ctx.Session = &tool.Session{}
		}
		env.Session, env.Repo, env.Programs, env.Drawn = a.ctx.Session, a.place.of(a.w).repo, a.w.cfg.Programs, a.w.cfg.Drawn
		env.Interrupted = p.Kernel().Interrupted
	}
	a.ctx.Files.TakeLast()
	before := len(env.FS.Log())
	u.result = u.tool.Run(env, u.block.Content)
	u.ran, u.saw, u.wrote = !a.w.cfg.Stack.Bare(), a.ctx.Files.TakeLast(), len(env.FS.Log())-before
	if s := env.Session; s != nil && s.Shell.Dir != env.Root {
		u.dir = s.Shell.Dir
	}
	u.conflicts(before)
	if u.took = u.result.Took; u.took == 0 {
		u.took = u.time()
	}
	if u.result.Shell != nil {
		u.afterShell(p)
	}
}

// time is how long a tool use takes whose result does not say.
func (u *toolUse) time() vtime.Duration {
	if u.tool.Drawn == nil {
		return u.tool.Took
	}
	return u.tool.Time(u.drawKey("tool"))
}

// drawKey names what is drawn for a tool use: by lineage, call and the place of the
// use in its answer (CON-16).
func (u *toolUse) drawKey(what string) rng.Key {
	of := &u.by.client.req.Stream
	return of.Key.At(uint64(of.Call)).Sub(what).At(uint64(u.index))
}

// The rules of the findings about commands.
const (
	RuleBreach  = "readonly_breach" // a type that is to look only has changed something (DEF-11)
	RuleUnknown = "command_not_found"
)

// afterShell records what a command did beyond its output, and sends one that is
// to run in the background there.
func (u *toolUse) afterShell(p *kernel.Proc) {
	a := u.by
	s := u.result.Shell
	if len(s.Unknown) > 0 {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: RuleUnknown, Detail: strings.Join(s.Unknown, ", ")})
	}
	if wrote := a.def.forbidden(s); len(wrote) > 0 {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: RuleBreach, Detail: a.def.Type + " changed " + strings.Join(wrote, ", ")})
	}
	switch {
	case !s.Background:
	case a.w.gates.DisableBackground:
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "ignored-field", Detail: u.tool.Name + " input run_in_background is gated off"})
	default:
		u.inBackground(p)
	}
}

// forbidden is what a command changed that the agents of a definition are not to change:
// nothing of the project for the read-only types, and no temporary file either,
// but for verification, which may try things out there.
func (d *Definition) forbidden(s *tool.Shell) []string {
	switch {
	case d == nil || !d.BuiltIn():
		return nil
	case d.ReadOnly:
		return append(s.Wrote[:len(s.Wrote):len(s.Wrote)], s.Temp...)
	case d.verifies():
		return s.Wrote
	}
	return nil
}
