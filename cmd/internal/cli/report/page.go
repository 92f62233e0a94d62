package report

import (
	"fmt"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/page"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
)

// Content is cut so that a report of thousands of calls stays a file that a browser
// opens at once.
const (
	longest = 400     // characters of a block
	budget  = 600_000 // characters of all blocks
)

// page is the run as the page's script reads it.
func (r *recorded) page(at string) (*page.Run, error) {
	out := &page.Run{ID: r.ID, At: at, Name: r.row.Variant, Note: r.note(), End: int64(r.EndedAt), Billed: true, Agents: []page.Agent{}, Calls: []page.Call{}, Tools: []page.Tool{},
		Mails: []page.Mail{}, Pieces: []page.Piece{}}
	return out, r.lanes(out)
}

// Page is what the record holds of a run, as pages have it: its agents on virtual time.
func Page(db *sqlite.DB, info sqlite.RunInfo) (*page.Run, error) {
	r, err := read(db, info)
	if err != nil {
		return nil, err
	}
	r.row.Variant, r.longer = info.Name, nil // what a longer TTL comes to takes time, and only reports say it
	if info.Variant != "" {
		r.row.Variant += "/" + info.Variant
	}
	return r.page("")
}

func (r *recorded) note() string {
	text := fmt.Sprintf("%s · %s", r.Ending(), report.Time(r.EndedAt.Sub(0)))
	if !r.Recorded() {
		text = fmt.Sprintf("seed %d · %s · %s", r.Seed, r.Policy, text)
	}
	return text
}

// lanes adds the agents with their calls, tools and messages.
func (r *recorded) lanes(out *page.Run) error {
	at := map[int32]int{}
	for i := range r.agents {
		a := &r.agents[i]
		lane := page.Agent{Lineage: a.Lineage, ID: a.ID, Type: a.Type, Structure: a.Structure, Model: a.Model, Parent: -1, From: int64(a.StartedAt), To: int64(max(a.EndedAt, a.StartedAt)),
			Ended: a.Status, Read: a.Usage.Read, Write: a.Usage.Write5m + a.Usage.Write1h, Output: a.Usage.Output, Cost: a.Cost, Calls: a.Calls}
		if !r.Keeps(a) {
			lane.Cost, lane.Calls = -1, -1
		}
		if a.Why != "" {
			lane.Ended += ": " + a.Why
		}
		if p, known := at[a.Parent]; known {
			lane.Parent, lane.Depth = p, out.Agents[p].Depth+1
		}
		at[a.Agent] = len(out.Agents)
		out.Agents = append(out.Agents, lane)
	}
	places, err := r.pieces(out)
	if err != nil {
		return err
	}
	for i := range r.calls {
		c, t := &r.calls[i], &r.turns[i]
		call := page.Call{N: c.N, Agent: at[t.Agent], Call: c.Call + 1, Attempt: c.Attempt, At: int64(c.At), Began: int64(c.BeganAt), Ended: int64(max(c.EndedAt, c.At)),
			Read: c.Usage.Read, Write5m: c.Usage.Write5m, Write1h: c.Usage.Write1h, Input: c.Usage.Input, Output: c.Usage.Output,
			Cost: c.Cost, Uncached: c.Uncached, Stop: c.Stop, Failed: c.Status != "ok", Bytes: c.Bytes, Head: place(places, t.Head), Answer: place(places, t.Answer),
			ReadTo: c.ReadTo, WriteTo: c.WrittenTo}
		if c.Recorded != nil && !c.Recorded.Billed {
			out.Billed = false
		}
		for _, m := range c.Marks {
			call.Marks = append(call.Marks, markText(m))
		}
		if c.Miss != "" {
			l := c.Loss(0)
			call.Miss = &page.Miss{Reason: l.Cause, Meaning: l.Meaning, Keep: r.kept(l, out.At), Expected: l.Expected, Lost: l.Tokens, Cost: int64(l.Cost), After: l.After, Pos: c.MissPos, Byte: c.MissByte}
		}
		out.Calls = append(out.Calls, call)
	}
	return r.traffic(out, at)
}

// markText says what went by way of a breakpoint.
func markText(m sqlite.Mark) string {
	text := fmt.Sprintf("block %d, %s", m.Pos, m.TTL)
	if m.Reads > 0 {
		text += fmt.Sprintf(": read %s, %d positions back", ui.Count(m.Reads), m.Back)
	}
	if m.Writes > 0 {
		text += ", wrote " + ui.Count(m.Writes)
	}
	return text
}

// pieces adds the blocks, and says by its hash where each is; none where the record
// does not hold them.
func (r *recorded) pieces(out *page.Run) (map[string]int, error) {
	if out.Missing = rundb.WithoutContent(r.RunInfo); out.Missing != "" {
		return nil, nil
	}
	if out.Missing = rundb.LevelNote(r.RunInfo); !r.Level.Content() {
		return nil, nil
	}
	list, err := r.db.Pieces(r.ID, longest)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	out.Cut = min(longest, max(24, budget/len(list)))
	places := map[string]int{"": -1}
	for _, p := range list {
		text := []rune(p.Excerpt)
		places[p.Hash] = len(out.Pieces)
		parent, known := places[p.Parent]
		if !known {
			parent = -1
		}
		out.Pieces = append(out.Pieces, page.Piece{Parent: parent, Level: p.Level, Role: p.Role, Kind: p.Kind, Name: p.Name, Pos: p.Pos, Bytes: p.Bytes,
			Text: report.Plain(string(text[:min(len(text), out.Cut)]))})
	}
	return places, nil
}

// traffic adds tool uses, and messages between agents: from when they were queued to
// when they came into a conversation.
func (r *recorded) traffic(out *page.Run, at map[int32]int) error {
	tools, err := r.db.ToolSpans(r.ID)
	if err != nil {
		return err
	}
	for _, t := range tools {
		out.Tools = append(out.Tools, page.Tool{Agent: at[t.Agent], Name: t.Name, At: int64(t.At), Ended: int64(t.Ended), Fail: t.Fail})
	}
	mails, err := r.db.Mails(r.ID)
	if err != nil {
		return err
	}
	type sent struct {
		from int
		at   int64
	}
	queued := map[string][]sent{}
	for _, m := range mails {
		switch {
		case m.Op == "queued":
			queued[m.Task] = append(queued[m.Task], sent{at[m.Agent], m.At})
		case m.Op == "delivered" && len(queued[m.Task]) > 0:
			s := queued[m.Task][0]
			queued[m.Task] = queued[m.Task][1:]
			out.Mails = append(out.Mails, page.Mail{From: s.from, To: at[m.Agent], Sent: s.at, At: m.At, Kind: m.Kind})
		}
	}
	return nil
}

func place(places map[string]int, hash string) int {
	if i, known := places[hash]; known && hash != "" {
		return i
	}
	return -1
}
