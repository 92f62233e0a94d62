package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/workspace"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Worker takes tasks from a queue until it is stopped.
type Worker struct {
	Queue   *Queue
	Harness *harness.Harness
	Slots   int           // tasks at a time
	Longest time.Duration // that a run may take

	Runs, Parts int64 // that it stored

	name  string
	mu    sync.Mutex
	told  map[string]bool             // kinds of others
	hands map[jetstream.Msg]time.Time // tasks, and when the run that goes on of each began
	works map[string]int              // of each list, tasks that are not yet acknowledged
	idle  time.Time                   // since when the server has had nothing for it; zero where it had

	listing sync.Mutex
	lists   map[string]*harness.Carrier
	order   []string

	consumer atomic.Pointer[jetstream.Consumer]
}

const (
	// slice is how long a task is worked on before what is left is put back.
	slice = 500 * time.Millisecond
	// opening is the part of it for a task that nobody has cut, for which others wait.
	opening = 10
	// beatEvery is how often a worker says that it still works on a task.
	beatEvery = 2 * time.Second
	// deaths is how many workers a run may cost.
	deaths = 3
	// pieces is into how many a task is cut on which a worker died.
	pieces = 16
	// keptLists is of how many lists a worker keeps what it made of them.
	keptLists = 4
)

// Work takes tasks until the harness is interrupted.
func (w *Worker) Work() error {
	host, _ := os.Hostname()
	w.name = fmt.Sprintf("%s:%d", host, os.Getpid())
	w.lists, w.told, w.hands, w.works = map[string]*harness.Carrier{}, map[string]bool{}, map[jetstream.Msg]time.Time{}, map[string]int{}
	ctx, cancel := w.Queue.allowed(context.Background())
	defer cancel()
	defer w.Harness.Stop.On(cancel)()
	if err := w.join(ctx); err != nil {
		return err
	}
	w.beat(ctx)
	err := harness.Ordered(w.Slots, w.Slots, func() bool { return true }, func(int) (harness.Task, error) {
		var err error
		return harness.Task{Work: func() {
			defer cancel() // the first one that ends ends all, and so does a panic
			err = w.slot(ctx)
		}, End: func() error { return err }}, nil
	})
	return cmp.Or(context.Cause(w.Queue.barred), err)
}

// state is what a worker says of itself at each beat.
type state struct {
	Lists []string `json:"lists"` // that it works on
	Idle  int      `json:"idle"`  // seconds for which the server has said that it has nothing for it
	Waits string   `json:"waits"` // for what, where the server does not do what it asks; "" where it does
}

// beat says now and then that the worker is there, and works on the tasks in hand: but
// for a run that takes longer than it may, which then is another's to fail on.
func (w *Worker) beat(ctx context.Context) {
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := state{Lists: slices.Sorted(maps.Keys(w.works))}
	if !w.idle.IsZero() {
		now.Idle = int(time.Since(w.idle).Seconds())
	}
	if why := w.Queue.trouble.Load(); why != nil {
		now.Waits = *why
	}
	if text, err := json.Marshal(now); err == nil {
		_ = w.Queue.conn.Publish(aliveSubject+"."+w.Queue.kind, text) // if one is lost the next may do
	}
	for msg, since := range w.hands { // order: each by itself
		if time.Since(since) < w.Longest+ackWait {
			_ = msg.InProgress() // likewise
		}
	}
	time.AfterFunc(beatEvery, func() { w.beat(ctx) })
}

// hold notes that a run of a task begins; once it is over, drop must be called.
func (w *Worker) hold(msg jetstream.Msg) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hands[msg] = time.Now()
}

func (w *Worker) drop(msg jetstream.Msg) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.hands, msg)
}

// working notes that there is a task of a list, and how many more there are.
func (w *Worker) working(list string, more int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = time.Time{}
	if w.works[list] += more; w.works[list] == 0 {
		delete(w.works, list)
	}
}

// rest notes whether the server, which has had nothing for it, has been there.
func (w *Worker) rest(there bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !there:
		w.idle = time.Time{}
	case w.idle.IsZero():
		w.idle = time.Now()
	}
}

// join makes the consumer that all workers of the kind share.
func (w *Worker) join(ctx context.Context) error {
	q := w.Queue
	err := q.again(ctx, func(ctx context.Context) error {
		consumer, err := q.tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: q.kind, FilterSubject: taskSubject + "." + q.kind + ".*",
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: -1, InactiveThreshold: keptFor})
		if err == nil {
			w.consumer.Store(&consumer)
		}
		return err
	})
	if why := context.Cause(q.barred); why != nil || err == nil || ctx.Err() != nil {
		return why
	}
	return ui.Failf(ui.Operating, "--nats %s: %w", q.server.Name(), err)
}

