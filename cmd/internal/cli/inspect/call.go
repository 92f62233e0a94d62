package inspect

import (
	"fmt"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript/sqlite"
)

// one is a request with what its recording adds, where it was imported, and what
// its model costs.
type one struct {
	*sqlite.CallInfo
	recorded *sqlite.RecordedInfo // nil of a simulated one
	price    pricing
}

// billed reports whether more than the size of the prompt is known.
func (c one) billed() bool { return c.recorded == nil || c.recorded.Billed }

// request says what one request was, what was cached of it, and why it missed.
func request(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, o *options) error {
	if err := rundb.NeedsCalls(info); err != nil {
		return err
	}
	if o.blocks {
		if err := rundb.NeedsBlocks(info); err != nil {
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
	c := one{CallInfo: &found, price: prices(db, info)}
	if info.Recorded() {
		x, err := db.RecordedCall(info.ID, o.call)
		if err != nil {
			return err
		}
		c.recorded = &x
	}
	described(d, c)
	switch {
	case c.recorded != nil:
		recordedCall(d, c)
	case c.Miss != "":
		if err := missed(d, db, info, c); err != nil {
			return err
		}
	}
	d.Fields(report.TableOf("", []one{c}, requestColumns(c.recorded != nil)...))
	d.Field("contents", report.Objects(blockTable(blocks)))
	if o.blocks {
		d.Say("")
		d.Table(blockTable(blocks).Shown())
	}
	return nil
}

// described says what a request was and what was billed.
func described(d *report.Document, c one) {
	d.Say("call %d · %s %s · its call %d%s · at %s", c.N, c.Structure, c.Lineage, c.Call+1, attempt(c.CallInfo), report.Time(c.At.Sub(0)))
	d.Detail("prompt", "%s tokens in %d blocks, %d bytes · %s", ui.Count(c.Usage.Prompt()), c.Blocks, c.Bytes, c.Model)
	read := "nothing"
	switch {
	case c.Usage.Read > 0 && c.ReadTo > 0:
		read = fmt.Sprintf("%s (blocks 1–%d of %d)", ui.Count(c.Usage.Read), c.ReadTo, c.Blocks)
	case c.Usage.Read > 0:
		read = ui.Count(c.Usage.Read)
	}
	if c.billed() {
		d.Detail("cache read", "%s; cache write %s, uncached input %s", read, ui.Count(c.Usage.Written()), ui.Count(c.Usage.Input))
	}
	for _, m := range c.Marks {
		d.Detail("breakpoint", "block %d, %s: %s", m.Pos, m.TTL, markText(m))
	}
	d.Detail("answer", "%s tokens, %s", ui.Count(c.Usage.Output), answer(c.CallInfo))
	if c.billed() {
		d.Detail("cost", "%s; without a cache %s", dollars(c.Cost).If(known(c.Model)), dollars(c.Uncached).If(known(c.Model)))
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
		{Name: "at", Of: func(c one) report.Value { return report.At(c.At) }},
		{Name: "started_at", Of: func(c one) report.Value { return report.At(c.StartedAt) }},
		{Name: "began_at", Of: func(c one) report.Value { return report.At(c.BeganAt) }},
		{Name: "ended_at", Of: func(c one) report.Value { return report.At(c.EndedAt) }},
		{Name: "blocks", Of: func(c one) report.Value { return report.Count(c.Blocks) }},
		{Name: "bytes", Of: func(c one) report.Value { return report.Count(c.Bytes) }},
		{Name: "status", Of: func(c one) report.Value { return report.Text(c.Status) }},
		{Name: "stop", Of: func(c one) report.Value { return report.Text(c.Stop) }},
	}
	columns = append(columns, usage(func(c one) llm.Usage { return c.Usage })...)
	columns = append(columns, []col{
		{Name: "cost", Of: func(c one) report.Value { return dollars(c.Cost) }},
		{Name: "cost_uncached", Of: func(c one) report.Value { return dollars(c.Uncached) }},
		{Name: "read_to", Of: func(c one) report.Value { return report.Count(c.ReadTo) }},
		{Name: "written_to", Of: func(c one) report.Value { return report.Count(c.WrittenTo) }},
		{Name: "undecided", Of: func(c one) report.Value { return report.Count(c.Undecided) }},
		{Name: "miss", Of: func(c one) report.Value { return report.Text(c.Miss) }},
		{Name: "meaning", Of: func(c one) report.Value { return report.Text(c.Meaning) }},
		{Name: "tokens_expected", Of: func(c one) report.Value { return report.Tokens(c.Expected) }},
		{Name: "tokens_lost", Of: func(c one) report.Value { return report.Tokens(c.Lost) }},
		{Name: "lost_cost", Of: lostCost},
		{Name: "miss_position", Of: func(c one) report.Value { return report.Count(c.MissPos) }},
		{Name: "miss_byte", Of: func(c one) report.Value { return report.Count(c.MissByte) }},
		{Name: "after", Of: func(c one) report.Value { return report.Count(c.After) }},
		{Name: "head", Of: func(c one) report.Value { return report.Text(c.Head) }},
		{Name: "marks", Of: func(c one) report.Value { return report.Objects(markTable(c.Marks)) }},
	}...)
	if recorded {
		return append(columns, col{Name: "recorded", Of: func(c one) report.Value { return report.Objects(recordedTable(c)) }})
	}
	return append(columns,
		col{Name: "api_diagnosis", Of: func(c one) report.Value { typ, _ := apiSays(c.CallInfo); return report.Text(typ).If(typ != "") }},
		col{Name: "api_cache_missed_input_tokens", Of: func(c one) report.Value { _, n := apiSays(c.CallInfo); return report.Tokens(n).If(n > 0) }})
}

// lostCost is what a simulated miss cost more than a hit.
func lostCost(c one) report.Value {
	if c.recorded != nil {
		return report.None()
	}
	extra, ok := moreThanAHit(c.CallInfo, c.price)
	return report.Dollars(extra).If(ok)
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

// missed says why a call read less than it could have, and what would help.
func missed(d *report.Document, db *sqlite.DB, info sqlite.RunInfo, c one) error {
	from, other := "", (*sqlite.CallInfo)(nil)
	if c.After > 0 {
		before, err := db.Call(info.ID, c.After)
		if err != nil {
			return err
		}
		other = &before
		from = fmt.Sprintf(" from call %d (%s, its call %d)", other.N, other.Lineage, other.Call+1)
	}
	d.Detail("expected", "%s%s; written again %s", ui.Count(c.Expected), from, ui.Count(c.Lost))
	back := 0
	if c.Miss == llm.MissLookBack.String() && other != nil {
		back = distance(other, c.CallInfo)
	}
	d.Detail("miss reason", "%s: %s", c.Miss, meaning(c.CallInfo, back, c.price))
	if c.MissByte >= 0 && c.MissPos > 0 {
		d.Detail("first difference", "block %d, byte %d", c.MissPos, c.MissByte)
	}
	if typ, missed := apiSays(c.CallInfo); missed > 0 {
		d.Detail("the API says", "%s, about %s tokens by their bytes", typ, ui.Count(missed))
	} else if typ != "" {
		d.Detail("the API says", "%s", typ)
	}
	if extra, ok := moreThanAHit(c.CallInfo, c.price); ok {
		d.Detail("cost of it", "%s more than a hit", report.Money(extra))
	}
	if keep := remedy(c.CallInfo, back); keep != "" {
		d.Detail("would have kept it", "%s", keep)
	}
	return nil
}

// blockTable are the blocks of a request; machines get them whole.
func blockTable(blocks []sqlite.BlockInfo) *report.Sheet {
	type col = report.Column[sqlite.BlockInfo]
	return report.TableOf("contents", blocks,
		col{Name: "position", Head: " BLOCK", Of: func(b sqlite.BlockInfo) report.Value { return report.Count(b.Pos) }},
		col{Name: "level", Head: "LEVEL", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Level) }},
		col{Name: "role", Head: "ROLE", Drop: 2, Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Role) }},
		col{Name: "kind", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Kind) }},
		col{Name: "name", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Name) }},
		col{Head: "KIND", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(strings.TrimSpace(b.Kind + " " + b.Name)) }},
		col{Head: " BYTES", Drop: 1, Of: func(b sqlite.BlockInfo) report.Value { return report.Count(len(b.Content)) }},
		col{Head: "CACHE", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(map[bool]string{true: "read"}[b.Cached]) }},
		col{Name: "cached", Of: func(b sqlite.BlockInfo) report.Value { return report.Bool(b.Cached) }},
		col{Head: "CONTENT", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(ui.Excerpt(b.Content)) }},
		col{Name: "content", Of: func(b sqlite.BlockInfo) report.Value { return report.Text(b.Content) }})
}

