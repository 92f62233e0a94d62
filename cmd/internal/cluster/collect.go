package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Do has runs carried out by workers and yields what they came to, in their order.
func (q *Queue) Do(list *harness.List, wanted [][2]int, stop *harness.Interrupt) iter.Seq2[*harness.Outcome, error] {
	return func(yield func(*harness.Outcome, error) bool) {
		if len(wanted) == 0 {
			return
		}
		ctx, cancel := q.allowed(context.Background())
		defer cancel()
		defer stop.On(cancel)()
		c := &collecting{q: q, list: list, lost: -1}
		all := false // have been yielded
		err := c.collect(ctx, wanted, func(o *harness.Outcome) bool {
			all = o.Run == wanted[len(wanted)-1][1]-1
			return yield(o, nil)
		})
		switch {
		case err == nil, all && c.lost < 0:
			q.finished = append(q.finished, c.id)
		case stop.Has(): // the list stays, and goes on
		default:
			c.halt()
			if !errors.Is(err, errStopped) {
				yield(nil, cmp.Or(context.Cause(q.barred), err))
			}
		}
	}
}

// errStopped says that nobody takes results any more.
var errStopped = errors.New("stopped")

// collecting is one list on its way.
type collecting struct {
	q      *Queue
	list   *harness.List
	id     string
	lonely time.Time // since when no worker is there; zero where one is
	lost   int       // the part of a run that was lost; -1 for none
	late   bool      // nothing has been asked for anew: at the first part that is not there it is looked whether it will come

	worked, idled atomic.Int64 // when a worker was last heard of that works on it, and that has long had nothing to do, in Unix nanoseconds
	elsewhere     atomic.Int64 // when one was last heard of that works on other lists alone, likewise
	behind        bool         // these come first, which was told
	waits         atomic.Bool  // a worker waits for the server, which was told
}

// hear takes what a worker says of itself.
func (c *collecting) hear(m *nats.Msg) {
	var its state
	if json.Unmarshal(m.Data, &its) != nil {
		return
	}
	now := time.Now().UnixNano()
	c.q.alive.Store(now)
	if slices.Contains(its.Lists, c.id) {
		c.worked.Store(now)
	} else if len(its.Lists) > 0 {
		c.elsewhere.Store(now)
	}
	if its.Waits != "" && c.waits.CompareAndSwap(false, true) {
		c.q.tell("a worker says: %s", its.Waits)
	}
	if its.Idle >= int(idlesFor.Seconds()) {
		c.idled.Store(now)
	}
}

// halt has workers leave a list that failed. What they have done of it stays, but for a
// run that was lost: the same command goes on from there.
func (c *collecting) halt() {
	ctx, done := context.WithTimeout(context.Background(), asksFor)
	defer done()
	c.q.halt(ctx, c.id)
	if c.lost >= 0 {
		_ = c.q.results.Purge(ctx, jetstream.WithPurgeSubject(partSubject(c.id, c.lost)))
	}
}

func (c *collecting) collect(ctx context.Context, wanted [][2]int, take func(*harness.Outcome) bool) error {
	c.id = idOf(c.list.Text())
	hints, err := c.q.conn.SubscribeSync(doneSubject + "." + c.id)
	if err != nil {
		return err
	}
	defer func() { _ = hints.Unsubscribe() }()
	c.q.alive.Store(time.Now().UnixNano())
	heard, err := c.q.conn.Subscribe(aliveSubject+"."+c.q.kind, c.hear)
	if err != nil {
		return err
	}
	defer func() { _ = heard.Unsubscribe() }()
	asked, err := c.ask(ctx, wanted)
	if err != nil {
		return err
	}
	for _, r := range asked {
		for at := r[0]; at < r[1]; {
			part, err := c.part(ctx, at, r[1], hints)
			if err != nil {
				return err
			}
			for _, o := range part {
				if o.Failure != nil && o.Failure.Lost {
					c.lost = at
				}
				if !take(o) {
					return errStopped
				}
			}
			at += len(part)
		}
	}
	return nil
}

// ask puts the wanted runs into the queue, unless an earlier command of the same list did
// so with all of them, and gives those that were put there.
func (c *collecting) ask(ctx context.Context, wanted [][2]int) (asked [][2]int, err error) {
	before, err := c.asked(ctx)
	if err != nil {
		return nil, err
	}
	c.q.wentOn = c.q.wentOn || before != nil
	if before != nil && covers(before, wanted) {
		c.q.tell("list %s: going on with what workers have done of it", ui.Short(c.id))
		c.late = true
		return before, nil
	}
	if before != nil { // parts of it serve where they meet what is wanted now
		err := c.q.again(ctx, func(ctx context.Context) error {
			return c.q.results.Purge(ctx, jetstream.WithPurgeSubject(c.wantedSubject()))
		})
		if err != nil {
			return nil, err
		}
	}
	return wanted, c.order(ctx, wanted, wanted)
}

