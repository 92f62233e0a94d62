package audit

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// spoken is what an agent's user side has to say, by events, and has said since the last
// request.
type spoken struct {
	told   int    // bytes of messages of its user, by their events
	heard  int    // bytes of texts that nothing else explains
	kept   string // why a hook does not let it stop, "" where none keeps it
	cutOff bool   // its answer was cut off, and it is to go on
}

// What the client says where a hook keeps an agent.
const keptOpen = "A hook does not let you stop yet. "

// text takes in a text of the user's side that is no notification and no message of
// another agent: somebody has to have said it (LOOP-08, DEF-06).
func (x *spoken) text(a *agent, raw string) {
	switch {
	case strings.HasPrefix(raw, compactionAsk):
	case strings.HasPrefix(raw, cutOff) && x.cutOff:
		x.cutOff = false
	case x.kept != "" && raw == keptOpen+x.kept:
		x.kept = ""
	default:
		x.heard += len(raw)
	}
}

// sent holds a request against what was to be said in it.
func (x *spoken) sent(u *ledger, a *agent) {
	if u.fails(loop08, !x.cutOff) {
		u.report(loop08, a, "a word that its answer was cut off", "none")
	}
	if u.fails(def06, x.kept == "") {
		u.report(def06, a, "why a hook does not let it stop: "+x.kept, "no such text")
	}
	if u.fails(loop02, x.heard == x.told) {
		u.report(loop02, a, decimal(int64(x.told))+" bytes said by its user, and nothing else", decimal(int64(x.heard))+" bytes that nobody is recorded to have said")
	}
	*x = spoken{}
}

// starts notes what a child is started with: blocks of its first messages that are no context.
func (a *agent) starts(nodes []*llm.Node) {
	for _, n := range nodes {
		if !sharedContext(n) {
			a.given = append(a.given, n.Block.Content.Identity())
		}
	}
}

// summary is LOOP-07 for what stands in a history's place: what a child was started with,
// then the words of the answer that was asked for them.
func (u *history) summary(a *agent, nodes []*llm.Node) {
	if len(nodes) == 0 {
		return
	}
	raw := nodes[len(nodes)-1].Block.Content.Raw()
	var before []llm.Hash
	for _, n := range nodes { // what was delivered since may stand behind it
		if text := n.Block.Content.Raw(); strings.HasPrefix(text, "<conversation-summary>\n") {
			raw = text
			break
		}
		if !sharedContext(n) {
			before = append(before, n.Block.Content.Identity())
		}
	}
	if u.fails(loop07, slices.Equal(before, a.given)) {
		u.report(loop07, a, "in front of the summary what it was started with, "+decimal(int64(len(a.given)))+" blocks", decimal(int64(len(before)))+" blocks")
	}
	if u.fails(loop07, strings.HasPrefix(raw, "<conversation-summary>\n"+defuser.Replace(a.digest)+"\n</conversation-summary>")) {
		u.report(loop07, a, "the summary that was asked for: "+short(a.digest), short(raw))
	}
}

// goesOn holds a call that is no further try against LOOP-08: the answer before it lets the
// agent go on.
func (d *conduct) goesOn(u *ledger, a *agent, head *llm.Node) {
	if a.parent == nil || d.answers == 0 || a.aside {
		return
	}
	ok := d.stop != llm.Refusal && d.cuts < 2 && d.pauses <= mostPauses
	if d.stop == llm.EndTurn {
		ok = head.Role == llm.User
	}
	if u.fails(loop08, ok) {
		u.report(loop08, a, "no request behind an answer that ended with "+d.stop.String(), "one")
	}
}

// mostPauses is how often in a row an answer may pause and be asked for again.
const mostPauses = 5

// waits holds a call's further try against LOOP-06: the wait that the server asks for, else
// the rule's, doubled up to its most, and up to a quarter more.
func waits(u *ledger, a *agent, b *transcript.APIError) {
	s := u.opt.Session
	if s == nil || b.GivesUp || s.RetryBase == 0 {
		return
	}
	least, steps := s.RetryBase, 125*vtime.Millisecond
	for i := 0; i < b.Attempt && least < s.RetryCap; i++ {
		least, steps = 2*least, 2*steps
	}
	least = min(least, s.RetryCap)
	if asked := b.Err.RetryAfter; asked > 0 {
		least, steps = asked, 0
	}
	if u.fails(loop06, b.RetryIn >= least && b.RetryIn <= least+steps) {
		u.report(loop06, a, "another try in "+least.String()+" to "+(least+steps).String(), "in "+b.RetryIn.String())
	}
}

