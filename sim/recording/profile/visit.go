package profile

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// visit is one session being measured.
type visit struct {
	m        *Measure
	s        *recording.Session
	at       int32 // index of Measure.sessions
	key      rng.Key
	drawn    uint64
	verdicts []judge.Verdict
	threads  []thread
	position []int // of each request, in its thread
	named    bool  // the format tells tool uses
}

// thread is what is known of one thread.
type thread struct {
	requests          []int32
	counts            bool
	partial           bool // the last request is missing
	role, family, typ string
}

// begin says where a thread's figures go, and whether it counts.
func (v *visit) begin(i int32) {
	t, rec := &v.threads[i], &v.s.Threads[i]
	if len(t.requests) == 0 {
		return
	}
	model := v.s.Requests[t.requests[0]].Model
	t.partial = rec.Partial
	if n := len(t.requests); v.m.opt.WithoutLast && rec.Kind == recording.SubAgent && !rec.Partial && n > 1 {
		t.requests, t.partial = t.requests[:n-1], true
	}
	t.role, t.family, t.typ = roleOf(rec.Kind), FamilyOf(model), TypeName(rec.Type)
	if t.role == Main {
		t.typ = ""
	}
	only := v.m.opt.Type
	t.counts = (only == "" || only == rec.Type || only == t.typ) && strings.Contains(model, v.m.opt.Model)
}

// add takes one sample of a figure of a thread, for its role and its type.
func (v *visit) add(t *thread, figure string, value int64) {
	v.sample(t, "", figure, value)
	if t.typ != "" {
		v.sample(t, t.typ, figure, value)
	}
}

// share takes a part of a whole.
func (v *visit) share(t *thread, figure string, part, whole int64) {
	if whole > 0 {
		v.add(t, figure, sharePart(part, whole))
	}
}

// is takes whether something is so.
func (v *visit) is(t *thread, figure string, so bool) { v.share(t, figure, one(so), 1) }

func one(so bool) int64 {
	if so {
		return 1
	}
	return 0
}

func (v *visit) sample(t *thread, typ, figure string, value int64) {
	c := cell{v.m.sessions[v.at].source, t.role, t.family, typ, figure}
	x := v.m.cells[c]
	if x == nil {
		x = &series{}
		v.m.cells[c] = x
	}
	v.drawn++
	x.add(value, v.at, uint32(v.key.At(v.drawn).Uint64()))
}

// thread measures one thread.
func (v *visit) thread(i int32) {
	t, rec := &v.threads[i], &v.s.Threads[i]
	v.add(t, threadsCount, 1)
	first, last := &v.s.Requests[t.requests[0]], &v.s.Requests[t.requests[len(t.requests)-1]]
	if !first.Orphan && !first.Compacted {
		v.add(t, "first_prompt", first.Usage.Prompt())
		if first.Billed && first.Usage.Prompt() > 0 {
			v.add(t, "first_warm", thousandths(first.Usage.Read, first.Usage.Prompt()))
		}
	}
	if rec.ToolTokens > 0 {
		v.add(t, "head_tools", rec.ToolTokens)
	}
	if rec.SystemTokens > 0 {
		v.add(t, "head_system", rec.SystemTokens)
	}
	v.add(t, "last_prompt", last.Usage.Prompt())
	v.add(t, "calls", int64(len(t.requests)))
	v.add(t, "calls_whole", int64(len(t.requests))+one(t.partial))
	if t.partial {
		v.add(t, lastRequests, 1)
	}
	v.sums(t)
	for _, r := range t.requests {
		v.step(t, int(r))
		v.answer(t, &v.s.Requests[r], !t.partial)
	}
	if v.named {
		v.tools(t)
	}
}

// sums measures what is added up over a thread.
func (v *visit) sums(t *thread) {
	var units, compactions, since int64
	var turns []int64 // requests of each
	bills := true
	for _, i := range t.requests {
		r := &v.s.Requests[i]
		units += r.Usage.Input*100 + r.Usage.Written()*125 + r.Usage.Read*10
		bills = bills && r.Billed && r.WritesKnown
		compactions += one(r.Compacted)
		if t.role == Main && r.UserTurn {
			if since > 0 {
				turns = append(turns, since)
			}
			since = 0
		}
		since++
	}
	if bills {
		v.add(t, "input_units", units/100)
	}
	v.add(t, "compactions", compactions)
	if t.role == Main {
		v.turns(t, append(turns, since))
	}
}

// fewTurns are those of sessions that are counted apart: theirs are longer.
const fewTurns = 4

// turns measures the turns of a main thread. One that begins without a message of the
// user, such as after a resume, counts as a turn.
func (v *visit) turns(t *thread, requests []int64) {
	v.add(t, "user_turns", int64(len(requests)))
	for _, n := range requests {
		v.add(t, "turn_requests", n)
		if len(requests) <= fewTurns {
			v.add(t, "turn_requests_few", n)
		}
	}
}

