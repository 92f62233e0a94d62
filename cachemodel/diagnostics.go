package cachemodel

import (
	"bytes"
	"strconv"

	"agentsim/sim/llm"
)

// The types of a diagnosis, as the API names them (beta cache-diagnosis-2026-04-07).
const (
	ModelChanged            = "model_changed"
	SystemChanged           = "system_changed"
	ToolsChanged            = "tools_changed"
	MessagesChanged         = "messages_changed"
	PreviousMessageNotFound = "previous_message_not_found"
	Unavailable             = "unavailable"
)

// Diagnosis is what the API's cache diagnostics say of a request and the one that
// it names as its predecessor (CACHE-48).
type Diagnosis struct {
	// Type is the first divergence in the order model, system, tools, messages;
	// Unavailable when these first three match and a setting differs that the prompt
	// depends on, whatever the messages do: tool_choice, thinking, effort (which is
	// output_config) or the header of fast mode. Requests here have no context
	// management, output format or other headers. "" is the API's null: the requests
	// do not diverge.
	Type string
	// Missed is cache_missed_input_tokens as the API has it, an estimate from byte
	// lengths; 0 for types without it.
	Missed int64
	// Lost is what was not read in truth, exactly.
	Lost int64
	// Expired: nothing diverges and yet less was read than the predecessor left.
	Expired bool
}

// String prints the diagnosis on one line.
func (d Diagnosis) String() string {
	switch {
	case d.Expired:
		return "null, and little was read: expired"
	case d.Type == "":
		return "null"
	case d.Type == PreviousMessageNotFound, d.Type == Unavailable:
		return d.Type + " lost=" + strconv.FormatInt(d.Lost, 10)
	}
	return d.Type + " cache_missed_input_tokens=" + strconv.FormatInt(d.Missed, 10) + " lost=" + strconv.FormatInt(d.Lost, 10)
}

// MissedByBytes is the API's estimate of what a request missed that parts from its
// predecessor at a byte of its own: the share of its bytes from there on.
func MissedByBytes(prompt, bytes, from int64) int64 {
	if bytes <= 0 {
		return 0
	}
	return prompt * max(bytes-max(from, 0), 0) / bytes
}

// Diagnostics compares a request, between its Admit and its End, with the one it
// expects to continue. A request without one has nothing to compare: null. What
// the API has no trace of, since it was sent in another organisation or workspace
// or longer ago than DiagnosisKept, is not found.
func (e *Anthropic) Diagnostics(a *Admission) Diagnosis {
	x, req, lost := a.Request.Expect, a.Request, a.Report.Miss.Lost
	if x == nil {
		return Diagnosis{}
	}
	old := x.Head
	if old == nil {
		old = x.Mark
	}
	late := a.Start > x.Start.Add(e.opt.DiagnosisKept)
	e.touched.compared = e.touched.compared || late
	if late || old == nil || e.compare.otherScope(x, req.Request, old) {
		return Diagnosis{Type: PreviousMessageNotFound, Lost: lost}
	}
	if x.Model != req.Model {
		return Diagnosis{ModelChanged, MissedByBytes(a.Prompt, req.Head.Bytes, 0), lost, false}
	}
	var differs [3]bool
	e.compare.levels(&differs, old, req.Head)
	missed := MissedByBytes(a.Prompt, req.Head.Bytes, e.compare.run(old, req.Head).offset)
	switch {
	case differs[llm.System]:
		return Diagnosis{SystemChanged, missed, lost, false}
	case differs[llm.Tools]:
		return Diagnosis{ToolsChanged, missed, lost, false}
	case x.Salts != req.Salts:
		return Diagnosis{Type: Unavailable, Lost: lost}
	case differs[llm.Messages]:
		return Diagnosis{MessagesChanged, missed, lost, false}
	}
	return Diagnosis{Lost: lost, Expired: lost > 0}
}

// otherScope reports whether the requests differ at the very root although model
// and settings are the same: then the organisation or the workspace is another.
func (c *comparison) otherScope(x *llm.Expectation, req *llm.Request, old *llm.Node) bool {
	c.old, c.now = path(c.old[:0], old), path(c.now[:0], req.Head)
	return x.Model == req.Model && x.Salts.Root == req.Salts.Root && c.old[0].Hash != c.now[0].Hash
}

// levels tells in which levels the content of two requests differs, each by
// itself. Messages that were only added to do not.
func (c *comparison) levels(differs *[3]bool, old, now *llm.Node) {
	c.old, c.now = path(c.old[:0], old), path(c.now[:0], now)
	i, j := 0, 0
	for l := llm.Tools; l <= llm.Messages; l++ {
		for i < len(c.old) && j < len(c.now) && c.old[i].Level == l && c.now[j].Level == l {
			differs[l] = differs[l] || !c.equal(c.old[i], c.now[j])
			i, j = i+1, j+1
		}
		for ; i < len(c.old) && c.old[i].Level == l; i++ {
			differs[l] = true
		}
		for ; j < len(c.now) && c.now[j].Level == l; j++ {
			differs[l] = differs[l] || l != llm.Messages
		}
	}
}

// equal compares what two nodes add.
func (c *comparison) equal(o, n *llm.Node) bool {
	if o == n {
		return true
	}
	c.oldB, c.nowB = llm.AppendDelta(c.oldB[:0], o), llm.AppendDelta(c.nowB[:0], n)
	return bytes.Equal(c.oldB, c.nowB)
}
