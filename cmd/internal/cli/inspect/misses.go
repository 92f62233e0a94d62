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
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// loss is what a call that missed the cache lost, and why: as the cache model says
// of a simulated call, as the recording says of a recorded one.
type loss struct {
	expected, tokens, after int64 // tokens are those that were paid for again
	cause, meaning, keep    string
	cost                    cachemodel.Picodollars // more than a hit
	priced                  bool                   // whether the cost is known
}

// loss is that of one call; back is how far the entry stands behind, 0 if that is
// not known.
func (c one) loss(back int) loss {
	sent := again(c.Usage, c.Lost)
	if x := c.recorded; x != nil {
		return loss{x.Expected, sent, x.Pred, x.Cause, x.Meaning, x.Keep, cachemodel.Picodollars(x.LostCost), known(c.Model)}
	}
	cost, priced := moreThanAHit(c.CallInfo, c.price)
	cause := c.Miss
	if c.Servers != "" {
		cause += ": " + c.Servers
	}
	return loss{c.Expected, sent, c.After, cause, meaning(c.CallInfo, back, c.price), c.remedy(back), cost, priced}
}

// again is how many of the tokens that a call lost it paid for again: a prompt that
// became shorter lost more than it sent.
func again(u llm.Usage, lost int64) int64 { return sqlite.Hit(u, lost).Read - u.Read }

// missed says why a call read less than it could have, and what would help.
func missed(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, c one) error {
	from, back, l := "", 0, c.loss(0)
	if l.after > 0 {
		other, err := db.Call(info.ID, l.after)
		if err != nil {
			return err
		}
		c.idle = c.StartedAt.Sub(other.StartedAt)
		l = c.loss(0)
		from = fmt.Sprintf(" from call %d (%s, its call %d)", other.N, other.Lineage, other.Call+1)
		if c.Miss == llm.MissLookBack.String() {
			back = distance(&other, c.CallInfo)
			l = c.loss(back)
		}
	}
	d.Detail("expected", "%s%s; written again %s", ui.Count(l.expected), from, ui.Count(l.tokens))
	d.Detail("miss reason", "%s: %s", l.cause, l.meaning)
	if x := c.recorded; x != nil && x.Told.Line > 0 {
		d.Detail("told by", "%s (%s)", toldBy(&x.Told), x.Told.What)
	}
	if c.recorded == nil && c.MissByte >= 0 && c.MissPos > 0 {
		d.Detail("first difference", "block %d, byte %d", c.MissPos, c.MissByte)
	}
	if l.priced {
		d.Detail("cost of it", "%s more than a hit", report.Money(l.cost))
	}
	if l.keep != "" {
		d.Detail("would have kept it", "%s", l.keep)
	}
	return nil
}

// misses lists the requests that read less than they could have.
func misses(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, _ *options) error {
	if err := rundb.NeedsCalls(info); err != nil {
		return err
	}
	list, err := db.Misses(info.ID)
	if err != nil {
		return err
	}
	var recorded []sqlite.RecordedInfo
	if info.Recorded() {
		if recorded, err = db.RecordedMisses(info.ID); err != nil {
			return err
		}
	}
	fans, err := db.FanOuts(info.ID)
	if err != nil {
		return err
	}
	rows, price, made := make([]one, len(list)), prices(db, info), false
	if len(recorded) > 0 { // all of its requests, or none
		blocks, err := db.Blocks(info.ID, list[0].Seq)
		if err != nil {
			return err
		}
		made = standIns(info, blocks)
	}
	for i := range list {
		if rows[i] = (one{CallInfo: &list[i], price: price, standIns: made}); recorded != nil {
			rows[i].recorded = &recorded[i]
		} else if c := &list[i]; c.After > 0 && c.Miss == llm.MissExpired.String() {
			other, err := db.Call(info.ID, c.After)
			if err != nil {
				return err
			}
			rows[i].idle = c.StartedAt.Sub(other.StartedAt)
		}
	}
	d.Table(missTable(rows, info.Recorded()))
	if len(rows) == 0 {
		if err := noMisses(d, db, info); err != nil {
			return err
		}
	} else {
		causes(d, rows)
		d.Say("\none of them: agentsim inspect %s --call %d", ui.Short(info.ID), rows[0].N)
	}
	fanOuts(d, fans)
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
		{Head: " EXPECTED", Drop: 2, Of: func(c one) report.Value { return report.Count(c.loss(0).expected) }},
		{Head: " WRITTEN AGAIN", Of: func(c one) report.Value { return report.Count(c.loss(0).tokens) }},
		{Head: " COST OF IT", Of: func(c one) report.Value { return report.Dollars(c.loss(0).cost).If(c.loss(0).priced) }},
		{Head: " AFTER CALL", Drop: 5, Of: func(c one) report.Value { return report.Count(c.loss(0).after).If(c.loss(0).after > 0) }},
		{Head: "MISS REASON", Of: func(c one) report.Value { return report.Text(because(c)) }},
	}
	if recorded {
		columns = append(columns, col{Head: "THE API SAID", Drop: 1, Of: func(c one) report.Value { return report.Text(apiSaid(c)) }})
	}
	return report.TableOf("misses", rows, append(columns, requestColumns(recorded)...)...)
}

