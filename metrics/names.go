package metrics

import "agentsim/sim/llm"

// Name is one row of the metric table: what an expectation may speak of.
type Name struct {
	Name string
	Unit Unit
	What string // one line, for people
	// Better is "lower", "higher" or "" where neither is better by itself.
	Better string
	scope  func(s scope) (Value, bool)
}

// scope is what a metric is read from: a run, or a part of it.
type scope struct {
	run      *Run
	whole    bool // of the run, not a part
	tally    *Tally
	items    *Outcomes // nil where items are not counted
	agents   int64
	siblings []Siblings
	span     int64
}

// Names lists the metrics in the order in which they are documented.
func Names() []Name { return table }

// Find returns the metric of that name.
func Find(name string) (Name, bool) {
	i, ok := places[name]
	if !ok {
		return Name{}, false
	}
	return table[i], true
}

// places are the names' in the table.
var places = func() map[string]int {
	out := make(map[string]int, len(table))
	for i, n := range table {
		out[n.Name] = i
	}
	return out
}()

// Lookup reads a metric of a run; or, when subject is not "", of one agent type
// of it, of a root by its lineage, or of a watched call (Options.Watch). It
// reports false when there is no data: the subject never ran, the ratio has no
// denominator, a price is not known, nothing was spawned, the metric makes no
// sense for the subject. An unknown name has no data either; Find tells the two
// apart.
func Lookup(r *Run, subject, name string) (Value, bool) {
	n, ok := Find(name)
	if !ok {
		return Value{}, false
	}
	if subject == "" {
		return n.scope(scope{run: r, whole: true, tally: &r.Total, items: &r.Items, agents: r.Started,
			siblings: r.Siblings, span: int64(r.Makespan)})
	}
	s, ok := r.scopeOf(subject)
	if !ok {
		return Value{}, false
	}
	return n.scope(s)
}

// scopeOf finds what a subject's metrics are read from.
func (r *Run) scopeOf(subject string) (scope, bool) {
	if t, ok := r.Type(subject); ok {
		return scope{run: r, tally: &t.Tally, items: &t.Items, agents: t.Agents,
			siblings: t.Siblings, span: int64(t.Span)}, true
	}
	if a, ok := r.root(subject); ok {
		return scope{run: r, tally: &a.Tally, agents: 1, span: int64(a.Ended.Sub(a.Started))}, true
	}
	if w, ok := r.watched(subject); ok {
		return scope{run: r, tally: &w.Tally, agents: 1, span: int64(w.Tally.Busy)}, true
	}
	return scope{}, false
}

var table = buildTable()

func buildTable() []Name {
	rows := append(moneyRows(), tokenRows()...)
	rows = append(rows, workRows()...)
	rows = append(rows, handoffRows()...)
	rows = append(rows, factRows()...)
	rows = append(rows, timeRows()...)
	rows = append(rows, phaseRows()...)
	return append(rows, missRows()...)
}

// tallied is a metric that is one number of the tally.
func tallied(name string, u Unit, better, what string, get func(*Tally) int64) Name {
	return Name{name, u, what, better, func(s scope) (Value, bool) { return Whole(get(s.tally), u), true }}
}

// priced is a metric of money: without every price there is no data.
func priced(name, better, what string, get func(*Tally) int64) Name {
	return Name{name, Picodollars, what, better, func(s scope) (Value, bool) {
		return Whole(get(s.tally), Picodollars), len(s.run.Unpriced()) == 0
	}}
}

func share(num, den int64) (Value, bool) { return Value{num, den, Ratio}, den > 0 }

func moneyRows() []Name {
	return []Name{
		priced("cost", "lower", "what the calls were billed", func(t *Tally) int64 { return int64(t.Cost) }),
		priced("cost.uncached", "", "what the same calls would have cost without a cache",
			func(t *Tally) int64 { return int64(t.Uncached) }),
		{"cost.saving", Ratio, "share of cost.uncached that the cache saved; negative when writing cost more than reading saved", "higher",
			func(s scope) (Value, bool) {
				v, ok := share(int64(s.tally.Uncached-s.tally.Cost), int64(s.tally.Uncached))
				return v, ok && len(s.run.Unpriced()) == 0
			}},
	}
}

