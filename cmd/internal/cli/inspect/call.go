package inspect

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript/sqlite"
)

// one is a request with what its recording adds, where it was imported, and what
// its model costs.
type one struct {
	rundb.Request
	standIns bool // its blocks and marks were made from figures or names of a recording
}

// billed reports whether more than the size of the prompt is known.
func (c one) billed() bool { return c.Recorded == nil || c.Recorded.Billed }

// request says what one request was, what was cached of it, and why it missed.
func request(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, o *options) error {
	if err := rundb.NeedsCalls(info); err != nil {
		return err
	}
	if o.blocks {
		if err := rundb.NeedsContent(info); err != nil {
			return err
		}
	}
	found, err := db.Call(info.ID, o.call)
	if err != nil {
		return rundb.NotKept(info, o.call, err)
	}
	blocks, err := db.Blocks(info.ID, found.Seq)
	if err != nil {
		return err
	}
	if o.blocks && len(blocks) > 0 {
		if err := rundb.NeedsSaid(info, blocks[len(blocks)-1].Content); err != nil {
			return err
		}
	}
	c := one{rundb.Request{CallInfo: &found, Price: rundb.PricesOr(db, info)}, standIns(info, blocks)}
	if info.Recorded() {
		x, err := db.RecordedCall(info.ID, o.call)
		if err != nil {
			return err
		}
		c.Recorded = &x
	}
	described(d, c)
	if c.Recorded != nil {
		recordedCall(d, c)
	}
	if c.Miss != "" {
		if err := missed(d, db, info, c); err != nil {
			return err
		}
	} else if err := leftFor(d, db, info, c); err != nil {
		return err
	}
	if said := apiSaid(c); said != "" {
		d.Detail("the API says", "%s", said)
	}
	d.Fields(report.TableOf("", []one{c}, requestColumns(c.Recorded != nil)...))
	d.Field("contents", report.Objects(blockTable(blocks, info.Recorded())))
	if o.blocks {
		d.Say("")
		d.Table(blockTable(blocks, info.Recorded()).Shown())
	}
	return nil
}

// described says what a request was and what was billed.
func described(d *report.Document, c one) {
	d.Say("call %d · %s %s · its call %d%s · at %s", c.N, c.Structure, c.Lineage, c.Call+1, attempt(c.CallInfo), report.Time(c.At.Sub(0)))
	size, marks, read := fmt.Sprintf(" in %d blocks, %d bytes", c.Blocks, c.Bytes), c.Marks, "nothing"
	if c.standIns {
		size, marks = "", nil
	}
	d.Detail("prompt", "%s tokens%s · %s", ui.Count(c.Usage.Prompt()), size, c.Model)
	switch {
	case c.Usage.Read > 0 && c.ReadTo > 0 && !c.standIns:
		read = fmt.Sprintf("%s (blocks 1–%d of %d)", ui.Count(c.Usage.Read), c.ReadTo, c.Blocks)
	case c.Usage.Read > 0:
		read = ui.Count(c.Usage.Read)
	}
	if c.billed() {
		d.Detail("cache read", "%s; cache write %s, uncached input %s", read, ui.Count(c.Usage.Written()), ui.Count(c.Usage.Input))
	}
	for _, m := range marks {
		d.Detail("breakpoint", "block %d, %s: %s", m.Pos, m.TTL, markText(m))
	}
	d.Detail("answer", "%s tokens, %s", ui.Count(c.Usage.Output), answer(c.CallInfo))
	if c.billed() {
		d.Detail("cost", "%s; without a cache %s", dollars(c.Cost).If(rundb.Known(c.Model)), dollars(c.Uncached).If(rundb.Known(c.Model)))
	}
}