// order puts ranges into the queue, of all that is wanted.
func (c *collecting) order(ctx context.Context, ranges, wanted [][2]int) error {
	for hash, p := range c.list.Projects() {
		if err := c.q.upload(ctx, filesName(hash), func() []byte { return harness.PackFiles(p) }); err != nil {
			return err
		}
	}
	if err := c.q.upload(ctx, listName(c.id), c.list.Text); err != nil {
		return err
	}
	if err := c.q.put(ctx, c.id, fmt.Sprint("at", time.Now().UnixNano()), false, ranges); err != nil {
		return err
	}
	text, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	_, err = c.q.once(ctx, c.wantedSubject(), text)
	return err
}

func (c *collecting) wantedSubject() string { return resultSubject + "." + c.id + ".wanted" }

// asked is what was asked for of the list; nil for nothing.
func (c *collecting) asked(ctx context.Context) (out [][2]int, err error) {
	text, err := c.q.last(ctx, c.wantedSubject())
	if err != nil || text == nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("what was asked of list %s cannot be read: %w", c.id, err)
	}
	return out, nil
}

// covers reports whether each of the ranges lies in one of all.
func covers(all, ranges [][2]int) bool {
	i := 0
	for _, r := range ranges {
		for i < len(all) && all[i][1] < r[1] {
			i++
		}
		if i == len(all) || all[i][0] > r[0] {
			return false
		}
	}
	return true
}

const (
	// lookEvery is how often to look for a part of which no hint came.
	lookEvery = time.Second
	// idleFor is how long nothing may come before that is looked into.
	idleFor = 5 * time.Second
	// idlesFor is how long a worker has nothing to do before tasks that are there count as
	// forgotten: the server hands those of one that died to another after ackWait.
	idlesFor = 2 * ackWait
	// lonelyFor is how long to wait where no worker is.
	lonelyFor = 10 * time.Minute
)

// part waits for the part that begins with a run, of a range that ends with another.
func (c *collecting) part(ctx context.Context, from, to int, hints *nats.Subscription) ([]*harness.Outcome, error) {
	for since := time.Now(); ; {
		data, err := c.q.stored(ctx, c.id, from)
		if err != nil {
			return nil, err
		}
		if data != nil {
			c.lonely = time.Time{}
			return harness.ReadPart(data)
		}
		if time.Since(since) > idleFor || c.late {
			since, c.late = time.Now(), false
			if err := c.idle(ctx, from, to); err != nil {
				return nil, err
			}
		}
		wait, done := context.WithTimeout(ctx, lookEvery)
		_, _ = hints.NextMsgWithContext(wait) // any, or none: the part itself is looked for
		done()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// idle looks into why nothing comes. Where no task is left that could bring it, since the
// list was halted or cleared, or parts of one task were stored by two, it is asked for; so
// it is where servers keep tasks for workers that are gone, which happens where two of three
// are killed within seconds of each other.
func (c *collecting) idle(ctx context.Context, from, to int) error {
	left, err := c.q.left(ctx, c.id)
	if err != nil {
		return err
	}
	recent := func(at *atomic.Int64, d time.Duration) bool { return time.Since(time.Unix(0, at.Load())) < d }
	if left > 0 && recent(&c.idled, 3*beatEvery) && !recent(&c.worked, idlesFor) {
		c.q.tell("list %s: %s with nobody, while workers have nothing to do; asking again", ui.Short(c.id), ui.Things(int64(left), "task"))
		if err := c.q.unask(ctx, c.id); err != nil {
			return err
		}
		left = 0
	}
	if left == 0 {
		part, err := c.q.stored(ctx, c.id, from) // it may have come meanwhile
		if err != nil || part != nil {
			return err
		}
		return c.order(ctx, [][2]int{{from, to}}, [][2]int{{from, to}})
	}
	switch {
	case recent(&c.q.alive, 3*beatEvery):
		c.lonely = time.Time{}
		if recent(&c.elsewhere, 3*beatEvery) && !recent(&c.worked, 3*beatEvery) && !c.behind {
			c.behind = true
			c.q.tell("list %s: workers are at other lists, which came first; those that nobody waits for any more are removed by agentsim worker %s --clear", ui.Short(c.id), c.q.server.Flagged())
		}
	case c.lonely.IsZero():
		c.lonely = time.Now()
		c.q.tell("no worker takes runs of %s: start agentsim worker %s with this build (%s)", c.list.Name, c.q.server.Flagged(), c.q.build)
	case time.Since(c.lonely) > lonelyFor:
		return ui.Failf(ui.Operating, "no worker took runs of %s for %s: start agentsim worker %s with this build (%s), and this command again", c.list.Name, lonelyFor, c.q.server.Flagged(), c.q.build)
	}
	return nil
}
