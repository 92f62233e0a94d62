package audit

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// homecoming is the section on what agents bring home.
type homecoming struct {
	*ledger
	due map[string][]*home // by task: activations that have ended, and not been read of
}

// home is what an activation has to bring home. It outlives the agent until that
// has arrived.
type home struct {
	of     *agent
	status transcript.Ending
	text   string // the last that it said
	all    string // all that it said, in the minimal stack; "" where that is not known
	tokens int64  // of its last call
	uses   int
	took   vtime.Duration
	about  string // description of the call that made its agent
}

// noted notes the last text that an agent has said: that of the newest answer that
// has any.
func (a *agent) noted(head *llm.Node) {
	for n := head; n != a.sent && n.Parent != nil && (a.sent == nil || n.Pos > a.sent.Pos); n = n.Parent {
		if !n.IsBorder() && n.Block.Kind == llm.Text && len(n.Block.Content.Raw()) > 0 {
			if a.said, a.saidFrom = head, 0; a.sent != nil {
				a.saidFrom = a.sent.Pos
			}
			return
		}
	}
}

// lastText is the text of that answer.
func (a *agent) lastText() string {
	if a.said == nil {
		return ""
	}
	return a.textBehind(a.said, a.saidFrom)
}

// textBehind is the text of an answer, by its end and the position that it follows:
// a turn that pauses is gone on with by answers side by side.
func (a *agent) textBehind(head *llm.Node, from int32) string {
	var parts []string
	for n := head; n != nil && n.Role == llm.Assistant && !n.IsBorder() && n.Pos > from; n = n.Parent {
		if n.Block.Kind == llm.Text {
			parts = append([]string{n.Block.Content.Raw()}, parts...)
		}
	}
	return strings.Join(parts, "")
}

