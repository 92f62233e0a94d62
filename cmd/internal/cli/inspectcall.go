package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript/sqlite"
)

func inspectCall(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
	if err := rundb.NeedsCalls(info); err != nil {
		return err
	}
	if o.blocks {
		if err := rundb.NeedsBlocks(info); err != nil {
			return err
		}
	}
	c, err := db.Call(info.ID, o.call)
	if err != nil {
		return rundb.NotKept(info, o.call, err)
	}
	blocks, err := db.Blocks(info.ID, c.Seq)
	if err != nil {
		return err
	}
	var recorded sqlite.RecordedInfo
	if info.Recorded() {
		if recorded, err = db.RecordedCall(info.ID, o.call); err != nil {
			return err
		}
	}
	if o.output != "table" {
		doc := callDocument(&c, blocks)
		if info.Recorded() {
			doc.Recorded = recordedDocument(c.Model, &recorded)
			doc.Diagnosis, doc.Missed = "", 0 // the API itself has said what it had to
		}
		return s.Emit(o.output, doc)
	}
	if err := rundb.Heading(s, db, info); err != nil {
		return err
	}
	printCall(s, &c, !info.Recorded() || recorded.Billed)
	switch {
	case info.Recorded():
		printCallRecord(s, &c, &recorded)
	case c.Miss != "":
		if err := printMiss(s, db, info, &c); err != nil {
			return err
		}
	}
	if o.blocks {
		s.Printf("\n")
		return printBlocks(s, blocks)
	}
	return nil
}

// known reports whether a model has a price.
func known(model string) bool {
	_, err := priceOf(model)
	return err == nil
}