// lostBy is what one cause lost.
type lostBy struct {
	loss
	calls int64
}

// causes says what the misses of each cause lost, those that cost most first, and
// what would have kept it.
func causes(d *report.Document, rows []one) {
	var list []lostBy
	var all, open cachemodel.Picodollars // what all misses cost, and those that may be none
	priced := true
	for _, c := range rows {
		l := c.loss(0)
		i := slices.IndexFunc(list, func(o lostBy) bool { return o.cause == l.cause && o.keep == l.keep && o.meaning == l.meaning })
		if i < 0 {
			i, list = len(list), append(list, lostBy{loss: loss{cause: l.cause, meaning: l.meaning, keep: l.keep, priced: true}})
		}
		sum := &list[i]
		sum.calls, sum.tokens, sum.cost, sum.priced = sum.calls+1, sum.tokens+l.tokens, sum.cost+l.cost, sum.priced && l.priced
		all, priced = all+l.cost, priced && l.priced
		if l.cause == llm.MissUndecided.String() {
			open += l.cost
		}
	}
	slices.SortStableFunc(list, func(a, b lostBy) int { return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(b.tokens, a.tokens)) })
	type col = report.Column[lostBy]
	d.Say("")
	d.Table(report.TableOf("", list,
		col{Head: "CAUSE", Of: func(l lostBy) report.Value { return report.Text(l.cause) }},
		col{Head: " CALLS", Of: func(l lostBy) report.Value { return report.Count(l.calls) }},
		col{Head: " WRITTEN AGAIN", Of: func(l lostBy) report.Value { return report.Count(l.tokens) }},
		col{Head: " COST OF IT", Of: func(l lostBy) report.Value { return report.Dollars(l.cost).If(l.priced) }},
		col{Head: "WHY", Drop: 1, Of: func(l lostBy) report.Value { return report.Text(l.meaning) }},
		col{Head: "WOULD HAVE KEPT IT", Of: func(l lostBy) report.Value { return report.Text(l.keep).OrBlank(l.keep != "") }}))
	if priced {
		d.Say("\nall of them cost %s more than hits would have", report.Money(all))
	}
	if open > 0 {
		d.Say("undecided ones may have been hits: the bill may be off by up to %s", report.Money(open))
	}
}

// because is a miss's cause, with the line or the byte of a recording that tells of
// it.
func because(c one) string {
	l := c.loss(0)
	if c.recorded == nil {
		return l.cause
	}
	if by := toldBy(&c.recorded.Told); by != "" {
		return l.cause + " (" + by + ")"
	}
	if changed := c.recorded.Changed; strings.HasPrefix(changed, l.cause+": ") {
		return changed
	}
	return l.cause
}

// reach is how many positions behind itself a breakpoint finds an entry: it looks
// at twenty, its own among them (CACHE-14).
const reach = 19

// distance is how far the earlier call's last breakpoint stands behind the first
// one of this call that is not before it; 0 when the record does not say.
func distance(earlier, c *sqlite.CallInfo) int {
	if len(earlier.Marks) == 0 {
		return 0
	}
	entry, nearest := earlier.Marks[len(earlier.Marks)-1].Pos, int32(0)
	for _, m := range c.Marks {
		if m.Pos >= entry && (nearest == 0 || m.Pos < nearest) {
			nearest = m.Pos
		}
	}
	return max(0, int(nearest-entry))
}