func tokenRows() []Name {
	u := func(name, better, what string, get func(llm.Usage) int64) Name {
		return tallied(name, Tokens, better, what, func(t *Tally) int64 { return get(t.Usage) })
	}
	return []Name{
		u("tokens.prompt", "lower", "prompt tokens: input + written + read", llm.Usage.Prompt),
		u("tokens.input", "lower", "prompt tokens neither written nor read", func(u llm.Usage) int64 { return u.Input }),
		u("tokens.written", "lower", "prompt tokens written to the cache", llm.Usage.Written),
		u("tokens.written.5m", "lower", "of them, for five minutes", func(u llm.Usage) int64 { return u.Write5m }),
		u("tokens.written.1h", "lower", "of them, for one hour", func(u llm.Usage) int64 { return u.Write1h }),
		u("tokens.read", "", "prompt tokens read from the cache", func(u llm.Usage) int64 { return u.Read }),
		u("tokens.output", "lower", "output tokens, thinking included", func(u llm.Usage) int64 { return u.Output }),
		{"cache.hit_ratio", Ratio, "tokens.read ÷ tokens.prompt", "higher",
			func(s scope) (Value, bool) { return share(s.tally.Usage.Read, s.tally.Usage.Prompt()) }},
	}
}

func workRows() []Name {
	item := func(name, better, what string, get func(*Outcomes) int64) Name {
		return Name{name, Count, what, better, func(s scope) (Value, bool) {
			if s.items == nil {
				return Value{}, false
			}
			return Whole(get(s.items), Count), true
		}}
	}
	rows := []Name{
		{"agents", Count, "agents that started, the root included", "",
			func(s scope) (Value, bool) { return Whole(s.agents, Count), true }},
		tallied("calls", Count, "lower", "model calls that were answered", func(t *Tally) int64 { return t.Calls }),
		tallied("requests", Count, "lower", "requests sent, retries included", func(t *Tally) int64 { return t.Requests }),
		tallied("retries", Count, "lower", "requests that repeat a failed one", func(t *Tally) int64 { return t.Retries }),
		tallied("errors", Count, "lower", "requests that ended without an answer: by an API error, a lost connection or an abort", func(t *Tally) int64 { return t.Errors }),
		priced("errors.cost", "lower", "what those requests were billed all the same", func(t *Tally) int64 { return int64(t.ErrorCost) }),
		tallied("compactions", Count, "lower", "histories that became summaries", func(t *Tally) int64 { return t.Compactions }),
		priced("compactions.cost", "lower", "what the calls for the summaries were billed", func(t *Tally) int64 { return int64(t.CompactionCost) }),
		tallied("compactions.facts_lost", Count, "lower", "facts that were in those histories and in no summary",
			func(t *Tally) int64 { return t.FactsLost }),
		tallied("compactions.files_lost", Count, "lower", "versions of files whose content was gone with them",
			func(t *Tally) int64 { return t.FilesLost }),
		tallied("replacements", Count, "", "tool results of which only a preview was sent", func(t *Tally) int64 { return t.Replaced }),
		tallied("replacements.bytes", Bytes, "", "bytes that the previews spared", func(t *Tally) int64 { return t.ReplacedBytes }),
		tallied("prompts", Count, "lower", "questions to the user whether a tool may be used", func(t *Tally) int64 { return t.Prompts }),
		tallied("denials", Count, "lower", "tool uses that were not allowed, by rule, mode, classifier, user or for want of a terminal",
			func(t *Tally) int64 { return t.Denials }),
		tallied("backgrounded", Count, "", "agents that moved to the background while they ran", func(t *Tally) int64 { return t.Backgrounded }),
		tallied("killed", Count, "", "agents that an abort ended", func(t *Tally) int64 { return t.Killed }),
		tallied("start_up", Nanoseconds, "lower", "time that teammates' processes took before their first requests, summed over them",
			func(t *Tally) int64 { return int64(t.StartUp) }),
		tallied("connections", Count, "lower", "connections to the API and to MCP servers that teammates' processes opened for themselves",
			func(t *Tally) int64 { return t.Connections }),
		tallied("wake_ups", Count, "lower", "times an idle agent was woken by a notification", func(t *Tally) int64 { return t.WakeUps }),
		tallied("wake_ups.tokens", Tokens, "lower", "prefix tokens of those agents at that instant",
			func(t *Tally) int64 { return t.WakeUpTokens }),
		priced("wake_ups.cost", "lower", "what the first call after each was billed for its prompt",
			func(t *Tally) int64 { return int64(t.WakeUpCost) }),
		tallied("user_turns", Count, "", "further messages of the user that an idle agent took up",
			func(t *Tally) int64 { return t.UserTurns }),
		tallied("tool_uses", Count, "", "tools called", func(t *Tally) int64 { return t.ToolUses }),
		tallied("reads", Count, "", "uses of the Read tool", (*Tally).AllReads),
		tallied("reads.again", Count, "lower", "reads that repeat another, for any of the causes below", (*Tally).Rereads),
	}
	return append(rows,
		cause(Lazy, "reads because a prompt left out what its author knew"),
		cause(Stale, "reads because the file had changed"),
		cause(Truncated, "reads because the earlier result was cut short"),
		cause(Compaction, "reads because the content had left the conversation"),
		item("items.done", "higher", "work items done, with or without rework", func(o *Outcomes) int64 { return o.Done }),
		item("items.rework", "lower", "of them, those made again", func(o *Outcomes) int64 { return o.Rework }),
		item("items.failed", "lower", "work items that failed because facts were missing", func(o *Outcomes) int64 { return o.Failed }),
		item("items.wrong", "lower", "work items that acted on a stale file or left a defect", func(o *Outcomes) int64 { return o.Wrong }),
		item("items.total", "", "work items of the scenario; of a type: that it reported", func(o *Outcomes) int64 { return o.Total }),
	)
}