// slot takes one task after the other.
func (w *Worker) slot(ctx context.Context) error {
	for ctx.Err() == nil {
		msg, err := w.fetch(ctx)
		if err != nil {
			return err
		}
		if msg == nil {
			w.rest(w.others(ctx))
			continue
		}
		if err := w.take(ctx, msg); err != nil && ctx.Err() == nil && w.Queue.barred.Err() == nil {
			w.Queue.tell("a task is left to others: %v", err)
			_ = msg.NakWithDelay(beatEvery) // else it comes again by itself
		}
	}
	return nil
}

// fetch waits for a task; nil when there was none.
func (w *Worker) fetch(ctx context.Context) (jetstream.Msg, error) {
	wait, done := context.WithTimeout(ctx, asksFor)
	defer done()
	batch, err := (*w.consumer.Load()).Fetch(1, jetstream.FetchContext(wait))
	if err == nil {
		for m := range batch.Messages() {
			return m, nil
		}
		err = batch.Error()
	}
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return nil, nil
	case errors.Is(err, nats.ErrConnectionClosed):
		return nil, ui.Failf(ui.Operating, "--nats %s: %w", w.Queue.server.Name(), err)
	}
	// The server may have come back without what it stored.
	select {
	case <-ctx.Done():
	case <-time.After(retryAfter):
	}
	soon, over := context.WithTimeout(ctx, 2*asksFor)
	defer over()
	if w.Queue.open(soon) == nil {
		_ = w.join(soon) // if it does not let this worker in now, it may later
	}
	return nil, nil
}

// others tells once of each other kind of which tasks wait; false where the server does
// not answer.
func (w *Worker) others(ctx context.Context) bool {
	one, done := context.WithTimeout(ctx, asksFor)
	defer done()
	info, err := w.Queue.tasks.Info(one, jetstream.WithSubjectFilter(taskSubject+".>"))
	if err != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for subject := range info.State.Subjects { // order: each is told once, on the side
		kind, _, _ := strings.Cut(strings.TrimPrefix(subject, taskSubject+"."), ".")
		if kind == w.Queue.kind || w.told[kind] {
			continue
		}
		w.told[kind] = true
		semantics, _, _ := strings.Cut(kind, "-")
		if theirs := strings.TrimPrefix(semantics, "s"); theirs != fmt.Sprint(sim.Semantics) {
			w.Queue.tell("runs of semantics %s wait there; this worker has semantics %d and takes none of them", theirs, sim.Semantics)
			continue
		}
		w.Queue.tell("runs of another build of agentsim wait there; this worker is %s and takes none of them", w.Queue.build)
	}
	return true
}

// take works on a task and acknowledges it.
func (w *Worker) take(ctx context.Context, msg jetstream.Msg) error {
	about, err := msg.Metadata()
	if err != nil {
		return err
	}
	var t task
	if err := json.Unmarshal(msg.Data(), &t); err != nil || t.From < 0 || t.To <= t.From {
		return msg.TermWithReason("it cannot be read")
	}
	w.working(t.List, 1)
	defer w.working(t.List, -1)
	late, over := outlasting(ctx)
	defer over()
	w.hold(msg)
	defer w.drop(msg)
	rest, err := w.work(ctx, late, msg, &t, about.NumDelivered)
	if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, errBeyond) {
		return msg.TermWithReason(err.Error())
	}
	if err == nil {
		err = w.Queue.put(late, t.List, fmt.Sprint(about.Sequence.Stream), true, rest)
	}
	if err != nil {
		return err
	}
	// One that was acknowledged before a server ended may never be answered: it comes again,
	// and its stored part says that it is done.
	soon, done := context.WithTimeout(late, 2*asksFor)
	defer done()
	if err = w.Queue.again(soon, msg.DoubleAck); errors.Is(err, context.DeadlineExceeded) { // or it lost all that it stored
		err = fmt.Errorf("%s does not confirm that it is done", w.Queue.server.Name())
	}
	return err
}

var errBeyond = errors.New("it has more runs than its list")

// outlasting is a context that goes on for a moment after another has ended, so that
// what is in hand comes to the server.
func outlasting(ctx context.Context) (context.Context, func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(asksFor, cancel) })
	return late, func() {
		stop()
		cancel()
	}
}

