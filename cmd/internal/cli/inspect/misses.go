package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

// missed says why a call read less than it could have, and what would help.
func missed(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, c one) error {
	from, back, l := "", 0, c.Loss(0)
	if l.After > 0 {
		other, err := db.Call(info.ID, l.After)
		if err != nil {
			return err
		}
		c.Idle = c.StartedAt.Sub(other.StartedAt)
		l = c.Loss(0)
		from = fmt.Sprintf(" from call %d (%s, its call %d)", other.N, other.Lineage, other.Call+1)
		if c.Miss == llm.MissLookBack.String() {
			back = rundb.Distance(&other, c.CallInfo)
			l = c.Loss(back)
		}
	}
	d.Detail("expected", "%s%s; written again %s", ui.Count(l.Expected), from, ui.Count(l.Tokens))
	d.Detail("miss reason", "%s: %s", l.Cause, l.Meaning)
	if x := c.Recorded; x != nil && x.Told.Line > 0 {
		d.Detail("told by", "%s (%s)", toldBy(&x.Told), x.Told.What)
	}
	if c.Recorded == nil && c.MissByte >= 0 && c.MissPos > 0 {
		d.Detail("first difference", "block %d, byte %d", c.MissPos, c.MissByte)
	}
	if l.Priced {
		d.Detail("cost of it", "%s more than a hit", report.Money(l.Cost))
	}
	if l.Keep != "" {
		d.Detail("would have kept it", "%s", l.Keep)
	}
	return nil
}

// misses lists the requests that read less than they could have.
func misses(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, o *options) error {
	if err := rundb.NeedsCalls(info); err != nil {
		return err
	}
	all, err := rundb.Requests(db, info, rundb.PricesOr(db, info))
	if err != nil {
		return err
	}
	fans, err := db.FanOuts(info.ID)
	if err != nil {
		return err
	}
	gone, err := leftExpired(db, info)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(all, func(r rundb.Request) bool { return r.Miss == "" })
	rows, made := make([]one, len(list)), false
	if len(list) > 0 && info.Recorded() { // all of its requests, or none
		blocks, err := db.Blocks(info.ID, list[0].Seq)
		if err != nil {
			return err
		}
		made = standIns(info, blocks)
	}
	for i, r := range list {
		rows[i] = one{r, made}
	}
	d.Table(missTable(rows, info.Recorded()))
	if len(rows) == 0 {
		if err := noMisses(d, db, info, len(gone)); err != nil {
			return err
		}
	} else {
		causes(d, rows, func(l rundb.Loss) string { return rundb.LongerTTL(db, info, l, o.at) })
		d.Say("\none of them: agentsim inspect %s --call %d%s", ui.Short(info.ID), rows[0].N, o.at)
	}
	leftOver(d, gone)
	fanOuts(d, fans, info.Recorded())
	return nil
}

// missTable has a row for each miss.
func missTable(rows []one, recorded bool) *report.Sheet {
	type col = report.Column[one]
	columns := []col{
		{Head: " CALL", Of: func(c one) report.Value { return report.Count(c.N) }},
		{Head: "AGENT", Of: func(c one) report.Value { return report.Text(c.Lineage) }},
		{Head: " AT", Drop: 4, Of: func(c one) report.Value { return report.At(c.At) }},
		{Head: " CACHE READ", Drop: 3, Of: func(c one) report.Value { return report.Count(c.Usage.Read) }},
		{Head: " EXPECTED", Drop: 2, Of: func(c one) report.Value { return report.Count(c.Loss(0).Expected) }},
		{Head: " WRITTEN AGAIN", Of: func(c one) report.Value { return report.Count(c.Loss(0).Tokens).Marked(report.Worse) }},
		{Head: " COST OF IT", Of: func(c one) report.Value { return report.Dollars(c.Loss(0).Cost).If(c.Loss(0).Priced) }},
		{Head: " AFTER CALL", Drop: 5, Of: func(c one) report.Value { return report.Count(c.Loss(0).After).If(c.Loss(0).After > 0) }},
		{Head: "MISS REASON", Of: func(c one) report.Value { return report.Text(because(c)) }},
	}
	if recorded {
		columns = append(columns, col{Head: "THE API SAID", Drop: 1, Of: func(c one) report.Value { return report.Text(apiSaid(c)) }})
	}
	return report.TableOf("misses", rows, append(columns, requestColumns(recorded)...)...)
}

// lostBy is what one cause lost.
type lostBy struct {
	rundb.Loss
	calls int64
}

