package harness

import (
	"sync"
	"time"

	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

const (
	// perCommit is how many runs share a transaction at most: the more, the more of them
	// share a page of the file.
	perCommit = 1024
	// commitAfter is how long a run that is over waits for others: a process that is
	// killed loses not much more than this.
	commitAfter = time.Second
	// inHand is how many batches may wait for the disk before the simulation does.
	inHand = 1
)

// Store keeps the totals of whole runs, many to a transaction, in the order of
// their jobs and on a goroutine of its own: the simulation goes on meanwhile. Runs
// that the database has, and that finished there, are not run again.
type Store struct {
	DB *sqlite.DB

	finished map[string]bool
	waiting  []sqlite.Ended
	now      func() time.Time
	last     time.Time // when runs were handed over
	batches  chan []sqlite.Ended
	done     chan struct{}

	mu  sync.Mutex
	err error // the first one; nothing is stored after it
}

// NewStore begins; Close must be called.
func NewStore(db *sqlite.DB, now func() time.Time) (*Store, error) {
	finished, err := db.Finished()
	if err != nil {
		return nil, err
	}
	x := &Store{DB: db, finished: finished, now: now, last: now(), batches: make(chan []sqlite.Ended, inHand), done: make(chan struct{})}
	go x.work()
	return x, nil
}

func (x *Store) work() {
	defer close(x.done)
	for b := range x.batches {
		if x.failed() != nil {
			continue
		}
		if err := x.DB.Store(b); err != nil {
			x.mu.Lock()
			x.err = err
			x.mu.Unlock()
		}
	}
}

func (x *Store) failed() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.err
}

func (x *Store) begin(j *Job, at string) error {
	j.id = j.Spec.RunID()
	if j.known = x.finished[j.id]; j.known {
		return nil
	}
	j.row = Row(j.Spec, j.id)
	j.writer = x.DB.Later(&j.row, at, sqlite.Options{Cost: costs(j.Spec)})
	j.Sinks = append(j.Sinks, j.writer)
	return nil
}

// end puts a run that is over after the others, and hands them over once they are
// many or have waited long. It waits while too many wait to be stored, so that what
// is kept in memory has a bound. The error is that of a batch before.
func (x *Store) end(j *Job, r *Run, at string) (err error) {
	if j.known {
		r.Stored, err = x.DB.Metrics(j.id)
		return err
	}
	if j.result != nil {
		r.Stored = stored(nil, r.Metrics, "run", "") // without those of agent types: a sweep's table has many runs
	}
	if j.result != nil && j.result.Outcome != sim.Interrupted && Broken(j.result) == nil {
		x.waiting = append(x.waiting, sqlite.Ended{Writer: j.writer, End: ended(r.Result, r.Stored, at)})
	}
	if n := len(x.waiting); n >= perCommit || n > 0 && x.now().Sub(x.last) >= commitAfter {
		x.last = x.now()
		x.handOver()
	}
	return x.failed()
}

func (x *Store) handOver() {
	x.batches <- x.waiting
	x.waiting = nil
}

// Close stores what is left, and gives the first error.
func (x *Store) Close() error {
	x.handOver()
	close(x.batches)
	<-x.done
	return x.failed()
}
