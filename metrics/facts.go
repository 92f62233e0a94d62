package metrics

import "agentsim/sim/transcript"

// missing counts the facts that a failed report names as missing. Each counts
// once for its item, whoever names it and whatever comes of the item later.
func (f *Fold) missing(e *transcript.Event, b *transcript.Item) {
	for _, fact := range b.Missing {
		if key := [2]string{b.Item, fact}; fact != "" && !f.named[key] {
			f.named[key] = true
			f.agent(e.Agent).Tally.FactsMissing++
		}
	}
}

// LostFacts is how often knowledge was not where it was needed: facts that failed
// reports name as missing, and files read once more because a prompt left out
// what its author knew or because the content had left the conversation. What
// was lost and never needed costs nothing and is not counted, and whether anybody
// ever knew a missing fact the events do not tell.
func (t *Tally) LostFacts() int64 { return t.FactsMissing + t.Reads[Lazy] + t.Reads[Compaction] }

func factRows() []Name {
	return []Name{
		tallied("facts.missing", Count, "lower", "facts that failed reports name as missing, each once for its item",
			func(t *Tally) int64 { return t.FactsMissing }),
		tallied("facts.lost", Count, "lower", "facts.missing + reads.lazy + reads.compaction: knowledge that was not where it was needed",
			(*Tally).LostFacts),
	}
}
