package agent

import (
	"strings"

	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// perform runs a tool on the agent's environment, or sends a command to the background.
func (u *toolUse) perform(p *kernel.Proc) error {
	a := u.by
	u.equip()
	if about, is := tool.Background(u.block.Content); is && u.command() && !a.w.cfg.Stack.Bare() {
		if decided(a.w, func(g *gate.Set) bool { return !g.DisableBackground }) {
			u.inBackground(p, about)
			return nil
		}
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "ignored-field", Detail: u.tool.Name + " input run_in_background is gated off"})
	}
	if u.alone && u.runsAlone() {
		return u.act(p, a.ctx.Session)
	}
	u.apply()
	return nil
}

// equip makes the session that a stateful tool needs.
func (u *toolUse) equip() {
	if u.tool.Stateful && u.by.ctx.Session == nil {
		u.by.ctx.Session = &tool.Session{}
	}
}

// command reports whether the tool runs command lines.
func (u *toolUse) command() bool { return u.tool.CanonicalName() == "Bash" }

// runsAlone reports whether the tool's time passes before its effects where it runs
// beside no other: each part of a command has its effects once its own has, and any
// other tool of the project's has them at its end. What a server answers takes the time
// that the answer says.
func (u *toolUse) runsAlone() bool { return u.command() || !u.safe && !u.tool.MCP }

// act does what a tool does that runs alone. The error is an abort that came before its
// time had passed; then the result says so.
func (u *toolUse) act(p *kernel.Proc, session *tool.Session) (cut error) {
	began, def := p.Now(), u.by.def
	if !u.command() {
		if err := p.Sleep(u.time()); err != nil {
			u.result, u.unheard = interrupted(err), true
			return err
		}
	}
	env := u.environment(session)
	if u.command() {
		env.Wait = func(d vtime.Duration) error {
			u.logs(env)
			cut = p.Sleep(d)
			u.from = len(env.FS.Log())
			return cut
		}
	}
	u.run(env)
	if rest := u.result.Took - p.Now().Sub(began); env.Wait != nil && cut == nil && rest > 0 {
		cut = p.Sleep(rest)
	}
	if u.by.ended { // a command that its agent's end has stopped
		u.breaches(def)
		return cut
	}
	u.took, u.unheard = 0, cut != nil
	u.after(env)
	return cut
}

// apply does at once what a tool does that need not wait.
func (u *toolUse) apply() {
	env := u.environment(u.by.ctx.Session)
	u.run(env)
	if u.took = u.result.Took; u.took == 0 {
		u.took = u.time()
	}
	u.after(env)
}

// environment is what the tool acts on.
func (u *toolUse) environment(session *tool.Session) *tool.Env {
	a := u.by
	env := &a.w.env // those that do not wait run to completion, so one serves all
	if u.command() {
		env = new(tool.Env)
	}
	*env = tool.Env{FS: a.place.of(a.w).fs, Cache: a.ctx.Files, Marks: a.w.cfg.Marks, Now: a.w.cfg.Kernel.Now(), Root: a.directory(), Agent: a.ref, Inputs: &a.w.inputs}
	if u.tool.Stateful {
		env.Session, env.Repo, env.Programs, env.Drawn = session, a.place.of(a.w).repo, a.w.cfg.Programs, a.w.cfg.Drawn
		env.Interrupted = a.w.cfg.Kernel.Interrupted
	}
	return env
}

// run runs the tool and keeps what it has changed.
func (u *toolUse) run(env *tool.Env) {
	u.from = len(env.FS.Log())
	u.by.ctx.Files.TakeLast()
	u.result = u.tool.Run(env, u.block.Content)
	u.logs(env)
}

// logs keeps what was changed since the log was looked at.
func (u *toolUse) logs(env *tool.Env) {
	if to := len(env.FS.Log()); to > u.from {
		u.wrote = append(u.wrote, logged{u.from, to})
	}
}

// after notes what the tool has read and what a command did beyond its output.
func (u *toolUse) after(env *tool.Env) {
	a := u.by
	u.ran, u.saw = !a.w.cfg.Stack.Bare(), a.ctx.Files.TakeLast()
	if s := env.Session; s != nil && s.Shell.Dir != env.Root {
		u.dir = s.Shell.Dir
	}
	u.conflicts(env)
	if u.result.Shell != nil {
		u.afterShell(a.def)
	}
}

// interrupted is the result of a tool that an abort has cut off.
func interrupted(why error) tool.Result {
	return failure("Interrupted while it ran: " + why.Error() + ".")
}

// logged is a part of the log of a tree's changes.
type logged struct{ from, to int }

// files is how many files a tool use has changed.
func (u *toolUse) files() (n int) {
	for _, l := range u.wrote {
		n += l.to - l.from
	}
	return n
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

// afterShell records what a command did beyond its output.
func (u *toolUse) afterShell(def *Definition) {
	a := u.by
	s := u.result.Shell
	if len(s.Unknown) > 0 {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: RuleUnknown, Detail: strings.Join(s.Unknown, ", ")})
	}
	u.breaches(def)
}

// breaches records what a command changed that an agent of the definition is not to change.
func (u *toolUse) breaches(def *Definition) {
	if wrote := def.forbidden(u.result.Shell); len(wrote) > 0 {
		u.by.w.rec.emit(u.by.ref, &transcript.Finding{Rule: RuleBreach, Detail: def.Type + " changed " + strings.Join(wrote, ", ")})
	}
}

// forbidden is what a command changed that the agents of a definition are not to change:
// nothing of the project for the read-only types, and no temporary file either,
// but for verification, which may try things out there.
func (d *Definition) forbidden(s *tool.Shell) []string {
	switch {
	case d == nil || s == nil || !d.BuiltIn():
		return nil
	case d.ReadOnly:
		return append(s.Wrote[:len(s.Wrote):len(s.Wrote)], s.Temp...)
	case d.verifies():
		return s.Wrote
	}
	return nil
}
