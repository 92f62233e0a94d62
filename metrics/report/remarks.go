package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Remark is a line about one variant.
type Remark struct {
	Text   string
	Weight int64 // how much there is of what it says
}

// Texts are all remarks.
func Texts(list []Remark) (out []string) {
	for _, r := range list {
		out = append(out, r.Text)
	}
	return out
}

// Loudest are remarks of one kind as people read them: all of a few, of more the two that
// weigh most, and how many variants have as much or less of it; where says where these are.
func Loudest(list []Remark, where string) []string {
	if len(list) <= few {
		return Texts(list)
	}
	loud := slices.SortedStableFunc(slices.Values(list), func(a, b Remark) int { return cmp.Compare(b.Weight, a.Weight) })[:few-1]
	return append(Texts(loud), fmt.Sprintf("%d more variants have as much of this or less%s", len(list)-len(loud), where))
}

// few is how many remarks of one kind are read at a glance.
const few = 3

// Losses says in a line for each variant what was lost on the way and what that
// cost: histories that became summaries, results that stand as previews, requests
// that failed. Nothing is said of a variant that lost nothing.
func Losses(rows []Row) []string {
	var out []string
	for _, r := range rows {
		t := &r.Run.Total
		known := len(r.Run.Unpriced()) == 0
		for _, line := range []string{compactions(t, known), replacements(t), failures(t, known)} {
			if line != "" {
				out = append(out, variantName(r)+" "+line)
			}
		}
	}
	return out
}

func compactions(t *metrics.Tally, priced bool) string {
	if t.Compactions == 0 {
		return ""
	}
	s := "summed up " + count(t.Compactions, "history", "histories")
	if priced {
		s += " for " + Money(t.CompactionCost)
	}
	s += " and lost " + count(t.FactsLost, "fact", "facts") + " and the content of " + count(t.FilesLost, "version of a file", "versions of files")
	if n := t.Reads[metrics.Compaction]; n > 0 {
		s += "; " + count(n, "read", "reads") + " had to be made again"
	}
	return s
}

func replacements(t *metrics.Tally) string {
	if t.Replaced == 0 {
		return ""
	}
	return "put previews in the place of " + count(t.Replaced, "result", "results") + ", " + Quantity(t.ReplacedBytes) + " bytes less"
}