func cause(c Cause, what string) Name {
	return tallied("reads."+c.String(), Count, "lower", what, func(t *Tally) int64 { return t.Reads[c] })
}

func timeRows() []Name {
	return []Name{
		{"time", Nanoseconds, "virtual time from the first event to the last; of a type: first start to last end", "lower",
			func(s scope) (Value, bool) { return Whole(s.span, Nanoseconds), true }},
		tallied("time.busy", Nanoseconds, "lower", "time with a request on its way, summed over agents",
			func(t *Tally) int64 { return int64(t.Busy) }),
		{"critical_path", Nanoseconds, "longest chain of call intervals linked by spawn, result or notification; of the run only", "lower",
			func(s scope) (Value, bool) { return Whole(int64(s.run.CriticalPath), Nanoseconds), s.whole }},
		{"parallelism", Ratio, "time.busy ÷ time", "higher",
			func(s scope) (Value, bool) { return share(int64(s.tally.Busy), s.span) }},
		siblings("siblings.common.bytes", Bytes, "smallest common prefix of the first requests of children of one message",
			func(g Siblings) int64 { return g.Bytes }),
		siblings("siblings.common.tokens", Tokens, "the same in tokens", func(g Siblings) int64 { return g.Tokens }),
	}
}

// siblings is the smallest figure over the groups; no group, or a group that
// was not counted, is no data.
func siblings(name string, u Unit, what string, get func(Siblings) int64) Name {
	return Name{name, u, what, "higher", func(s scope) (Value, bool) {
		least := int64(-1)
		for i, g := range s.siblings {
			if n := get(g); i == 0 || n < least {
				least = n
			}
		}
		return Whole(least, u), least >= 0
	}}
}

func missRows() []Name {
	rows := []Name{
		tallied("misses", Count, "lower", "calls that read less than they could have", func(t *Tally) int64 { return t.AllMisses().Calls }),
		tallied("misses.tokens", Tokens, "lower", "tokens they could have read and did not", func(t *Tally) int64 { return t.AllMisses().Lost }),
	}
	for r := llm.NotMissed + 1; int(r) < NumMisses; r++ {
		name := "misses." + r.String()
		rows = append(rows,
			tallied(name, Count, "lower", "of the misses, those for "+r.String(), func(t *Tally) int64 { return t.Misses[r].Calls }),
			tallied(name+".tokens", Tokens, "lower", "tokens they lost", func(t *Tally) int64 { return t.Misses[r].Lost }))
	}
	return rows
}