// requestColumns are what machines get of a request.
func requestColumns(recorded bool) []report.Column[one] {
	type col = report.Column[one]
	columns := []col{
		{Name: "call", Of: func(c one) report.Value { return report.Count(c.N) }},
		{Name: "seq", Of: func(c one) report.Value { return report.Count(c.Seq) }},
		{Name: "lineage", Of: func(c one) report.Value { return report.Text(c.Lineage) }},
		{Name: "type", Of: func(c one) report.Value { return report.Text(c.Type) }},
		{Name: "structure", Of: func(c one) report.Value { return report.Text(c.Structure) }},
		{Name: "agent_call", Of: func(c one) report.Value { return report.Count(c.Call) }},
		{Name: "attempt", Of: func(c one) report.Value { return report.Count(c.Attempt) }},
		{Name: "model", Of: func(c one) report.Value { return report.Text(c.Model) }},
		{Name: "at", Unit: report.Seconds, Of: func(c one) report.Value { return report.At(c.At) }},
		{Name: "started_at", Unit: report.Seconds, Of: func(c one) report.Value { return report.At(c.StartedAt) }},
		{Name: "began_at", Unit: report.Seconds, Of: func(c one) report.Value { return report.At(c.BeganAt) }},
		{Name: "ended_at", Unit: report.Seconds, Of: func(c one) report.Value { return report.At(c.EndedAt) }},
		{Name: "blocks", Of: func(c one) report.Value { return report.Count(c.Blocks).If(!c.standIns) }},
		{Name: "bytes", Of: func(c one) report.Value { return report.Count(c.Bytes).If(!c.standIns) }},
		{Name: "status", Of: func(c one) report.Value { return report.Text(c.Status) }},
		{Name: "stop", Of: func(c one) report.Value { return report.Text(c.Stop) }},
	}
	columns = append(columns, usage(func(c one) llm.Usage { return c.Usage })...)
	columns = append(columns, []col{
		{Name: "cost", Unit: report.USD, Of: func(c one) report.Value { return dollars(c.Cost) }},
		{Name: "cost_uncached", Unit: report.USD, Of: func(c one) report.Value { return dollars(c.Uncached) }},
		{Name: "read_to", Of: func(c one) report.Value { return report.Count(c.ReadTo).If(!c.standIns) }},
		{Name: "written_to", Of: func(c one) report.Value { return report.Count(c.WrittenTo).If(!c.standIns) }},
		{Name: "undecided", Of: func(c one) report.Value { return report.Count(c.Undecided) }},
		{Name: "miss", Of: func(c one) report.Value { return report.Text(c.Miss) }},
		{Name: "meaning", Of: func(c one) report.Value { return report.Text(c.Meaning) }},
		{Name: "tokens_expected", Of: func(c one) report.Value { return report.Tokens(c.Expected) }},
		{Name: "tokens_lost", Of: func(c one) report.Value { return report.Tokens(c.Loss(0).Tokens) }},
		{Name: "lost_cost", Unit: report.USD, Of: func(c one) report.Value {
			l := c.Loss(0)
			return report.Dollars(l.Cost).If(l.Priced && c.Recorded == nil)
		}},
		{Name: "miss_position", Of: func(c one) report.Value { return report.Count(c.MissPos).If(c.Recorded == nil) }},
		{Name: "miss_byte", Of: func(c one) report.Value { return report.Count(c.MissByte).If(c.Recorded == nil) }},
		{Name: "after", Of: func(c one) report.Value { return report.Count(c.After) }},
		{Name: "head", Of: func(c one) report.Value { return report.Text(c.Head) }},
		{Name: "marks", Of: func(c one) report.Value { return report.Objects(markTable(c.Marks)).If(!c.standIns) }},
	}...)
	if recorded {
		return append(columns, col{Name: "recorded", Of: func(c one) report.Value { return report.Objects(recordedTable(c)) }})
	}
	return append(columns,
		col{Name: "api_diagnosis", Of: func(c one) report.Value { typ, _ := apiSays(c.CallInfo); return report.Text(typ).If(typ != "") }},
		col{Name: "api_cache_missed_input_tokens", Of: func(c one) report.Value { _, n := apiSays(c.CallInfo); return report.Tokens(n).If(n > 0) }})
}

func markTable(marks []sqlite.Mark) *report.Sheet {
	type col = report.Column[sqlite.Mark]
	return report.TableOf("", marks,
		col{Name: "position", Of: func(m sqlite.Mark) report.Value { return report.Count(m.Pos) }},
		col{Name: "ttl", Of: func(m sqlite.Mark) report.Value { return report.Text(m.TTL) }},
		col{Name: "tokens_read", Of: func(m sqlite.Mark) report.Value { return report.Tokens(m.Reads) }},
		col{Name: "back", Of: func(m sqlite.Mark) report.Value { return report.Count(m.Back) }},
		col{Name: "tokens_written", Of: func(m sqlite.Mark) report.Value { return report.Tokens(m.Writes) }})
}

// blockTable are the blocks of a request; machines get them whole. What stands in an
// imported one for something that the recording does not hold has no size.
func blockTable(blocks []sqlite.BlockInfo, recorded bool) *report.Sheet {
	type col = report.Column[sqlite.BlockInfo]
	return report.TableOf("contents", blocks,
		col{Name: "position", Head: " BLOCK", Of: func(b sqlite.BlockInfo) report.Value { return report.Count(b.Pos) }},
		col{Name: "level", Head: "LEVEL", Drop: 1, Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Level) }},
		col{Name: "role", Head: "ROLE", Drop: 3, Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Role) }},
		col{Name: "kind", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Kind) }},
		col{Name: "name", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Name) }},
		col{Head: "KIND", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(strings.TrimSpace(b.Kind + " " + b.Name)) }},
		col{Head: " BYTES", Drop: 2, Of: func(b sqlite.BlockInfo) report.Value {
			return report.Count(len(b.Content)).If(!recorded || !toevents.Opaque(b.Content))
		}},
		col{Head: "CACHE", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(map[bool]string{true: "read"}[b.Cached]) }},
		col{Name: "cached", Of: func(b sqlite.BlockInfo) report.Value { return report.Bool(b.Cached) }},
		col{Name: "content", Head: "CONTENT", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Content).As(ui.Excerpt(b.Content)) }})
}

func attempt(c *sqlite.CallInfo) string {
	if c.Attempt == 0 {
		return ""
	}
	return fmt.Sprintf(", attempt %d", c.Attempt+1)
}

func answer(c *sqlite.CallInfo) string {
	if c.Stop != "" {
		return c.Stop
	}
	return c.Status
}

func markText(m sqlite.Mark) string {
	var parts []string
	if m.Reads > 0 {
		parts = append(parts, fmt.Sprintf("read %s, %d positions back", ui.Count(m.Reads), m.Back))
	}
	if m.Writes > 0 {
		parts = append(parts, "wrote "+ui.Count(m.Writes))
	}
	if parts == nil {
		return "nothing went by way of it"
	}
	return strings.Join(parts, ", ")
}