func failures(t *metrics.Tally, priced bool) string {
	if t.Errors == 0 {
		return ""
	}
	s := fmt.Sprintf("made %s, of which %d failed", count(t.Requests, "request", "requests"), t.Errors)
	if priced && t.ErrorCost >= visible {
		verb := "were"
		if t.Errors == 1 {
			verb = "was"
		}
		s += " and " + verb + " billed " + Money(t.ErrorCost)
	}
	return s
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Hidden says of each run what requests cost that the client sent on its own and what
// side questions did, and what the others came to beside a run that had none: what they
// renewed is part of that.
func Hidden(rows []Row) (out []string) {
	return append(beside(rows, llm.HiddenSuffix, "hidden request"), beside(rows, llm.AsideSuffix, "side question")...)
}

// beside is Hidden for agents whose lineages have the suffix.
func beside(rows []Row, suffix, what string) (out []string) {
	plain := -1
	for i, r := range rows {
		if n, _, _ := hidden(r, suffix); n == 0 && plain < 0 {
			plain = i
		}
	}
	for _, r := range rows {
		n, output, cost := hidden(r, suffix)
		if n == 0 || len(r.Run.Unpriced()) > 0 {
			continue
		}
		text := fmt.Sprintf("%s of %s cost %s", count(n, what, what+"s"), variantName(r), Money(cost))
		if suffix == llm.AsideSuffix {
			text += fmt.Sprintf(", answered in %d tok", output)
		}
		if plain >= 0 && len(rows[plain].Run.Unpriced()) == 0 {
			saved, side := rows[plain].Run.Total.Cost-(r.Run.Total.Cost-cost), "less"
			if saved < 0 {
				saved, side = -saved, "more"
			}
			text += fmt.Sprintf("; the others cost %s %s than in %s", Money(saved), side, variantName(rows[plain]))
		}
		out = append(out, text)
	}
	return out
}

// hidden is how many agents of a run have lineages with the suffix, what they said in
// tokens, and what they cost.
func hidden(r Row, suffix string) (n, output int64, cost cachemodel.Picodollars) {
	for i := range r.Run.Agents {
		if a := &r.Run.Agents[i]; strings.Contains(a.Lineage, suffix) {
			n, output, cost = n+1, output+a.Tally.Usage.Output, cost+a.Tally.Cost
		}
	}
	return n, output, cost
}

// Slower says in a line for each variant why it took longer than the fastest that did
// the same work, where fewer of its agents ran at a time.
func Slower(rows []Row) []string {
	var out []string
	for _, group := range bySize(rows) {
		group = slices.DeleteFunc(group, func(r Row) bool { return !didAll(r.Run) })
		if len(group) < 2 {
			continue
		}
		fast := slices.MinFunc(group, func(a, b Row) int { return cmp.Compare(a.Run.Makespan, b.Run.Makespan) })
		for _, r := range group {
			n, few := together(r.Run)
			of, many := together(fast.Run)
			if sameWork(r.Run, fast.Run) && min(n, of) > 1 && 4*r.Run.Makespan >= 5*fast.Run.Makespan && 4*few <= 3*many {
				out = append(out, fmt.Sprintf("%s takes %s as long as %s: its %d agents ran %s at a time, there %d ran %s", variantName(r), Times(int64(r.Run.Makespan), int64(fast.Run.Makespan)),
					variantName(fast), n, tenths(few), of, tenths(many)))
			}
		}
	}
	return out
}

func tenths(n int64) string { return fmt.Sprintf("%d.%d", n/10, n%10) }

// together is how many agents a run has below its roots, and how many of them went on
// at a time while one did, in tenths.
func together(r *metrics.Run) (n int, tenths int64) {
	var spans []*metrics.Agent
	for i := range r.Agents {
		if a := &r.Agents[i]; a.Parent >= 0 && a.Lineage != "" {
			spans = append(spans, a)
		}
	}
	slices.SortStableFunc(spans, func(a, b *metrics.Agent) int { return cmp.Compare(a.Started, b.Started) })
	var sum, any vtime.Duration
	var end vtime.Instant
	for _, a := range spans {
		sum += vtime.Duration(a.Ended - a.Started)
		if a.Ended > end {
			any += vtime.Duration(a.Ended - max(a.Started, end))
			end = a.Ended
		}
	}
	return len(spans), (10*int64(sum) + int64(any)/2) / max(int64(any), 1)
}

// Steered says in a line for each variant how often its agents were steered from
// outside: asked about, denied, moved, killed.
func Steered(rows []Row) []string {
	var out []string
	for _, r := range rows {
		if line := steered(&r.Run.Total); line != "" {
			out = append(out, variantName(r)+" "+line)
		}
	}
	return out
}

func steered(t *metrics.Tally) string {
	line := ""
	for _, p := range []struct {
		n    int64
		text string
	}{
		{t.Prompts, "asked for permission " + count(t.Prompts, "time", "times")},
		{t.Denials, "had " + count(t.Denials, "tool use", "tool uses") + " denied"},
		{t.Backgrounded, "moved " + count(t.Backgrounded, "agent", "agents") + " to the background"},
		{t.Killed, "lost " + count(t.Killed, "agent", "agents") + " to aborts"},
	} {
		if p.n == 0 {
			continue
		}
		if line != "" {
			line += ", "
		}
		line += p.text
	}
	return line
}

// OneSeed says of what is drawn that it was drawn once.
func OneSeed(seed uint64) string {
	return fmt.Sprintf("what is drawn is drawn once, by seed %d: another seed gives other figures, and may rank the variants otherwise", seed)
}

// Scale is how often a type of agent is started in the world at large, and the
// tokens that its starts are said to spare there.
type Scale struct {
	Type      string
	Spawns    int64  // in a period
	Period    string // such as week
	Low, High int64  // tokens spared in a period; 0 where nothing is said
}

// Extrapolate says what the type's prompts come to at that scale: first what the
// bounds are for one start and, by the first variant's requests, for one request;
// then, for every other variant, what it sends more than the first one. Where there is
// nothing to say it says why, and false.
func Extrapolate(rows []Row, s Scale) (told []string, ok bool) {
	base, ok := oneSpawn(rows[0], s.Type)
	if !ok {
		return []string{"lab.scale says nothing: in what comes first no agent of type " + s.Type + " is started"}, false
	}
	n := Quantity(s.Spawns)
	var out []string
	if s.High > 0 {
		lo, hi := s.Low/s.Spawns, s.High/s.Spawns
		out = append(out, fmt.Sprintf("%s to %s tok a %s ÷ %s starts of %s = %d to %d tok a start; a start makes %s here: %s to %s tok a request",
			Quantity(s.Low), Quantity(s.High), s.Period, n, s.Type, lo, hi, perStart(base), perRequest(s.Low, s.Spawns, base), perRequest(s.High, s.Spawns, base)))
	}
	for _, r := range rows[1:] {
		one, ok := oneSpawn(r, s.Type)
		if !ok {
			continue
		}
		more := one.prompt/one.starts - base.prompt/base.starts
		line := fmt.Sprintf("%s sends %+d tok a start (%s, %+d a request): × %s = %s tok a %s", variantName(r), more, perStart(one),
			one.prompt/one.requests-base.prompt/base.requests, n, Quantity(more*s.Spawns), s.Period)
		switch total := more * s.Spawns; {
		case s.High == 0:
		case total < s.Low:
			line += ", below the bounds"
		case total > s.High:
			line += ", above the bounds"
		default:
			line += ", within the bounds"
		}
		out = append(out, line)
	}
	if out == nil {
		return []string{"lab.scale says nothing: it has no bounds, and no other variant starts agents of type " + s.Type}, false
	}
	return out, true
}

// spawned is what the agents of a type sent.
type spawned struct{ starts, requests, prompt int64 }

func oneSpawn(r Row, typ string) (spawned, bool) {
	t, ok := r.Run.Type(typ)
	if !ok || t.Agents == 0 || t.Tally.Calls == 0 {
		return spawned{}, false
	}
	return spawned{t.Agents, t.Tally.Calls, t.Tally.Usage.Prompt()}, true
}

func perStart(s spawned) string {
	if s.requests%s.starts == 0 {
		return count(s.requests/s.starts, "request", "requests")
	}
	return fmt.Sprintf("%.1f requests", float64(s.requests)/float64(s.starts))
}

// perRequest is tokens for one request, rounded.
func perRequest(tokens, starts int64, s spawned) string {
	return fmt.Sprintf("%.0f", float64(tokens)/float64(starts)*float64(s.starts)/float64(s.requests))
}
