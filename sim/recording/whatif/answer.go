package whatif

import (
	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// Bill is what some requests came to.
type Bill struct {
	Threads, Requests int64
	Usage             llm.Usage
	Cost              cachemodel.Picodollars
}

func (b *Bill) add(u llm.Usage, cost cachemodel.Picodollars) {
	b.Requests++
	b.Usage = b.Usage.Plus(u)
	b.Cost += cost
}

// Bills are the bills of each kind of thread.
type Bills [Kinds]Bill

// Total is the bill of all of them.
func (b *Bills) Total() (sum Bill) {
	for i := range b {
		sum.Threads += b[i].Threads
		sum.Requests += b[i].Requests
		sum.Usage = sum.Usage.Plus(b[i].Usage)
		sum.Cost += b[i].Cost
	}
	return sum
}

// Answer is what a question came to. Kinds of threads are those of the recording.
type Answer struct {
	Recorded Bills // what the API billed, at the table's prices
	Alone    Bills // what the model foretells from sizes and instants
	Model    Bills // the model's reproduction, what the recording shows of the world taken over
	If       Bills // the model, with what was asked changed
	// Refreshes are the requests that a question added, in If already.
	Refreshes Bills
	Gaps      []Gap // of KeepAlive: which idle gaps pay, the shortest first
	// Changed are the threads that a question about threads touched, Left those
	// that it should have and could not, with the reason.
	Changed int
	Left    []Left
	// Held is how many siblings waited for the first of them, Longest how long at
	// most.
	Held    int
	Longest vtime.Duration
	// Band is what Lifetime saves if the user turns that a longer lifetime keeps read
	// as much of what was left as recorded ones do: from Low to High. Both are 0 where
	// it keeps none.
	Low, High cachemodel.Picodollars
	Taken     []string // what was taken over from the log, for people
	Assumed   []string // what was taken for granted, for people
	Options   []string // undocumented points of the cache that touched a figure, name=value
}

// Reproduced reports whether the model alone, without hindsight, reproduces the
// recorded bill within 1 %.
func (a *Answer) Reproduced() bool { return a.near(&a.Alone) }

// ReproducedWith reports it of the model with what was taken over.
func (a *Answer) ReproducedWith() bool { return a.near(&a.Model) }

func (a *Answer) near(b *Bills) bool {
	recorded := a.Recorded.Total().Cost
	off := b.Total().Cost - recorded
	return 100*max(off, -off) <= recorded
}

// The part of what was left to them that recorded user turns within an hour read,
// in hundredths (IMP-15): the model says nearly all.
const (
	leastRead = 89
	mostRead  = 95
)

// Saved is the model's reproduction less the model's what-if.
func (a *Answer) Saved() cachemodel.Picodollars { return a.Model.Total().Cost - a.If.Total().Cost }

// Left is a thread that a question did not change.
type Left struct {
	Thread string
	Kind   recording.ThreadKind
	Why    string
}

// Gap sums idle gaps of about one length: from a conversation's last use to its
// next request.
type Gap struct {
	From, UpTo vtime.Duration // From < gap ≤ UpTo
	N          int64
	Refreshes  int64
	Paid       cachemodel.Picodollars // for the refreshes
	Saved      cachemodel.Picodollars // by the requests behind the gaps
}
