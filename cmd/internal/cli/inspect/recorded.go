package inspect

import (
	"fmt"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript/sqlite"
)

// What is said of recorded sessions that were imported: the causes and prices of
// their misses come from the recording and not from a cache model.

// noMisses says that no call missed the cache, as far as that is known.
func noMisses(d *report.Document, db *sqlite.DB, r sqlite.RunInfo, gone int) error {
	billed, err := rundb.BilledCalls(db, r)
	switch {
	case err != nil:
		return err
	case billed == 0 && r.Calls > 0: // the heading says that nobody knows
	case billed < r.Calls:
		d.Say("every call with a bill read all it could have")
	case r.Recorded(): // what the import left out nobody knows of here
		d.Say("every call that was imported read all that was left for it by the one it is known to go on from")
	case !r.Level.Whole():
		d.Say("every recorded call read all it could have")
	case gone > 0:
		d.Say("every call read all that was left for it by the one that it goes on from")
	default:
		d.Say("every call read all it could have")
	}
	return nil
}

// standIns reports whether a request's blocks were made from what a recording holds of
// them, figures or names: they have not the sizes, nor the marks, of those that were
// sent.
func standIns(info sqlite.RunInfo, blocks []sqlite.BlockInfo) bool {
	return rundb.WithoutContent(info) != "" ||
		info.Recorded() && len(blocks) > 0 && blocks[0].Level == llm.Messages.String() && toevents.Opaque(blocks[0].Content)
}

// recordedCall says what the recording adds to a call.
func recordedCall(d *report.Document, c one) {
	x, client := c.Recorded, ""
	if x.Version != "" {
		client = " · client " + x.Version
	}
	d.Detail("message", "%s%s%s", x.ID, client, turnOf(x))
	if !x.OutputKnown {
		d.Detail("output", "%s or more: the recording holds a placeholder", ui.Count(c.Usage.Output))
	}
	if !x.Billed {
		d.Detail("bill", "not in the recording: only the size of the prompt is known")
	}
	if x.Class != "" && c.Miss == "" {
		d.Detail("read as", "%s", readAs(x))
	}
	if x.Changed != "" {
		d.Detail("first change", "%s, against call %d", x.Changed, x.Pred)
	}
}

// recordedTable is what the recording adds to a call, for machines.
func recordedTable(c one) *report.Sheet {
	type col = report.Column[*sqlite.RecordedInfo]
	return report.TableOf("", []*sqlite.RecordedInfo{c.Recorded},
		col{Name: "id", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.ID) }},
		col{Name: "version", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Version) }},
		col{Name: "stop", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Stop) }},
		col{Name: "goes_on_from", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Count(x.Pred) }},
		col{Name: "user_turn", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Bool(x.UserTurn) }},
		col{Name: "compacted", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Bool(x.Compacted) }},
		col{Name: "output_known", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Bool(x.OutputKnown) }},
		col{Name: "writes_known", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Bool(x.WritesKnown) }},
		col{Name: "billed", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Bool(x.Billed) }},
		col{Name: "server_reason", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.ServerReason).If(x.ServerReason != "") }},
		col{Name: "server_missed_tokens", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Tokens(x.ServerMissed).If(x.ServerMissed > 0) }},
		col{Name: "class", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Class) }},
		col{Name: "cause", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Cause) }},
		col{Name: "changed", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Changed).If(x.Changed != "") }},
		col{Name: "changed_level", Of: func(x *sqlite.RecordedInfo) report.Value {
			d := changed(x)
			return report.Text(d.Level).If(d.Block > 0)
		}},
		col{Name: "changed_block", Of: func(x *sqlite.RecordedInfo) report.Value {
			d := changed(x)
			return report.Count(d.Block).If(d.Block > 0)
		}},
		col{Name: "changed_byte", Of: func(x *sqlite.RecordedInfo) report.Value { d := changed(x); return report.Count(d.At).If(d.At >= 0) }},
		col{Name: "meaning", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Meaning) }},
		col{Name: "would_have_kept_it", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Keep) }},
		col{Name: "tokens_expected", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Tokens(x.Expected) }},
		col{Name: "tokens_lost", Of: func(*sqlite.RecordedInfo) report.Value { return report.Tokens(c.Loss(0).Tokens) }},
		col{Name: "lost_cost", Unit: report.USD, Of: func(x *sqlite.RecordedInfo) report.Value {
			return dollars(x.LostCost).If(rundb.Known(c.Model) && x.Billed)
		}},
		col{Name: "told_by", Of: func(x *sqlite.RecordedInfo) report.Value { by := toldBy(&x.Told); return report.Text(by).If(by != "") }})
}

// changed is the first block in which a request differs from the one that it goes on
// from; its Block is 0 and its At -1 where the recording does not tell.
func changed(x *sqlite.RecordedInfo) recording.Difference {
	if d := recording.Differs(x.Changed); d != nil {
		return *d
	}
	return recording.Difference{At: -1}
}

// turnOf says what caused a request, where it is no tool's result.
func turnOf(x *sqlite.RecordedInfo) string {
	switch {
	case x.Compacted:
		return " · first after a compaction"
	case x.UserTurn:
		return " · user turn"
	}
	return ""
}

func readAs(x *sqlite.RecordedInfo) string {
	text := x.Class
	if x.Expected > 0 {
		text += fmt.Sprintf(": %s expected from call %d", ui.Count(x.Expected), x.Pred)
	}
	if x.Meaning != "" {
		text += "; " + x.Meaning
	}
	return text
}

// apiSaid is the API's own diagnosis of a request: as recorded or, of a simulated
// one, as the API would give it.
func apiSaid(c one) string {
	if c.Recorded == nil {
		typ, missed := apiSays(c.CallInfo)
		if missed == 0 {
			return typ
		}
		return fmt.Sprintf("%s, about %s tokens by their bytes", typ, ui.Count(missed))
	}
	x := c.Recorded
	if x.ServerReason == "" || x.ServerMissed == 0 {
		return x.ServerReason
	}
	return fmt.Sprintf("%s, %s tokens", x.ServerReason, ui.Count(x.ServerMissed))
}

// toldBy is the line that tells of a miss; "" for none.
func toldBy(t *recording.Told) string {
	switch {
	case t.Line == 0:
		return ""
	case t.File > 0:
		return fmt.Sprintf("line %d of file %d", t.Line, t.File+1)
	}
	return fmt.Sprintf("line %d", t.Line)
}