// meaning explains a reason; back is how far the entry stands behind, 0 if that
// is not known.
func meaning(c *sqlite.CallInfo, back int, price pricing) string {
	if p, err := price(c.Model); err == nil && c.Miss == llm.MissUndecided.String() {
		return fmt.Sprintf("too close to the model's minimum cacheable length to call (%s ± %s tokens)",
			ui.Count(p.Minimum), ui.Count(tokens.Off(c.Model, p.Minimum)))
	}
	if back == 0 {
		return c.Meaning
	}
	return fmt.Sprintf("the entry stands %d positions behind the breakpoint, %d is the reach", back, reach)
}

// remedy says what would have kept the prefix. A tool use and its result are two
// positions.
func (c one) remedy(back int) string {
	keep := remedies[c.Miss]
	switch {
	case c.Miss == llm.MissExpired.String() && c.idle > vtime.Hour:
		keep = "no TTL: it was idle for more than 1h; less time between two calls, or requests that keep it alive, where agentsim whatif RUN --keep-alive LONG says that they pay"
	case c.Servers != "":
		keep = "project.tool_search: deferred, by which tools of servers only append"
	case expiredOfSubagent(c.CallInfo):
		keep = "provider.subagent_ttl: 1h, as sub-agents have 5m whatever provider.ttl says; or less time between two calls"
	}
	if back > reach {
		keep = fmt.Sprintf("provider.fourth_mark: true, or %s fewer in the response before", ui.Plural((back-reach+1)/2, "parallel call"))
	}
	return keep
}

// expiredOfSubagent reports whether a call missed what a sub-agent's own lifetime,
// which forks do not have, left to expire.
func expiredOfSubagent(c *sqlite.CallInfo) bool {
	return c.Miss == llm.MissExpired.String() && c.Structure == "subagent" && c.Usage.Write1h == 0
}

// pricing finds a model's prices.
type pricing = rundb.Pricing

// moreThanAHit is what reading the lost tokens instead of paying for them again
// would have saved: tokens that were written come first, then plain ones.
func moreThanAHit(c *sqlite.CallInfo, price pricing) (cachemodel.Picodollars, bool) {
	p, err := price(c.Model)
	if err != nil || c.Lost <= 0 {
		return 0, false
	}
	return p.Cost(c.Usage) - p.Cost(sqlite.Hit(c.Usage, c.Lost)), true
}

// prices finds models as the run's scenario priced them; list prices where it has
// none.
func prices(db *sqlite.DB, info sqlite.RunInfo) pricing {
	if info.Recorded() {
		if price, err := rundb.Prices(db, info); err == nil {
			return price
		}
		return cachemodel.Lookup
	}
	if stored, err := db.Spec(info.ID); err == nil {
		if spec, err := rundb.Rebuild(&stored); err == nil {
			return spec.Scenario.Provider.Priced
		}
	}
	return cachemodel.Lookup
}

// remedies says, by reason, what would have kept the prefix.
var remedies = map[string]string{
	llm.MissNoMarker.String():       "a breakpoint on the part that stays the same (provider.breakpoints)",
	llm.MissBelowMinimum.String():   "a longer shared prefix, or a model with a lower minimum",
	llm.MissModel.String():          "the same model for both: a cache belongs to one",
	llm.MissSalt.String():           "the same settings (effort, thinking, tool_choice) as the request before",
	llm.MissTools.String():          "the same tools, in the same order",
	llm.MissSystem.String():         "the same system prompt",
	llm.MissMessages.String():       "messages that only grow: nothing edited, stripped or replaced behind the mark",
	llm.MissLookBack.String():       "provider.fourth_mark: true, or fewer parallel calls in one response",
	llm.MissNoise.String():          "a server that is not disturbed (provider.options), and no batch",
	llm.MissNotYetReadable.String(): "fan_out.hold: first-response, so that siblings start once the first one's answer begins",
	llm.MissExpired.String():        "a longer TTL (provider.ttl: 1h), or less time between two calls",
}