// count is what an agent's events have to count its calls by.
type count struct {
	call, attempt int
}

// asked holds a request's numbers against LOOP-09.
func (x *count) asked(u *ledger, a *agent, call, attempt int) {
	if u.fails(loop09, call == x.call && attempt == x.attempt) {
		u.report(loop09, a, "call "+decimal(int64(x.call))+", try "+decimal(int64(x.attempt)), "call "+decimal(int64(call))+", try "+decimal(int64(attempt)))
	}
	x.call, x.attempt = call, attempt
}

// over takes in the end of a call.
func (x *count) over() { x.call, x.attempt = x.call+1, 0 }

// failed takes in a call that failed, or a copy of it.
func (x *count) failed(b *transcript.APIError) {
	switch {
	case b.GivesUp:
		x.over()
	case b.Err.Type != "duplicate_request":
		x.attempt++
	}
}

// hears is DEF-06 for a call that is decided about or ends: the hooks of its agent's
// definition that hear it have run, in order, each once.
func (u *permissions) hears(a *agent, c *call, event string, ran []string) {
	if u.made[def06]++; a.hooks == nil && ran == nil || u.opt.Session == nil || a.edited {
		return
	}
	var want []string
	for _, h := range a.hooks {
		if h.Event == event && (c == nil || matches(h.Matcher, c.name)) {
			want = append(want, h.Command)
		}
	}
	if !slices.Equal(want, ran) {
		u.report(def06, a, event+" by "+orNone(strings.Join(want, ", ")), orNone(strings.Join(ran, ", ")))
	}
}

// objected is DEF-06 for a result to which a hook objects: it says so.
func (u *permissions) objected(a *agent, c *call, b *llm.Block, replaced bool) {
	if c == nil || replaced || len(a.hooks) == 0 && !c.objects {
		return
	}
	if u.fails(def06, c.objects == strings.Contains(b.Content.Raw(), objection)) {
		u.report(def06, a, "a result to which a hook objects: "+word(c.objects), short(b.Content.Raw()))
	}
}

// matches reports whether a hook's matcher, names with | between them, takes a tool.
func matches(matcher, tool string) bool {
	if matcher == "" {
		return true
	}
	for name := range strings.SplitSeq(matcher, "|") {
		open, rest, star := strings.Cut(name, "*")
		if name == tool || star && strings.HasPrefix(tool, open) && strings.HasSuffix(tool, rest) {
			return true
		}
	}
	return false
}

// killing is an instant at which a user killed all agents: at its end none of those in the
// background that ran before it does (PRM-05).
type killing struct {
	at    vtime.Instant
	seq   uint64 // of the first of them, all that ran before the instant where it is 0
	aimed bool
}

// killed takes in an abort by a user who kills all agents.
func (u *aborts) killed() {
	if !u.killing.aimed || u.killing.at != u.now {
		u.killing = killing{u.now, u.seq, true}
	}
}

// past looks at what an instant has left that is over.
func (u *aborts) past() {
	if k := &u.killing; k.aimed && u.now > k.at {
		u.spared(k)
		k.aimed = false
	}
	for len(u.kills) > 0 && u.kills[0] < u.now {
		u.spared(&killing{at: u.kills[0]})
		u.kills = u.kills[1:]
	}
	for len(u.presses) > 0 && u.presses[0].at < u.now {
		if !u.gates.on["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] {
			u.pressed(u.presses[0].root, u.presses[0].at)
		}
		u.presses = u.presses[1:]
	}
}

// press is an instant at which a root's user asks for the background.
type press struct {
	at   vtime.Instant
	root string
}

func (u *aborts) spared(k *killing) {
	lives := ""
	for id, t := range u.tasks.known { // order: the first by name is told
		before := t.since < k.seq || k.seq == 0 && t.ran < k.at
		if agentTask(t.kind) && t.status == transcript.TaskRunning && before && (lives == "" || id < lives) {
			lives = id
		}
	}
	if u.fails(prm05, lives == "") {
		u.report(prm05, nil, "no agent in the background once its user has killed all at "+k.at.String(), "task "+lives+" runs")
	}
}