// misses lists the requests that read less than they could have.
func misses(d *report.Document, db *sqlite.DB, info sqlite.RunInfo) error {
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
	rows, price := make([]one, len(list)), prices(db, info)
	for i := range list {
		if rows[i] = (one{CallInfo: &list[i], price: price}); recorded != nil {
			rows[i].recorded = &recorded[i]
		}
	}
	switch {
	case info.Recorded():
		recordedMisses(d, rows)
	default:
		simulatedMisses(d, rows)
	}
	if len(rows) == 0 {
		if err := noMisses(d, db, info); err != nil {
			return err
		}
	} else {
		d.Say("\none of them: agentsim inspect %s --call %d", ui.Short(info.ID), rows[0].N)
	}
	fanOuts(d, fans)
	return nil
}

// simulatedMisses lists misses and what they cost.
func simulatedMisses(d *report.Document, rows []one) {
	type col = report.Column[one]
	d.Table(report.TableOf("misses", rows, append([]col{
		{Head: " CALL", Of: func(c one) report.Value { return report.Count(c.N) }},
		{Head: "AGENT", Of: func(c one) report.Value { return report.Text(c.Lineage) }},
		{Head: " AT", Drop: 3, Of: func(c one) report.Value { return report.At(c.At) }},
		{Head: " CACHE READ", Drop: 2, Of: func(c one) report.Value { return report.Count(c.Usage.Read) }},
		{Head: " EXPECTED", Drop: 1, Of: func(c one) report.Value { return report.Count(c.Expected) }},
		{Head: " WRITTEN AGAIN", Of: func(c one) report.Value { return report.Count(c.Lost) }},
		{Head: " COST OF IT", Of: lostCost},
		{Head: " AFTER CALL", Drop: 4, Of: func(c one) report.Value { return report.Count(c.After).If(c.After > 0) }},
		{Head: "MISS REASON", Of: func(c one) report.Value { return report.Text(c.Miss + ": " + meaning(c.CallInfo, 0, c.price)) }},
	}, requestColumns(false)...)...))
	if len(rows) == 0 {
		return
	}
	var all, open cachemodel.Picodollars // what all misses cost, and those that may be none
	short := 0
	for _, c := range rows {
		extra, _ := moreThanAHit(c.CallInfo, c.price)
		if all += extra; c.Miss == llm.MissUndecided.String() {
			open += extra
		}
		if expiredOfSubagent(c.CallInfo) {
			short++
		}
	}
	d.Say("\nall of them cost %s more than hits would have", report.Money(all))
	if short > 0 {
		d.Say("would have kept %d of them: provider.subagent_ttl: 1h, as sub-agents have 5m whatever provider.ttl says", short)
	}
	if open > 0 {
		d.Say("undecided ones may have been hits: the bill may be off by up to %s", report.Money(open))
	}
}

