package inspect

import (
	"fmt"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/transcript/sqlite"
)

// What is said of recorded sessions that were imported: the causes and prices of
// their misses come from the recording and not from a cache model.

// noMisses says that no call missed the cache, as far as that is known.
func noMisses(d *report.Document, db *sqlite.DB, r sqlite.RunInfo) error {
	billed, err := rundb.BilledCalls(db, r)
	switch {
	case err != nil:
		return err
	case billed == 0 && r.Calls > 0: // the heading says that nobody knows
	case billed < r.Calls:
		d.Say("every call with a bill read all it could have")
	case !r.Level.Whole():
		d.Say("every recorded call read all it could have")
	default:
		d.Say("every call read all it could have")
	}
	return nil
}

// recordedCall says what the recording adds to a call.
func recordedCall(d *report.Document, c one) {
	x, client := c.recorded, ""
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
	if c.Miss != "" {
		recordedMiss(d, c)
	}
	if x.ServerReason != "" {
		d.Detail("the API said", "%s", serverSaid(x))
	}
}

func recordedMiss(d *report.Document, c one) {
	x := c.recorded
	d.Detail("expected", "%s from call %d; written again %s (%s)", ui.Count(x.Expected), x.Pred, ui.Count(x.Lost), x.Class)
	d.Detail("miss reason", "%s: %s", x.Cause, x.Meaning)
	if x.Told.Line > 0 {
		d.Detail("told by", "%s (%s)", toldBy(&x.Told), x.Told.What)
	}
	if known(c.Model) {
		d.Detail("cost of it", "%s more than a hit", dollars(x.LostCost))
	}
	d.Detail("would have kept it", "%s", x.Keep)
}

// recordedMisses lists the misses of a recorded session, and by cause what would
// have kept the tokens.
func recordedMisses(d *report.Document, rows []one) {
	type col = report.Column[one]
	d.Table(report.TableOf("misses", rows, append([]col{
		{Head: " CALL", Of: func(c one) report.Value { return report.Count(c.N) }},
		{Head: "AGENT", Of: func(c one) report.Value { return report.Text(c.Lineage) }},
		{Head: " AT", Drop: 4, Of: func(c one) report.Value { return report.At(c.At) }},
		{Head: " CACHE READ", Drop: 3, Of: func(c one) report.Value { return report.Count(c.Usage.Read) }},
		{Head: " EXPECTED", Drop: 2, Of: func(c one) report.Value { return report.Count(c.recorded.Expected) }},
		{Head: " WRITTEN AGAIN", Of: func(c one) report.Value { return report.Count(c.recorded.Lost) }},
		{Head: " COST OF IT", Of: func(c one) report.Value { return dollars(c.recorded.LostCost).If(known(c.Model)) }},
		{Head: " AFTER CALL", Drop: 5, Of: func(c one) report.Value { return report.Count(c.recorded.Pred) }},
		{Head: "MISS REASON", Of: func(c one) report.Value { return report.Text(becauseOf(c.recorded)) }},
		{Head: "THE API SAID", Drop: 1, Of: func(c one) report.Value { return report.Text(serverSaid(c.recorded)) }},
	}, requestColumns(true)...)...))
	if len(rows) == 0 {
		return
	}
	var causes []lostBy
	for _, c := range rows {
		causes = addCause(causes, c.recorded, known(c.Model))
	}
	d.Say("")
	type cause = report.Column[lostBy]
	d.Table(report.TableOf("", causes,
		cause{Head: "CAUSE", Of: func(l lostBy) report.Value { return report.Text(l.cause) }},
		cause{Head: " CALLS", Of: func(l lostBy) report.Value { return report.Count(l.calls) }},
		cause{Head: " WRITTEN AGAIN", Of: func(l lostBy) report.Value { return report.Count(l.tokens) }},
		cause{Head: " COST OF IT", Of: func(l lostBy) report.Value { return report.Dollars(l.cost).If(l.priced) }},
		cause{Head: "WHY", Drop: 1, Of: func(l lostBy) report.Value { return report.Text(l.meaning) }},
		cause{Head: "WOULD HAVE KEPT IT", Of: func(l lostBy) report.Value { return report.Text(l.keep) }}))
}

// recordedTable is what the recording adds to a call, for machines.
func recordedTable(c one) *report.Sheet {
	type col = report.Column[*sqlite.RecordedInfo]
	return report.TableOf("", []*sqlite.RecordedInfo{c.recorded},
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
		col{Name: "meaning", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Meaning) }},
		col{Name: "would_have_kept_it", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Text(x.Keep) }},
		col{Name: "tokens_expected", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Tokens(x.Expected) }},
		col{Name: "tokens_lost", Of: func(x *sqlite.RecordedInfo) report.Value { return report.Tokens(x.Lost) }},
		col{Name: "lost_cost", Of: func(x *sqlite.RecordedInfo) report.Value { return dollars(x.LostCost).If(known(c.Model) && x.Billed) }},
		col{Name: "told_by", Of: func(x *sqlite.RecordedInfo) report.Value { by := toldBy(&x.Told); return report.Text(by).If(by != "") }})
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

func serverSaid(x *sqlite.RecordedInfo) string {
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

// becauseOf is a miss's cause, with the line that tells of it.
func becauseOf(x *sqlite.RecordedInfo) string {
	if by := toldBy(&x.Told); by != "" {
		return x.Cause + " (" + by + ")"
	}
	return x.Cause
}

// lostBy is what one cause lost.
type lostBy struct {
	cause, meaning, keep string
	calls, tokens        int64
	cost                 cachemodel.Picodollars
	priced               bool // of every call
}

// addCause adds a miss to its cause and what would have kept it, in the order in
// which they are met.
func addCause(list []lostBy, x *sqlite.RecordedInfo, priced bool) []lostBy {
	for i := range list {
		if l := &list[i]; l.cause == x.Cause && l.keep == x.Keep {
			l.calls++
			l.tokens += x.Lost
			l.cost += cachemodel.Picodollars(x.LostCost)
			l.priced = l.priced && priced
			return list
		}
	}
	return append(list, lostBy{x.Cause, x.Meaning, x.Keep, 1, x.Lost, cachemodel.Picodollars(x.LostCost), priced})
}