// late is the shorter of the lifetimes of cached prefixes.
const late = 5 * vtime.Minute

// step measures what lies between a request and the one before it in its thread.
func (v *visit) step(t *thread, i int) {
	r, d := &v.s.Requests[i], &v.verdicts[i]
	if r.Pred < 0 || v.s.Requests[r.Pred].Thread != r.Thread {
		return
	}
	p := &v.s.Requests[r.Pred]
	gap := r.Start.Sub(p.Last)
	v.is(t, "late", gap > late)
	if gap > late {
		v.add(t, "late_gap", gap.Milliseconds())
	}
	if r.UserTurn && t.role == Main && gap >= 0 {
		v.add(t, "user_gap", gap.Milliseconds())
	}
	if r.Compacted {
		v.add(t, "compacted_from", p.Usage.Prompt())
		v.add(t, "compacted_to", r.Usage.Prompt())
		return
	}
	v.growth(t, i, r.Usage.Prompt(), p.Usage.Prompt())
	if !r.Billed || !r.WritesKnown || !p.Billed || p.Model != r.Model || d.Expected == 0 {
		return
	}
	lost := d.Lost(r)
	if !d.Within {
		v.add(t, "expired_depth", thousandths(lost, d.Expected))
		return
	}
	v.is(t, "miss", lost > 0)
	v.is(t, "hidden", d.Class == recording.Over)
	if lost > 0 {
		v.add(t, "miss_depth", thousandths(lost, d.Expected))
	}
}

var fifths = [...]string{"growth_fifth_1", "growth_fifth_2", "growth_fifth_3", "growth_fifth_4", "growth_fifth_5"}

func (v *visit) growth(t *thread, i int, now, before int64) {
	r := &v.s.Requests[i]
	v.is(t, "drop", now < before)
	if now < before {
		v.add(t, "drop_depth", thousandths(before-now, before))
		return
	}
	grown := now - before
	v.add(t, "growth", grown)
	by := "growth_results"
	if r.UserTurn {
		by = "growth_user"
	}
	v.add(t, by, grown)
	if n := len(t.requests); n >= len(fifths) {
		v.add(t, fifths[v.position[i]*len(fifths)/n], grown)
	}
	if p := &v.s.Requests[r.Pred]; v.named && len(p.Tools) == 1 && !r.UserTurn {
		v.add(t, ToolName(p.Tools[0].Name)+".growth", grown)
	}
}

// answer measures one response. Of a thread that is not whole, thinking and text are
// left out.
func (v *visit) answer(t *thread, r *recording.Request, whole bool) {
	if r.OutputKnown {
		v.add(t, "output", r.Usage.Output)
	} else {
		v.add(t, placeholders, 1)
	}
	if r.Answer == nil || !whole {
		return
	}
	v.said(t, r, llm.Thinking, "thinking", "thinking_bytes")
	v.said(t, r, llm.Text, "text", "text_bytes")
}

// said measures the blocks of one kind in an answer.
func (v *visit) said(t *thread, r *recording.Request, kind llm.Kind, share, size string) {
	has, bytes := false, int64(0)
	for k := range r.Answer {
		if b := &r.Answer[k]; b.Kind == kind {
			has, bytes = true, bytes+int64(len(b.Content.Raw()))
		}
	}
	v.is(t, share, has)
	switch {
	case bytes > 0:
		v.add(t, size, bytes)
	case has && kind == llm.Thinking:
		v.add(t, redacted, 1)
	}
}

// tools measures a thread's tool uses and their results.
func (v *visit) tools(t *thread) {
	uses := map[string]int64{}
	var all, agents int64
	for _, i := range t.requests {
		r := &v.s.Requests[i]
		all += int64(len(r.Tools))
		agents = 0
		for k := range r.Tools {
			u := &r.Tools[k]
			uses[ToolName(u.Name)]++
			agents += one(spawner(u.Name))
			v.result(t, u)
		}
		if n := int64(len(r.Tools)); n > 0 {
			v.add(t, "response_tools", n)
			v.is(t, "one_tool", n == 1)
		}
		if agents > 0 {
			v.add(t, "spawns", agents)
		}
	}
	v.add(t, "tool_uses", all)
	for _, tool := range toolNames {
		if all > 0 {
			v.share(t, tool+".mix", uses[tool], all)
		}
	}
}

func (v *visit) result(t *thread, u *recording.ToolUse) {
	if !u.Done {
		return
	}
	tool := ToolName(u.Name)
	v.is(t, "failed", u.IsError)
	v.is(t, tool+".failed", u.IsError)
	v.add(t, tool+".bytes", u.Bytes)
	if u.Took > 0 {
		v.add(t, tool+".time", u.Took.Milliseconds())
	}
}