// known reports whether a model has a price.
func known(model string) bool {
	_, err := rundb.PriceOf(model)
	return err == nil
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
func remedy(c *sqlite.CallInfo, back int) string {
	keep := remedies[c.Miss]
	if expiredOfSubagent(c) {
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
type pricing func(model string) (*cachemodel.Profile, error)

// moreThanAHit is what reading the lost tokens instead of paying for them again
// would have saved: tokens that were written come first, then plain ones.
func moreThanAHit(c *sqlite.CallInfo, price pricing) (cachemodel.Picodollars, bool) {
	p, err := price(c.Model)
	if err != nil || c.Lost <= 0 {
		return 0, false
	}
	hit := c.Usage
	left := c.Lost
	for _, paid := range []*int64{&hit.Write5m, &hit.Write1h, &hit.Input} {
		n := min(left, *paid)
		*paid -= n
		left -= n
		hit.Read += n
	}
	return p.Cost(c.Usage) - p.Cost(hit), true
}

// prices finds models as the run's scenario priced them; list prices where it has
// none.
func prices(db *sqlite.DB, info sqlite.RunInfo) pricing {
	if !info.Recorded() {
		if stored, err := db.Spec(info.ID); err == nil {
			if spec, err := rundb.Rebuild(&stored); err == nil {
				return spec.Scenario.Provider.Priced
			}
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
	llm.MissExpired.String():        "a longer lifetime (provider.ttl: 1h), or less time between two calls",
}