// work works on a task until ctx ends, stores what comes of it, and gives what is left.
func (w *Worker) work(ctx, late context.Context, msg jetstream.Msg, t *task, delivered uint64) ([][2]int, error) {
	part, err := w.Queue.stored(late, t.List, t.From)
	switch {
	case err != nil:
		return nil, err
	case part != nil: // by a worker that could not acknowledge it
		return w.after(t, part)
	case delivered > 1 && t.To-t.From > 1:
		return cut(t.From, t.To, (t.To-t.From+pieces-1)/pieces), nil
	}
	p := harness.NewPart()
	list, err := w.list(ctx, t.List)
	switch {
	case errors.Is(err, jetstream.ErrObjectNotFound):
		return nil, err
	case err == nil && t.To > list.Len():
		return nil, errBeyond
	case err != nil && ctx.Err() == nil:
		p.Add(harness.Lost(t.From, err.Error()))
	case delivered > deaths:
		p.Add(harness.Lost(t.From, fmt.Sprintf("%d workers died while they ran it, or were silent for %s", deaths, ackWait)))
	case err == nil:
		w.fill(ctx, msg, t, list, p)
	}
	if p.Len() == 0 { // interrupted: for another worker, without blame
		return [][2]int{{t.From, t.To}}, nil
	}
	n, data := p.Len(), p.Bytes()
	if most := int(w.Queue.conn.MaxPayload()) - 4096; len(data) > most {
		if n > 1 { // each by itself
			return append(cut(t.From, t.From+n, 1), cut(t.From+n, t.To, n)...), nil
		}
		p = harness.NewPart()
		p.Add(harness.Lost(t.From, fmt.Sprintf("what it came to takes %d bytes, and beside its headers a message has at most %d: raise the server's max_payload", len(data), most)))
		n, data = 1, p.Bytes()
	}
	first, err := w.Queue.store(late, t.List, t.From, data)
	if err != nil {
		return nil, err
	}
	if !first {
		part, err := w.Queue.stored(late, t.List, t.From)
		if err != nil || part == nil {
			return nil, errors.Join(err, refused("the list was cleared"))
		}
		return w.after(t, part)
	}
	w.count(n)
	_ = w.Queue.conn.Publish(doneSubject+"."+t.List, nil) // who waits also looks by itself
	size := n
	if !t.Cut {
		size *= opening
	}
	return cut(t.From+n, t.To, size), nil
}

// after is what is left of a task of which a part is stored.
func (w *Worker) after(t *task, part []byte) ([][2]int, error) {
	out, err := harness.ReadPart(part)
	if err != nil || len(out) == 0 {
		return nil, errors.Join(err, refused("a part without runs"))
	}
	return cut(t.From+len(out), t.To, len(out)), nil
}

func (w *Worker) count(runs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Parts++
	w.Runs += int64(runs)
}

// fill works on a task for a slice of time, or until results are many.
func (w *Worker) fill(ctx context.Context, msg jetstream.Msg, t *task, list *harness.Carrier, p *harness.PartWriter) {
	began, long := time.Now(), slice
	if !t.Cut {
		long /= opening
	}
	for run := t.From; run < t.To && ctx.Err() == nil; run++ {
		w.hold(msg)
		since := time.Now()
		o := list.Do(run, func() error {
			if time.Since(since) > w.Longest {
				return fmt.Errorf("it took worker %s more than %s: raise that with agentsim worker --longest, or lower the scenario's lab.limits", w.name, w.Longest)
			}
			return nil
		})
		if o == nil {
			break
		}
		p.Add(o)
		if time.Since(began) > long || p.Size() > int(w.Queue.conn.MaxPayload())/2 {
			break
		}
	}
}

// list is the carrier of a list, which comes from the server at its first task. One that
// was cleared has none any more.
func (w *Worker) list(ctx context.Context, id string) (*harness.Carrier, error) {
	if err := w.Queue.there(ctx, listName(id)); err != nil {
		return nil, err
	}
	w.listing.Lock()
	defer w.listing.Unlock()
	if c := w.lists[id]; c != nil {
		return c, nil
	}
	text, err := w.Queue.download(ctx, listName(id))
	if err != nil {
		return nil, err
	}
	if got := idOf(text); got != id {
		return nil, refused("list %s arrived as %s", id, got)
	}
	l, err := harness.ParseList(text)
	if err != nil {
		return nil, err
	}
	if l.Semantics != sim.Semantics || l.Build != w.Queue.build {
		return nil, refused("list %s is of semantics %d and build %s", ui.Short(id), l.Semantics, l.Build)
	}
	w.Queue.tell("list %s: %s of %s", ui.Short(id), ui.Things(int64(l.Len()), "run"), l.Name)
	c := w.Harness.Carry(l, func(hash string) (*workspace.Snapshot, error) {
		text, err := w.Queue.download(ctx, filesName(hash))
		if err != nil {
			return nil, err
		}
		return harness.UnpackFiles(text, hash)
	})
	w.lists[id] = c
	if w.order = append(w.order, id); len(w.order) > keptLists {
		delete(w.lists, w.order[0])
		w.order = w.order[1:]
	}
	return c, nil
}
