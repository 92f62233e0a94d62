package cli

import (
	"sync"
	"time"

	"agentsim/sim/transcript/sqlite"
)

const (
	// perCommit is how many runs share a transaction at most.
	perCommit = 256
	// commitAfter is how long a run that is over waits for others: a process that is
	// killed loses not much more than this.
	commitAfter = time.Second
	// inHand is how many batches may wait for the disk before the simulation does.
	inHand = 4
)

// storer stores runs in the order in which they are added, in a goroutine of its
// own: the simulation goes on meanwhile.
type storer struct {
	bulk    *sqlite.Bulk
	now     func() time.Time
	last    time.Time // when runs were handed over
	batches chan sqlite.Batch
	done    chan struct{}

	mu  sync.Mutex
	err error // the first one; nothing is stored after it
}

// newStorer begins; finish must be called.
func newStorer(bulk *sqlite.Bulk, now func() time.Time) *storer {
	x := &storer{bulk: bulk, now: now, last: now(), batches: make(chan sqlite.Batch, inHand), done: make(chan struct{})}
	go x.work()
	return x
}

func (x *storer) work() {
	defer close(x.done)
	for b := range x.batches {
		if x.failed() != nil {
			continue
		}
		if err := x.bulk.Store(b); err != nil {
			x.mu.Lock()
			x.err = err
			x.mu.Unlock()
		}
	}
}

func (x *storer) failed() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

// add puts a run that is over behind the others.
func (x *storer) add(w *sqlite.Writer, run sqlite.Run, end sqlite.End) {
	end.FinishedAt = wall(x.now())
	x.bulk.Add(w, run, end.FinishedAt, end)
}

// due hands over what has been added, once it is much or has waited long. It
// waits while too many wait to be stored, so that what is kept in memory has a
// bound. The error is that of a batch before.
func (x *storer) due() error {
	n := x.bulk.Waiting()
	if n == 0 || n < perCommit && x.now().Sub(x.last) < commitAfter {
		return x.failed()
	}
	x.last = x.now()
	x.batches <- x.bulk.Cut()
	return x.failed()
}

// finish stores what is left, and gives the first error.
func (x *storer) finish() error {
	x.batches <- x.bulk.Cut()
	close(x.batches)
	<-x.done
	return x.failed()
}
