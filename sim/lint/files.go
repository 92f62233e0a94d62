package lint

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// write is one change of a file that was made, or tried and not made.
type write struct {
	agent int32
	path  string
	at    vtime.Instant
	call  *Call
	block *Block
	tried bool // the use failed: nothing was written
}

// findWrites lists what was written, by time.
func (j *judge) findWrites() {
	for i := range j.run.Calls {
		c := &j.run.Calls[i]
		for k := range c.Answer {
			b := &c.Answer[k]
			path := written(b)
			use := useOf(c, b)
			if path != "" && use != nil {
				j.writes = append(j.writes, write{c.Agent, path, use.To, c, b, use.IsError})
			}
		}
	}
	slices.SortStableFunc(j.writes, func(a, b write) int { return cmp.Compare(a.at, b.at) })
}

func useOf(c *Call, b *Block) *ToolUse {
	i := slices.IndexFunc(c.Tools, func(u ToolUse) bool { return u.ID == b.ToolUse })
	if i < 0 {
		return nil
	}
	return &c.Tools[i]
}

// written is the path that a tool use writes; "" for none.
func written(b *Block) string {
	if !b.is(llm.ToolUse) {
		return ""
	}
	switch b.Name {
	case "Edit", "Write", "MultiEdit", "NotebookEdit", "edit_file":
		return pathOf(b)
	}
	return ""
}

// pathOf is the file that a tool use names; "" for none.
func pathOf(b *Block) string {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
	}
	if json.Unmarshal([]byte(b.Text), &in) != nil {
		return ""
	}
	return in.File + in.Notebook
}

// twoWriters looks for files that two agents wrote while both were at work: two
// workers in activations that overlap, or an agent and one that works for it. One
// of the two may only have tried: that the file had changed under it is how such
// a race ends where the tool takes care. In a worktree of its own nobody writes another's.
func (j *judge) twoWriters() {
	if !j.sawTools() {
		j.notJudged(Place{Agent: j.rootName()}, "what tools were used for is not in the record")
		return
	}
	told := map[string]bool{}
	for k := range j.writes {
		w := &j.writes[k]
		j.sum.Judged++
		for i := range j.writes[:k] {
			v := &j.writes[i]
			if v.path != w.path || v.agent == w.agent || j.apart(v.agent, w.agent) || v.tried && w.tried || !j.atOnce(v, w) {
				continue
			}
			key := j.name(min(v.agent, w.agent)) + " " + j.name(max(v.agent, w.agent)) + " " + w.path
			if told[key] {
				continue
			}
			told[key] = true
			j.found(j.place(w.call, w.block), j.name(v.agent), j.name(v.agent)+verb(v)+w.path+" at "+clock(v.at)+", "+
				j.name(w.agent)+verb(w)+"it at "+clock(w.at)+", and both are at work", "")
		}
	}
}

// apart reports whether two agents work in two places: neither sees what the other writes.
func (j *judge) apart(a, b int32) bool { return j.run.Agents[a].Place != j.run.Agents[b].Place }

func verb(w *write) string {
	if w.tried {
		return " tries to write "
	}
	return " writes "
}

// atOnce reports whether two writes fall into a time in which both writers were
// at work. Of an agent and one that it works for, the former writes while the
// latter is at work.
func (j *judge) atOnce(v, w *write) bool {
	a, b := j.spanAt(v.agent, v.at), j.spanAt(w.agent, w.at)
	switch {
	case j.below(v.agent, w.agent):
		return a.holds(w.at)
	case j.below(w.agent, v.agent):
		return b.holds(v.at)
	}
	return a.meets(b)
}

// spanAt is the activation of an agent at an instant.
func (j *judge) spanAt(agent int32, at vtime.Instant) Span {
	for _, s := range j.run.Agents[agent].Spans {
		if s.From <= at && at <= s.To {
			return s.Span
		}
	}
	return Span{at, at}
}

// sawTools reports whether the record holds what tools were used for, or that
// none was.
func (j *judge) sawTools() bool {
	used := false
	for _, c := range j.run.Calls {
		used = used || len(c.Tools) > 0
		if slices.ContainsFunc(c.Answer, func(b Block) bool { return b.is(llm.ToolUse) }) {
			return true
		}
	}
	return !used && j.holdsContent()
}

// holdsContent reports whether the record holds anything that was said.
func (j *judge) holdsContent() bool {
	return slices.ContainsFunc(j.run.Calls, func(c Call) bool { return told(c.Said) || told(c.Answer) })
}

func (j *judge) rootName() string {
	i := slices.IndexFunc(j.run.Agents, func(a Agent) bool { return a.Parent < 0 })
	if i < 0 {
		return ""
	}
	return j.run.Agents[i].Lineage
}