// printCall prints a call; billed is false where only the size of its prompt is
// known.
func printCall(s *ui.Env, c *sqlite.CallInfo, billed bool) {
	s.Printf("call %d · %s %s · its call %d%s · at %s\n", c.N, c.Structure, c.Lineage, c.Call+1, attempt(c), report.Time(c.At.Sub(0)))
	s.Detail("prompt", "%s tokens in %d blocks, %d bytes · %s", ui.Count(c.Usage.Prompt()), c.Blocks, c.Bytes, c.Model)
	read := "nothing read"
	switch {
	case c.Usage.Read > 0 && c.ReadTo > 0:
		read = fmt.Sprintf("%s read (blocks 1–%d of %d)", ui.Count(c.Usage.Read), c.ReadTo, c.Blocks)
	case c.Usage.Read > 0:
		read = ui.Count(c.Usage.Read) + " read"
	}
	if billed {
		s.Detail("cached", "%s, %s written, %s plain", read, ui.Count(c.Usage.Written()), ui.Count(c.Usage.Input))
	}
	for _, m := range c.Marks {
		s.Detail("breakpoint", "block %d, %s: %s", m.Pos, m.TTL, markText(m))
	}
	s.Detail("answer", "%s tokens, %s", ui.Count(c.Usage.Output), answer(c))
	if billed {
		s.Detail("cost", "%s; without a cache %s", bill(c.Cost, known(c.Model)), bill(c.Uncached, known(c.Model)))
	}
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

// printMiss says why a call read less than it could have, and what would help.
func printMiss(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, c *sqlite.CallInfo) error {
	from, other := "", (*sqlite.CallInfo)(nil)
	if c.After > 0 {
		before, err := db.Call(info.ID, c.After)
		if err != nil {
			return err
		}
		other = &before
		from = fmt.Sprintf(" from call %d (%s, its call %d)", other.N, other.Lineage, other.Call+1)
	}
	s.Detail("expected", "%s%s; lost %s", ui.Count(c.Expected), from, ui.Count(c.Lost))
	back := 0
	if c.Miss == llm.MissLookBack.String() && other != nil {
		back = distance(other, c)
	}
	s.Detail("missed because", "%s: %s", c.Miss, meaning(c, back, prices(db, info)))
	if c.MissByte >= 0 && c.MissPos > 0 {
		s.Detail("first difference", "block %d, byte %d", c.MissPos, c.MissByte)
	}
	if typ, missed := apiSays(c); missed > 0 {
		s.Detail("the API says", "%s, about %s tokens by their bytes", typ, ui.Count(missed))
	} else if typ != "" {
		s.Detail("the API says", "%s", typ)
	}
	if extra, ok := moreThanAHit(c, prices(db, info)); ok {
		s.Detail("cost of it", "%s more than a hit", report.Money(extra))
	}
	if keep := remedy(c, back); keep != "" {
		s.Detail("would have kept it", "%s", keep)
	}
	return nil
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
			withCommas(p.Minimum), withCommas(tokens.Off(c.Model, p.Minimum)))
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

func printBlocks(s *ui.Env, blocks []sqlite.BlockInfo) error {
	t := report.NewTable(" BLOCK", "LEVEL", "ROLE", "KIND", " BYTES", "CACHED", "CONTENT")
	for _, b := range blocks {
		cached := ""
		if b.Cached {
			cached = "read"
		}
		t.Row(strconv.Itoa(int(b.Pos)), b.Level, b.Role, strings.TrimSpace(b.Kind+" "+b.Name), strconv.Itoa(len(b.Content)), cached, excerpt(b.Content))
	}
	return t.Write(s.Stdout, s.Style())
}

// maxExcerpt is how many characters of a block are shown.
const maxExcerpt = 60

// excerpt is the beginning of a text on one line.
func excerpt(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > maxExcerpt {
		return string(line[:maxExcerpt-1]) + "…"
	}
	return string(line)
}

func inspectMisses(s *ui.Env, db *sqlite.DB, info sqlite.RunInfo, o *inspectOptions) error {
	if err := rundb.NeedsCalls(info); err != nil {
		return err
	}
	misses, err := db.Misses(info.ID)
	if err != nil {
		return err
	}
	var recorded []sqlite.RecordedInfo
	if info.Recorded() {
		if recorded, err = db.RecordedMisses(info.ID); err != nil {
			return err
		}
	}
	if o.output != "table" {
		docs, price := callDocuments(misses, recorded), prices(db, info)
		for i := range docs {
			if extra, ok := moreThanAHit(&misses[i], price); ok && recorded == nil {
				cost := int64(extra)
				docs[i].LostCost = &cost
			}
		}
		return s.Emit(o.output, docs)
	}
	if err := rundb.Heading(s, db, info); err != nil {
		return err
	}
	fans, err := db.FanOuts(info.ID)
	if err != nil {
		return err
	}
	if len(misses) == 0 {
		return cmp.Or(noMisses(s, db, info), printFanOuts(s, fans))
	}
	if err := missTable(s, misses, recorded, prices(db, info)); err != nil {
		return err
	}
	s.Printf("\none of them: agentsim inspect %s --call %d\n", ui.Short(info.ID), misses[0].N)
	return printFanOuts(s, fans)
}

// missTable lists misses, those of a recording with what it adds.
func missTable(s *ui.Env, misses []sqlite.CallInfo, recorded []sqlite.RecordedInfo, price pricing) error {
	if recorded != nil {
		return printRecordedMisses(s, misses, recorded)
	}
	t := report.NewTable(" CALL", "AGENT", " AT", " READ", " EXPECTED", " LOST", " COST OF IT", " AFTER CALL", "MISSED BECAUSE")
	var all, open cachemodel.Picodollars // what all misses cost, and those that may be none
	for i := range misses {
		c := &misses[i]
		after := ""
		if c.After > 0 {
			after = strconv.FormatInt(c.After, 10)
		}
		extra, known := moreThanAHit(c, price)
		if all += extra; c.Miss == llm.MissUndecided.String() {
			open += extra
		}
		t.Row(strconv.FormatInt(c.N, 10), c.Lineage, report.Time(c.At.Sub(0)), ui.Count(c.Usage.Read), ui.Count(c.Expected), ui.Count(c.Lost),
			bill(int64(extra), known), after, c.Miss+": "+meaning(c, 0, price))
	}
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	s.Printf("\nall of them cost %s more than hits would have\n", report.Money(all))
	if n := len(slices.DeleteFunc(slices.Clone(misses), func(c sqlite.CallInfo) bool { return !expiredOfSubagent(&c) })); n > 0 {
		s.Printf("would have kept %d of them: provider.subagent_ttl: 1h, as sub-agents have 5m whatever provider.ttl says\n", n)
	}
	if open > 0 {
		s.Printf("undecided ones may have been hits: the bill may be off by up to %s\n", report.Money(open))
	}
	return nil
}