// causes says what the misses of each cause lost, those that cost most first, and
// what would have kept it. longer says what a longer TTL comes to.
func causes(d *report.Document, rows []one, longer func(rundb.Loss) string) {
	var list []lostBy
	var all, open cachemodel.Picodollars // what all misses cost, and those that may be none
	priced := true
	for _, c := range rows {
		l := c.Loss(0)
		i := slices.IndexFunc(list, func(o lostBy) bool { return o.Cause == l.Cause && o.Keep == l.Keep && o.Meaning == l.Meaning })
		if i < 0 {
			i, list = len(list), append(list, lostBy{Loss: rundb.Loss{Cause: l.Cause, Meaning: l.Meaning, Keep: l.Keep, Set: l.Set, Priced: true}})
		}
		sum := &list[i]
		sum.calls, sum.Tokens, sum.Cost, sum.Priced = sum.calls+1, sum.Tokens+l.Tokens, sum.Cost+l.Cost, sum.Priced && l.Priced
		all, priced = all+l.Cost, priced && l.Priced
		if l.Cause == llm.MissUndecided.String() {
			open += l.Cost
		}
	}
	slices.SortStableFunc(list, func(a, b lostBy) int { return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens, a.Tokens)) })
	type col = report.Column[lostBy]
	d.Say("")
	d.Table(report.TableOf("", list,
		col{Head: "CAUSE", Of: func(l lostBy) report.Value { return report.Text(l.Cause) }},
		col{Head: " CALLS", Of: func(l lostBy) report.Value { return report.Count(l.calls) }},
		col{Head: " WRITTEN AGAIN", Of: func(l lostBy) report.Value { return report.Count(l.Tokens).Marked(report.Worse) }},
		col{Head: " COST OF IT", Of: func(l lostBy) report.Value { return report.Dollars(l.Cost).If(l.Priced) }},
		col{Head: "WHY", Drop: 1, Of: func(l lostBy) report.Value { return report.Text(l.Meaning) }},
		col{Head: "WOULD HAVE KEPT IT", Of: func(l lostBy) report.Value { return report.Text(l.Keep).OrBlank(l.Keep != "") }}))
	if priced {
		d.Say("\nall of them cost %s more than hits would have", report.Money(all))
	}
	var said []string
	for _, l := range list {
		if l.Set != "" && !slices.Contains(said, l.Set) {
			said = append(said, l.Set)
			d.Say("%s", longer(l.Loss))
		}
	}
	if open > 0 {
		d.Say("undecided ones may have been hits: the bill may be off by up to %s", report.Money(open))
	}
}

// because is a miss's cause, with the line or the byte of a recording that tells of
// it.
func because(c one) string {
	l := c.Loss(0)
	if c.Recorded == nil {
		return l.Cause
	}
	if by := toldBy(&c.Recorded.Told); by != "" {
		return l.Cause + " (" + by + ")"
	}
	if what, ok := strings.CutPrefix(c.Recorded.Changed, c.Recorded.Cause+": "); ok {
		return l.Cause + ": " + what
	}
	return l.Cause
}

// diagnoses are what the API's cache diagnostics (beta cache-diagnosis-2026-04-07)
// say of the reasons why a simulated call missed; of the others they say nothing
// (null). A setting that differs while model, system and tools match is unavailable
// there.
var diagnoses = map[string]string{
	llm.MissModel.String(): "model_changed", llm.MissSystem.String(): "system_changed",
	llm.MissTools.String(): "tools_changed", llm.MissMessages.String(): "messages_changed",
	llm.MissSalt.String(): "unavailable",
}

// apiSays is the type of the API's diagnosis of a simulated miss, "" for null, and
// its cache_missed_input_tokens, 0 where it names none: an estimate from byte
// lengths, the share of the prompt's bytes from the first one on that differs. A
// changed model changes all of them.
func apiSays(c *sqlite.CallInfo) (typ string, missed int64) {
	typ = diagnoses[c.Miss]
	from := max(c.MissByte, 0)
	if c.Miss == llm.MissModel.String() {
		from = 0
	}
	if typ == "" || c.Miss == llm.MissSalt.String() || c.Bytes <= 0 {
		return typ, 0
	}
	return typ, c.Usage.Prompt() * max(c.Bytes-from, 0) / c.Bytes
}

// fanOuts lists siblings that wrote the same prefix since none could read what
// another was writing. Their first calls continue nothing, so they are no misses
// by themselves.
func fanOuts(d *report.Document, fans []sqlite.FanOut, recorded bool) {
	if len(fans) == 0 {
		return
	}
	with := "running it again with --set lab.fan_out.hold=first-response"
	if recorded {
		with = "agentsim whatif --stagger"
	}
	d.Say("\nsiblings started before the first one's response began, which could not read what it wrote")
	type col = report.Column[sqlite.FanOut]
	d.Table(report.TableOf("fan_outs", fans,
		col{Name: "call", Head: " CALL", Of: func(f sqlite.FanOut) report.Value { return report.Count(f.First.N) }},
		col{Name: "lineage", Head: "AGENT", Of: func(f sqlite.FanOut) report.Value { return report.Text(f.First.Lineage) }},
		col{Name: "type", Head: "TYPE", Drop: 3, Of: func(f sqlite.FanOut) report.Value { return report.Text(f.First.Type) }},
		col{Name: "siblings", Head: " SIBLINGS", Of: func(f sqlite.FanOut) report.Value { return report.Count(len(f.Others)) }},
		col{Name: "within", Head: " WITHIN", Drop: 2, Unit: report.Seconds, Of: func(f sqlite.FanOut) report.Value { return report.Duration(f.Within()) }},
		col{Name: "tokens_read", Head: " CACHE READ", Drop: 1, Of: func(f sqlite.FanOut) report.Value { return report.Count(readBy(&f)) }},
		col{Name: "tokens_written_again_at_most", Head: " WRITTEN AGAIN AT MOST", Of: func(f sqlite.FanOut) report.Value { return report.Count(f.Again()) }},
		col{Name: "shared_blocks", Head: "SHARED", Of: func(f sqlite.FanOut) report.Value { return report.Count(f.Shared).If(f.Shared > 0).As(shared(&f)) }}))
	d.Say("one that starts after that response has begun reads the shared part; %s says what that saves", with)
}

// readBy is what the siblings of the first one read.
func readBy(f *sqlite.FanOut) (n int64) {
	for i := range f.Others {
		n += f.Others[i].Usage.Read
	}
	return n
}

func shared(f *sqlite.FanOut) string {
	if f.Shared == 0 {
		return "not known without content"
	}
	return fmt.Sprintf("blocks 1–%d", f.Shared)
}