// files are those that an order is about: what the items name, and what its
// worker wrote for it; of a verification what was written for the items that it
// verifies, or without items what its prompt names.
func (j *judge) files(o *order) (out []string) {
	add := func(path string) {
		if path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, it := range o.items {
		for _, f := range it.Files {
			add(f)
		}
		for _, other := range j.orders {
			if other != o && other.gives(it.After) {
				j.wrote(other, add)
			}
		}
	}
	if o.role == implementing {
		j.wrote(o, add)
	}
	if o.role == verifying && j.run.Work == nil {
		for i := range j.writes {
			if names(o.prompt, j.writes[i].path) {
				add(j.writes[i].path)
			}
		}
	}
	return out
}

// gives reports whether an order gives one of the items named.
func (o *order) gives(ids []string) bool {
	return slices.ContainsFunc(o.items, func(it *Item) bool { return slices.Contains(ids, it.ID) })
}

// wrote hands out what an order's worker wrote for it.
func (j *judge) wrote(o *order, add func(string)) {
	for i := range j.writes {
		if w := &j.writes[i]; w.agent == o.to && !w.tried && o.span.From <= w.at && w.at <= o.span.To {
			add(w.path)
		}
	}
}

// names reports whether a text names a file, by its path or by the path's end.
func names(text, path string) bool {
	parts := strings.Split(path, "/")
	return strings.Contains(text, strings.Join(parts[max(0, len(parts)-2):], "/")) || strings.Contains(text, path)
}

// implementations looks for two implementations of one file set that run at once
// (CRD-13). Where both wrote one file, two-writers says so.
func (j *judge) implementations() {
	j.pairs(implementing, implementing, func(a, b *order, shared []string) {
		for _, f := range j.report.Findings {
			if f.Rule == "two-writers" && (f.Agent == j.name(a.to) && f.With == j.name(b.to) || f.Agent == j.name(b.to) && f.With == j.name(a.to)) {
				return
			}
		}
		j.found(j.place(b.call, b.block), j.name(a.to), j.name(a.to)+" implements "+spanText(a)+" and "+j.name(b.to)+" "+spanText(b)+
			", both on "+strings.Join(shared, ", "), excerpt(b.prompt))
	})
}

// early looks for implementations that a coordinator gives out for the first time
// while research is not in. Research that follows an implementation is a later
// round, for which nobody waits.
func (j *judge) early() {
	given := map[*Item]bool{}
	for _, o := range j.orders {
		if j.run.Work == nil || o.role != implementing || j.run.Agents[o.call.Agent].Type != "coordinator" {
			continue
		}
		again := true
		for _, it := range o.items {
			again, given[it] = again && given[it], true
		}
		if again {
			continue
		}
		j.sum.Judged++
		if open := j.open(o); len(open) > 0 {
			j.found(j.place(o.call, o.block), j.name(o.to), "given out at "+clock(o.call.To)+", before research was in: "+strings.Join(open, ", "), excerpt(o.prompt))
		}
	}
}

// open is the research that a coordinator had given out, or was still to give
// out, when it decided on an order.
func (j *judge) open(o *order) (ids []string) {
	for _, r := range j.orders {
		if r.call.Agent != o.call.Agent || r.span.To <= o.call.From {
			continue
		}
		for _, it := range r.items {
			if it.Kind == "research" && len(it.After) == 0 && !slices.Contains(ids, it.ID) {
				ids = append(ids, it.ID)
			}
		}
	}
	return ids
}

// verifications looks for verifications that overlap an implementation on the
// files that they verify (CRD-13).
func (j *judge) verifications() {
	j.pairs(implementing, verifying, func(a, b *order, shared []string) {
		j.found(j.place(b.call, b.block), j.name(a.to), j.name(b.to)+" verifies "+spanText(b)+" what "+j.name(a.to)+" changes "+spanText(a)+
			": "+strings.Join(shared, ", "), excerpt(b.prompt))
	})
}

func spanText(o *order) string { return "from " + clock(o.span.From) + " to " + clock(o.span.To) }

// pairs hands out the pairs of orders of two roles to different workers that ran
// at once on the same files.
func (j *judge) pairs(first, second role, each func(a, b *order, shared []string)) {
	for i, b := range j.orders {
		if b.unknown {
			j.notJudged(j.place(b.call, b.block), noPrompt)
			continue
		}
		if b.role != second {
			continue
		}
		if b.to < 0 {
			j.notJudged(j.place(b.call, b.block), "what the worker did is not in the record")
			continue
		}
		j.sum.Judged++
		for k, a := range j.orders {
			if a.role != first || a.to < 0 || a.to == b.to || first == second && (k >= i || j.apart(a.to, b.to)) || !a.span.meets(b.span) {
				continue
			}
			if shared := common(j.files(a), j.files(b)); len(shared) > 0 {
				each(a, b, shared)
			}
		}
	}
}

func common(a, b []string) (out []string) {
	for _, f := range a {
		if slices.Contains(b, f) {
			out = append(out, f)
		}
	}
	return out
}
