package diff

import (
	"slices"

	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

// mark is one of a request: the block, from 1, and the lifetime that it asks for;
// automatic for the one that the API places itself.
type mark struct {
	block int32
	ttl   string
}

// recordedMarks takes those of a recorded call. An import keeps none.
func (p *prompt) recordedMarks(info sqlite.RunInfo, marks []sqlite.Mark) {
	if info.Recorded() {
		p.notes = append(p.notes, "marks (cache_control) are not in the record of an import: compare the files")
		return
	}
	for _, m := range marks {
		p.marks = append(p.marks, mark{m.Pos, m.TTL})
	}
}

// block is the one of a number; nil where the request has ended.
func (p *prompt) block(number int32) *llm.Node {
	n := p.head
	for n != nil && (n.IsBorder() || n.Pos > number) {
		n = n.Parent
	}
	return n
}

// otherMark is a block on which two requests have other marks: "" for none, else the
// lifetime.
type otherMark struct {
	block         int32
	place         string
	first, second string
}

// otherMarks are the marks of two requests that differ, by block. They are no part of
// the prompt: they say up to where it is looked up and written, and for how long.
func otherMarks(a, b *prompt) (out []otherMark) {
	at := func(p *prompt, block int32) *otherMark {
		i := slices.IndexFunc(out, func(m otherMark) bool { return m.block == block })
		if i < 0 {
			i, out = len(out), append(out, otherMark{block: block, place: place(p.block(block))})
		}
		return &out[i]
	}
	for _, m := range a.marks {
		at(a, m.block).first = m.ttl
	}
	for _, m := range b.marks {
		at(b, m.block).second = m.ttl
	}
	out = slices.DeleteFunc(out, func(m otherMark) bool { return m.first == m.second })
	slices.SortFunc(out, func(x, y otherMark) int { return int(x.block - y.block) })
	return out
}

// marks says which marks differ, by block.
func marks(d *report.Document, others []otherMark) {
	none := func(ttl string) string {
		if ttl == "" {
			return "none"
		}
		return ttl
	}
	for _, m := range others {
		d.Say("mark     block %d (%s): %s, then %s", m.block, m.place, none(m.first), none(m.second))
	}
	type col = report.Column[otherMark]
	d.Field("marks", report.Objects(report.TableOf("", others,
		col{Name: "block", Of: func(m otherMark) report.Value { return report.Count(m.block) }},
		col{Name: "place", Of: func(m otherMark) report.Value { return report.Text(m.place) }},
		col{Name: "first", Of: func(m otherMark) report.Value { return report.Text(m.first) }},
		col{Name: "second", Of: func(m otherMark) report.Value { return report.Text(m.second) }})))
}
