package rundb

import (
	"cmp"
	"fmt"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/recording"
	"agentsim/sim/reprice"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// Loss is what a call that missed the cache lost, and why: as the cache model says
// of a simulated call, as the recording says of a recorded one.
type Loss struct {
	Expected, Tokens, After int64                  // Tokens are those that were paid for again; After is the call that it could have read from, 0 for none
	Cause, Meaning, Keep    string                 // Keep is what would have kept it
	Cost                    cachemodel.Picodollars // more than a hit
	Priced                  bool                   // whether the cost is known
	Set                     string                 // the path of the TTL that let it expire; "" for none, or one that no setting mends
}

// Request is one call with all that it takes to say what a miss of it lost.
type Request struct {
	*sqlite.CallInfo
	Recorded *sqlite.RecordedInfo // nil of a simulated one
	Price    Pricing
	Idle     vtime.Duration // of a simulated one: since the call began that it could have read from; 0 if that is not known
	Back     int            // how far the entry is behind, in positions; 0 if that is not known
}

// Loss is that of one call; back is how far the entry stands behind, 0 if that is
// not known.
func (c Request) Loss(back int) Loss {
	sent := Again(c.Usage, c.Lost)
	back = max(back, c.Back)
	if x := c.Recorded; x != nil {
		return Loss{x.Expected, sent, x.Pred, recording.Reason(x.Cause), x.Meaning, x.Keep, cachemodel.Picodollars(x.LostCost), Known(c.Model), ""}
	}
	cost, priced := moreThanAHit(c.CallInfo, c.Price)
	cause := c.Miss
	if c.Servers != "" {
		cause += ": " + c.Servers
	}
	keep := c.remedy(back)
	set := ""
	for _, path := range []string{ownTTL, childTTL} {
		if strings.Contains(keep, path+": 1h") {
			set = path
		}
	}
	return Loss{c.Expected, sent, c.After, cause, meaning(c.CallInfo, back, c.Price), keep, cost, priced, set}
}

// Requests are a run's calls in order, as far as they are recorded, with what it takes
// to say what each miss lost, at prices that the run was recorded with.
func Requests(db *sqlite.DB, info sqlite.RunInfo, price Pricing) ([]Request, error) {
	calls, err := db.Calls(info.ID)
	if err != nil {
		return nil, err
	}
	var known []sqlite.RecordedInfo
	if info.Recorded() {
		if known, err = db.RecordedCalls(info.ID); err != nil {
			return nil, err
		}
	}
	out, at := make([]Request, len(calls)), map[int64]*sqlite.CallInfo{}
	for i := range calls {
		c := &calls[i]
		out[i], at[c.N] = Request{CallInfo: c, Price: price}, c
		if i < len(known) {
			out[i].Recorded = &known[i]
			continue
		}
		switch from := at[c.After]; {
		case from == nil:
		case c.Miss == llm.MissExpired.String():
			out[i].Idle = c.StartedAt.Sub(from.StartedAt)
		case c.Miss == llm.MissLookBack.String():
			out[i].Back = Distance(from, c)
		}
	}
	return out, nil
}

// Again is how many of the tokens that a call lost it paid for again: a prompt that
// became shorter lost more than it sent.
func Again(u llm.Usage, lost int64) int64 { return u.Hit(lost).Read - u.Read }

// reach is how many positions behind itself a breakpoint finds an entry: it looks
// at twenty, its own among them (CACHE-14).
const reach = 19

// Distance is how far the earlier call's last breakpoint stands behind the first
// one of this call that is not before it; 0 when the record does not say.
func Distance(earlier, c *sqlite.CallInfo) int {
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
func meaning(c *sqlite.CallInfo, back int, price Pricing) string {
	if p, err := price(c.Model); err == nil && c.Miss == llm.MissUndecided.String() {
		return fmt.Sprintf("too close to the model's minimum cacheable length to call (%s ± %s tokens)",
			ui.Count(p.Minimum), ui.Count(tokens.Off(c.Model, p.Minimum)))
	}
	if back == 0 {
		return c.Meaning
	}
	return fmt.Sprintf("the entry is %d positions before the breakpoint, %d is the reach", back, reach)
}

// remedy says what would have kept the prefix. A tool use and its result are two
// positions.
func (c Request) remedy(back int) string {
	keep := remedies[c.Miss]
	switch {
	case c.Miss == llm.MissExpired.String() && c.Idle > vtime.Hour:
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

// The TTLs of main agents with their forks, and of sub-agents.
const (
	ownTTL   = "provider.ttl"
	childTTL = "provider.subagent_ttl"
)

// LongerTTL says what a run would have cost in all had the TTL that let a call's entry
// expire been an hour, for those alone that it is of and for all agents; "" for a call
// that missed for another reason. Where the record cannot tell, it names the command that
// estimates it. at is the flag that names the database.
func LongerTTL(db *sqlite.DB, info sqlite.RunInfo, l Loss, at string) string {
	if l.Set == "" {
		return ""
	}
	other, kind := childTTL, "main"
	if l.Set == childTTL {
		other, kind = ownTTL, "subagent"
	}
	was, alone, err := hourly(db, info, l.Set)
	_, all, failed := hourly(db, info, l.Set, other)
	if err != nil || failed != nil {
		return fmt.Sprintf("what a TTL of 1h costs in all the record cannot tell; agentsim whatif %s --ttl %s=1h%s estimates it", ui.Short(info.ID), kind, at)
	}
	text := fmt.Sprintf("%s: 1h alone: %s in all, %s", l.Set, report.Money(alone), apart(alone-was))
	if all != alone {
		text += fmt.Sprintf("; with %s: 1h too: %s, %s", other, report.Money(all), apart(all-was))
	}
	return text + " (requests and times as recorded)"
}

func apart(more cachemodel.Picodollars) string {
	if more < 0 {
		return report.Money(-more) + " less"
	}
	return report.Money(more) + " more"
}

// hourly is what a run cost, and what it would have with TTLs of an hour at paths.
func hourly(db *sqlite.DB, info sqlite.RunInfo, paths ...string) (was, now cachemodel.Picodollars, err error) {
	if err := cmp.Or(NeedsAll(info), NeedsContent(info)); err != nil {
		return 0, 0, err
	}
	r, err := reprice.Load(db, info.ID)
	if err != nil {
		return 0, 0, err
	}
	for i, path := range paths {
		paths[i] = path + "=1h"
	}
	own, other, err := r.Play(paths, nil)
	if err != nil {
		return 0, 0, err
	}
	for i := range own.Calls {
		was, now = was+cachemodel.Picodollars(own.Calls[i].Cost()), now+cachemodel.Picodollars(other.Calls[i].Cost())
	}
	return was, now, nil
}

// expiredOfSubagent reports whether a call missed what a sub-agent's own lifetime,
// which forks do not have, left to expire.
func expiredOfSubagent(c *sqlite.CallInfo) bool {
	return c.Miss == llm.MissExpired.String() && c.Structure == "subagent" && c.Usage.Write1h == 0
}

// moreThanAHit is what reading the lost tokens instead of paying for them again
// would have saved: tokens that were written come first, then plain ones.
func moreThanAHit(c *sqlite.CallInfo, price Pricing) (cachemodel.Picodollars, bool) {
	p, err := price(c.Model)
	if err != nil || c.Lost <= 0 {
		return 0, false
	}
	return p.Cost(c.Usage) - p.Cost(c.Usage.Hit(c.Lost)), true
}

// remedies says, by reason, what would have kept the prefix.
var remedies = map[string]string{
	llm.MissNoMarker.String():       "a breakpoint on the part that stays the same (provider.breakpoints)",
	llm.MissBelowMinimum.String():   "a longer shared prefix, or a model with a lower minimum",
	llm.MissModel.String():          "the same model for both: a cache belongs to one",
	llm.MissSalt.String():           "the same settings (effort, thinking, tool_choice) as the request before",
	llm.MissTools.String():          "the same tools, in the same order",
	llm.MissSystem.String():         "the same system prompt",
	llm.MissMessages.String():       "messages that only grow: nothing edited, stripped or replaced before the breakpoint",
	llm.MissLookBack.String():       "provider.fourth_mark: true, or fewer parallel calls in one response",
	llm.MissNoise.String():          "a server that is not disturbed (provider.options), and no batch",
	llm.MissNotYetReadable.String(): "fan_out.hold: first-response, so that siblings start once the first one's answer begins",
	llm.MissExpired.String():        "a longer TTL (provider.ttl: 1h), or less time between two calls",
}