// texts are all that an agent has said.
func (a *agent) texts() string {
	var parts []string
	for n := a.seen; n != nil && !n.IsBorder(); n = n.Parent {
		if n.Role == llm.Assistant && n.Block.Kind == llm.Text {
			parts = append(parts, n.Block.Content.Raw())
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// endHome notes what an agent that ends has to bring home, and to whom. An agent
// whose last call failed for good has not completed (SUB-16).
func (u *homecoming) endHome(a *agent, b *transcript.AgentEnd) {
	if a.parent != nil && u.fails(sub16, !a.gaveUp || b.Status != transcript.EndCompleted) {
		u.report(sub16, a, "a status that says that its last call failed", string(b.Status))
	}
	if a.parent == nil {
		return
	}
	h := &home{of: a, status: b.Status, text: a.lastText(), tokens: cmp.Or(a.lost.Total(), a.billed.Total()), uses: a.progress.uses, took: u.now.Sub(a.conduct.began), about: a.former.about}
	if u.opt.Session != nil && u.opt.Session.Minimal && !a.summed {
		h.all = a.texts()
	}
	if a.background {
		id := a.taskID()
		u.due[id] = append(u.due[id], h)
		return
	}
	if p := a.parent; p.life != nil {
		if p.homes == nil {
			p.homes = map[llm.ToolUseID]*home{}
		}
		p.homes[a.facts.ToolUse] = h
	}
}

// outcomes are how a task ends by how its agent did.
var outcomes = map[transcript.Ending]transcript.TaskStatus{transcript.EndFailed: transcript.TaskFailed, transcript.EndRefused: transcript.TaskFailed, transcript.EndKilled: transcript.TaskKilled}

// agrees is SUB-16 for a task that ends after its agent: it ends as that did.
func (u *homecoming) agrees(id string, t *taskState) {
	list := u.due[id]
	if !agentTask(t.kind) || len(list) == 0 {
		return
	}
	h := list[len(list)-1]
	if h.of.life != nil {
		return // it was stopped, and is still to end
	}
	want := outcomes[h.status]
	if want == "" {
		want = transcript.TaskCompleted
	}
	u.same(sub16, h.of, "task", string(want), string(t.status))
}

// nextHome takes the oldest activation of a task that nobody has heard of, nil if
// there is none.
func (u *homecoming) nextHome(id string) *home {
	list := u.due[id]
	if len(list) == 0 {
		return nil
	}
	if u.due[id] = list[1:]; len(list) == 1 {
		delete(u.due, id)
	}
	return list[0]
}

// Between which a notification says what the auditor holds it to.
const (
	resultOpen, resultEnd = "\n<result>", "</result>\n<usage>\n"
	tokensOpen, tokensEnd = "<total_tokens>", "</total_tokens>"
	usesOpen, usesEnd     = "<tool_uses>", "</tool_uses>"
)

// told is SUB-12 for a notification: its result is the last text of the agent,
// escaped, and its figures are the agent's.
func (u *homecoming) told(id, raw string) {
	h := u.nextHome(id)
	if h == nil {
		return
	}
	got := between(raw, resultOpen, resultEnd)
	u.text12(h, escaper.Replace(h.text), unfronted(got, "&lt;", "&gt;"))
	u.figures(h, number(between(raw, tokensOpen, tokensEnd)), number(between(raw, usesOpen, usesEnd)))
	if h.about != "" && u.fails(tsk03, strings.Contains(raw, `<summary>Agent "`+quoter.Replace(h.about)+`" `)) {
		u.report(tsk03, h.of, "a summary about "+h.about, short(between(raw, "<summary>", "</summary>")))
	}
	if ms := number(between(raw, "<duration_ms>", "</duration_ms>")); u.fails(tsk03, ms == h.took.Milliseconds()) {
		u.report(tsk03, h.of, "a duration of "+decimal(h.took.Milliseconds())+" ms, from its start to its end", decimal(ms))
	}
}

// text12 is SUB-12 for the text that came home.
func (u *homecoming) text12(h *home, want, got string) {
	if u.fails(sub12, want == got || handoffDefuser.Replace(h.text) != h.text) {
		u.report(sub12, h.of, "its last text: "+orNone(short(want)), orNone(short(got)))
	}
}

// figures is SUB-19: the tokens of its last call, and its tool uses.
func (u *homecoming) figures(h *home, tokens, uses int64) {
	if u.fails(sub19, tokens == h.tokens && uses == int64(h.uses)) {
		u.report(sub19, h.of, decimal(h.tokens)+" tokens, those of its last call, and "+decimal(int64(h.uses))+" tool uses", decimal(tokens)+" and "+decimal(uses))
	}
}

// handoffDefuser does to a text what keeps it from passing for a classifier's word.
var handoffDefuser = strings.NewReplacer("<handoff-", "&lt;handoff-", "</handoff-", "&lt;/handoff-")

// unfronted is a result without the classifier's word in front of it.
func unfronted(text, open, shut string) string {
	if fronted(text, open, shut) == "clean" {
		return text
	}
	_, rest, _ := strings.Cut(text, shut+"\n")
	return rest
}

func number(digits string) int64 {
	var n int64
	for _, c := range []byte(strings.TrimLeft(digits, " ")) {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// nothingSaid stands where an agent ended without a word.
const nothingSaid = "(The agent ended without a text.)"

// objection opens what a hook says behind a result.
const objection = "\n\nA hook objects to this result. "

// brought is SUB-12 for the result of an agent that its parent waited for, and
// SUB-16 for one that did not do what it was to.
func (u *homecoming) brought(p *agent, b *llm.Block, replaced bool) {
	h := p.homes[b.ID]
	if h == nil {
		return
	}
	delete(p.homes, b.ID)
	if replaced || h.of.background {
		return
	}
	raw, _, _ := strings.Cut(b.Content.Raw(), objection)
	if u.opt.Session != nil && u.opt.Session.Minimal {
		if u.fails(sub12, outcomes[h.status] != "" || strings.Contains(raw, h.text)) {
			u.report(sub12, h.of, "its last text: "+short(h.text), short(raw))
		}
		if u.fails(min01, outcomes[h.status] != "" || h.all == "" || raw == h.all) {
			u.report(min01, h.of, "all that it said: "+short(h.all), short(raw))
		}
		broughtPlain(u.ledger, h, raw)
		return
	}
	if failed := outcomes[h.status] != ""; failed {
		if u.fails(sub16, b.IsError) {
			u.report(sub16, h.of, "an error: it ended "+string(h.status), short(raw))
		}
		return
	}
	u.completed(h, b, raw)
}

func (u *homecoming) completed(h *home, b *llm.Block, raw string) {
	var r struct {
		Status  string
		Content []struct{ Text string }
		Uses    int64  `json:"totalToolUseCount"`
		Tokens  int64  `json:"totalTokens"`
		Agent   string `json:"agentId"`
		Took    int64  `json:"totalDurationMs"`
	}
	ok := json.Unmarshal([]byte(raw), &r) == nil && r.Status == "completed" && len(r.Content) == 1 && !b.IsError
	if u.fails(sub12, ok) {
		u.report(sub12, h.of, "a result of status completed with one text", short(raw))
		return
	}
	want := h.text
	if want == "" {
		want = nothingSaid
	}
	u.text12(h, want, unfronted(r.Content[0].Text, "<", ">"))
	u.figures(h, r.Tokens, r.Uses)
	if u.fails(sub12, r.Agent == h.of.former.facts.ID.String() && r.Took == h.took.Milliseconds()) {
		u.report(sub12, h.of, "its id, and the "+decimal(h.took.Milliseconds())+" ms from its start to its end", r.Agent+", "+decimal(r.Took)+" ms")
	}
}

// What a sub-agent of the minimal stack brings home where it failed or said nothing.
const (
	plainError = "Sub-agent error: "
	plainEmpty = "(Sub-agent produced no output)"
)

// broughtPlain is MIN-04.
func broughtPlain(u *ledger, h *home, raw string) {
	failed := outcomes[h.status] != ""
	if u.fails(min04, failed == strings.HasPrefix(raw, plainError) && (failed || h.text != "" || raw == plainEmpty)) {
		u.report(min04, h.of, plainError+"where it ended "+string(h.status)+", "+plainEmpty+" where it said nothing", short(raw))
	}
}
