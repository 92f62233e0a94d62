package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/sim"

	"github.com/nats-io/nats.go/jetstream"
)

// task is runs of a list, from and up to.
type task struct {
	List string `json:"list"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Cut  bool   `json:"cut,omitempty"` // by a worker, who knew what runs take
}

// kindOf names the lists of a program: s, its semantics, and what its build is. Of a
// build that no commit names the program itself decides.
func kindOf(build string) string {
	text := build
	if strings.Contains(build, "devel") || strings.Contains(build, "dirty") || strings.Contains(build, "unknown") {
		if name, err := os.Executable(); err == nil {
			if bytes, err := os.ReadFile(name); err == nil {
				sum := sha256.Sum256(bytes)
				text += hex.EncodeToString(sum[:])
			}
		}
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("s%d-%s", sim.Semantics, hex.EncodeToString(sum[:6]))
}

// put publishes tasks. One that the same parent made before is not put twice.
func (q *Queue) put(ctx context.Context, list, parent string, cut bool, ranges [][2]int) error {
	return q.again(ctx, func(ctx context.Context) error {
		var said []jetstream.PubAckFuture
		for _, r := range ranges {
			text, err := json.Marshal(task{list, r[0], r[1], cut})
			if err != nil {
				return err
			}
			one, err := q.js.PublishAsync(q.taskSubject(list), text, jetstream.WithMsgID(fmt.Sprintf("%s.%s.%d.%d", list, parent, r[0], r[1])))
			if err != nil {
				return err
			}
			said = append(said, one)
		}
		for _, one := range said {
			select {
			case <-one.Ok():
			case err := <-one.Err():
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
}

// cut cuts runs into ranges of a size, of at most maxPieces.
func cut(from, to, size int) (out [][2]int) {
	for size = max(1, size, (to-from+maxPieces-1)/maxPieces); from < to; from += size {
		out = append(out, [2]int{from, min(to, from+size)})
	}
	return out
}

// maxPieces bounds into how many tasks one is cut: as many are on their way at a time.
const maxPieces = 2000

// store keeps a part under its first run. Where there is one already, by another worker
// or by this one before it was cut off, that one counts, and false is returned.
func (q *Queue) store(ctx context.Context, list string, from int, part []byte) (bool, error) {
	return q.once(ctx, partSubject(list, from), part)
}

// once publishes what is kept once under a subject; false where there is something.
func (q *Queue) once(ctx context.Context, subject string, data []byte) (bool, error) {
	err := q.again(ctx, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, subject, data)
		return err
	})
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == isThere {
		return false, nil
	}
	return err == nil, err
}

func partSubject(list string, from int) string {
	return fmt.Sprintf("%s.%s.%d", resultSubject, list, from)
}

// stored is the part that begins with a run; nil for none.
func (q *Queue) stored(ctx context.Context, list string, from int) ([]byte, error) {
	return q.last(ctx, partSubject(list, from))
}

func (q *Queue) last(ctx context.Context, subject string) (data []byte, err error) {
	err = q.again(ctx, func(ctx context.Context) error {
		m, err := q.results.GetLastMsgForSubject(ctx, subject)
		if err == nil {
			data = m.Data
		}
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return data, err
}

// maxInput bounds a list and a directory on their way, in bytes.
const maxInput = 256 << 20

// there looks for an input; the error is jetstream.ErrObjectNotFound where it is not.
func (q *Queue) there(ctx context.Context, name string) error {
	return q.again(ctx, func(ctx context.Context) error {
		_, err := q.inputs.GetInfo(ctx, name)
		return err
	})
}

// upload puts an input under its name, unless it is there.
func (q *Queue) upload(ctx context.Context, name string, data func() []byte) error {
	if err := q.there(ctx, name); !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	text := data()
	if len(text) > maxInput {
		return ui.Failf(ui.Operating, "--nats: scenario and files come to %d MiB, and at most %d travel: run it without --nats", len(text)>>20, maxInput>>20)
	}
	return q.tries(ctx, carriesFor, func(ctx context.Context) error {
		_, err := q.inputs.PutBytes(ctx, name, text)
		return err
	})
}

// download gets an input.
func (q *Queue) download(ctx context.Context, name string) (data []byte, err error) {
	err = q.tries(ctx, carriesFor, func(ctx context.Context) error {
		info, err := q.inputs.GetInfo(ctx, name)
		if err != nil {
			return err
		}
		if info.Size > maxInput {
			return refused("%s has %d MiB, and at most %d are taken", name, info.Size>>20, maxInput>>20)
		}
		data, err = q.inputs.GetBytes(ctx, name)
		return err
	})
	return data, err
}

// clear removes what lies at the server of a list. What is not removed goes by its age.
func (q *Queue) clear(ctx context.Context, list string) {
	q.halt(ctx, list)
	_ = q.results.Purge(ctx, jetstream.WithPurgeSubject(resultSubject+"."+list+".>"))
}

// Clear removes all lists that lie at the server, what is left of them and what they came
// to. Who still waits for one asks for it again.
func (q *Queue) Clear(ctx context.Context) (lists int, err error) {
	err = q.again(ctx, func(ctx context.Context) error {
		lists = 0
		inputs, err := q.inputs.List(ctx)
		if errors.Is(err, jetstream.ErrNoObjectsFound) {
			err = nil
		}
		for _, x := range inputs {
			if err == nil {
				err = q.inputs.Delete(ctx, x.Name)
			}
			if strings.HasPrefix(x.Name, listName("")) {
				lists++
			}
		}
		if err == nil {
			err = q.tasks.Purge(ctx)
		}
		if err == nil {
			err = q.results.Purge(ctx)
		}
		return err
	})
	return lists, err
}

// halt has workers leave a list. What they have done of it stays.
func (q *Queue) halt(ctx context.Context, list string) {
	_ = q.inputs.Delete(ctx, listName(list))
	_ = q.unask(ctx, list)
}

// unask removes the tasks of a list.
func (q *Queue) unask(ctx context.Context, list string) error {
	return q.tasks.Purge(ctx, jetstream.WithPurgeSubject(q.taskSubject(list)))
}

func (q *Queue) taskSubject(list string) string { return taskSubject + "." + q.kind + "." + list }

// left is how many tasks there are of a list, in hand or waiting.
func (q *Queue) left(ctx context.Context, list string) (n uint64, err error) {
	err = q.again(ctx, func(ctx context.Context) error {
		info, err := q.tasks.Info(ctx, jetstream.WithSubjectFilter(q.taskSubject(list)))
		if err == nil {
			n = info.State.Subjects[q.taskSubject(list)]
		}
		return err
	})
	return n, err
}

func listName(id string) string { return "list-" + id }

func filesName(hash string) string { return "files-" + hash }

// idOf names a list by what it says.
func idOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
