package metrics

import (
	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// Cause is why a file had to be read once more. The list is closed.
type Cause uint8

// The causes; a read with no cause is a first one.
const (
	FirstRead  Cause = iota // nothing made it necessary again
	Lazy                    // a prompt left out what its author knew
	Stale                   // the file had changed since
	Truncated               // the earlier result was cut short
	Compaction              // the content had left the conversation
	NumCauses
)

var causeNames = [NumCauses]string{"", "lazy", "stale", "truncated", "compaction"}

func (c Cause) String() string { return causeNames[c] }

// causeOf reads a cause's name; unknown names count as a first read.
func causeOf(s string) Cause {
	for c := Lazy; c < NumCauses; c++ {
		if causeNames[c] == s {
			return c
		}
	}
	return FirstRead
}

// NumMisses is the number of miss reasons, llm.NotMissed included.
const NumMisses = llm.NumMisses

// Missed is how often a reason made a call miss and the tokens it lost.
type Missed struct {
	Calls int64 `json:"calls"`
	Lost  int64 `json:"lost"` // tokens that were expected and not read
	// Cost is what the calls were billed more than had they read them, as far as they
	// sent them again.
	Cost cachemodel.Picodollars `json:"cost"`
}

// Tally is what adds up over calls. The zero value is empty.
type Tally struct {
	Requests int64 `json:"requests"` // sent, retries included
	Calls    int64 `json:"calls"`    // answered
	Retries  int64 `json:"retries"`  // requests that repeat a failed one
	Errors   int64 `json:"errors"`   // requests that ended without an answer: by an API error, a lost connection or an abort
	// ErrorCost is what such requests were billed all the same.
	ErrorCost cachemodel.Picodollars `json:"error_cost"`

	Usage    llm.Usage              `json:"usage"`
	Cost     cachemodel.Picodollars `json:"cost"`     // as billed
	Uncached cachemodel.Picodollars `json:"uncached"` // had there been no cache
	Busy     vtime.Duration         `json:"busy"`     // time with a request on its way

	WakeUps      int64                  `json:"wake_ups"`       // by a notification
	WakeUpTokens int64                  `json:"wake_up_tokens"` // prefixes woken at
	WakeUpCost   cachemodel.Picodollars `json:"wake_up_cost"`   // prompts of the first call after each
	UserTurns    int64                  `json:"user_turns"`     // further messages of the user that an idle agent took up
	ToolUses     int64                  `json:"tool_uses"`

	Compactions    int64                  `json:"compactions"`     // histories that became summaries
	CompactionCost cachemodel.Picodollars `json:"compaction_cost"` // of the calls for the summaries
	FactsLost      int64                  `json:"facts_lost"`      // facts that stood in such a history and stand in no summary
	FilesLost      int64                  `json:"files_lost"`      // versions of files whose content is gone with it
	Replaced       int64                  `json:"replaced"`        // tool results that stand as a preview
	ReplacedBytes  int64                  `json:"replaced_bytes"`  // what that spared
	Prompts        int64                  `json:"prompts"`         // questions to the user whether a tool may be used
	Denials        int64                  `json:"denials"`         // tool uses that were not allowed, by whomever
	Backgrounded   int64                  `json:"backgrounded"`    // agents that moved to the background while they ran
	Killed         int64                  `json:"killed"`          // agents that an abort ended
	FactsMissing   int64                  `json:"facts_missing"`   // facts that failed reports name, each once for its item
	Obeyed         int64                  `json:"obeyed"`          // acts by which agents obeyed injections
	Judged         int64                  `json:"judged"`          // hand-offs that the classifier judged
	Flagged        int64                  `json:"flagged"`         // of these, those it warned of
	Unclassified   int64                  `json:"unclassified"`    // of these, those it gave no verdict on
	StartUp        vtime.Duration         `json:"start_up"`        // of teammates' processes, before their first requests
	Connections    int64                  `json:"connections"`     // that teammates' processes opened for themselves
	// Reads counts uses of the Read tool by cause.
	Reads [NumCauses]int64 `json:"reads"`
	// Misses is indexed by llm.MissReason.
	Misses [NumMisses]Missed `json:"misses"`
}

// Add adds o to t, field by field.
func (t *Tally) Add(o *Tally) {
	t.Requests += o.Requests
	t.Calls += o.Calls
	t.Retries += o.Retries
	t.Errors += o.Errors
	t.ErrorCost += o.ErrorCost
	t.Usage = t.Usage.Plus(o.Usage)
	t.Cost += o.Cost
	t.Uncached += o.Uncached
	t.Busy += o.Busy
	t.WakeUps += o.WakeUps
	t.WakeUpTokens += o.WakeUpTokens
	t.WakeUpCost += o.WakeUpCost
	t.UserTurns += o.UserTurns
	t.ToolUses += o.ToolUses
	t.Compactions += o.Compactions
	t.CompactionCost += o.CompactionCost
	t.FactsLost += o.FactsLost
	t.FilesLost += o.FilesLost
	t.Replaced += o.Replaced
	t.ReplacedBytes += o.ReplacedBytes
	t.Prompts += o.Prompts
	t.Denials += o.Denials
	t.Backgrounded += o.Backgrounded
	t.Killed += o.Killed
	t.FactsMissing += o.FactsMissing
	t.Obeyed += o.Obeyed
	t.Judged += o.Judged
	t.Flagged += o.Flagged
	t.Unclassified += o.Unclassified
	t.StartUp += o.StartUp
	t.Connections += o.Connections
	for i := range t.Reads {
		t.Reads[i] += o.Reads[i]
	}
	for i := range t.Misses {
		to, from := &t.Misses[i], &o.Misses[i]
		to.Calls += from.Calls
		to.Lost += from.Lost
		to.Cost += from.Cost
	}
}

// AllReads is the number of uses of the Read tool.
func (t *Tally) AllReads() int64 { return t.Reads[FirstRead] + t.Rereads() }

// Rereads is the number of reads that repeat another.
func (t *Tally) Rereads() (n int64) {
	for _, k := range t.Reads[Lazy:] {
		n += k
	}
	return n
}

// AllMisses is the number of calls that missed, whatever the reason, the tokens lost and
// what that cost.
func (t *Tally) AllMisses() (m Missed) {
	for _, k := range t.Misses[1:] {
		m.Calls += k.Calls
		m.Lost += k.Lost
		m.Cost += k.Cost
	}
	return m
}

// Outcomes counts work items by how they ended.
type Outcomes struct {
	Done   int64 `json:"done"`   // with or without rework
	Rework int64 `json:"rework"` // those of Done that had to be made again
	Failed int64 `json:"failed"` // facts were missing
	Wrong  int64 `json:"wrong"`  // acted on a stale version of a file
	Total  int64 `json:"total"`  // of the scenario, reported or not
}

func (o *Outcomes) count(outcome transcript.Outcome) {
	switch outcome {
	case transcript.Done:
		o.Done++
	case transcript.Rework:
		o.Done++
		o.Rework++
	case transcript.Failed:
		o.Failed++
	case transcript.Wrong:
		o.Wrong++
	}
}
