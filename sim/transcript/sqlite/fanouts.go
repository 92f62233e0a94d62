package sqlite

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"

	"agentsim/sim/vtime"
)

// FanOut is siblings that were started before the first of them had an answer that
// began: none could read what another was writing.
type FanOut struct {
	First  CallInfo   // the sibling that came first
	Others []CallInfo // first calls of the others, as they were sent
	// Shared is the last block that all of them marked and that the first one wrote;
	// 0 where the record does not tell, as of a recorded session.
	Shared int32
}

// Within is how long after the first one the last was sent.
func (f *FanOut) Within() vtime.Duration {
	return f.Others[len(f.Others)-1].At.Sub(f.First.At)
}

// Again is how many tokens the others wrote that the first one was writing: at
// most, since what stands behind the shared part is each one's own.
func (f *FanOut) Again() (n int64) {
	for i := range f.Others {
		n += min(f.Others[i].Usage.Written(), f.First.Usage.Written())
	}
	return n
}

// FanOuts lists the fan-outs of a run in which siblings wrote the same prefix: of
// one type and model, started by one agent or roots, each cold where the record does
// not tell what they share.
func (db *DB) FanOuts(run string) ([]FanOut, error) {
	calls, err := db.Calls(run)
	if err != nil {
		return nil, err
	}
	marks := map[int64]map[string]int32{}
	_, err = query(db, "read the breakpoints", func(rows *sql.Rows) (n int64, err error) {
		var node string
		var pos int32
		if err = rows.Scan(&n, &node, &pos); err == nil && marks[n] == nil {
			marks[n] = map[string]int32{}
		}
		if err == nil {
			marks[n][node] = pos
		}
		return n, err
	}, `SELECT r.n, b.node, b.pos FROM breakpoints b JOIN requests r USING (run, seq) WHERE run = ? AND r.call = 0`, run)
	if err != nil {
		return nil, err
	}
	recorded, err := query(db, "read the run", func(rows *sql.Rows) (is bool, err error) { return is, rows.Scan(&is) },
		`SELECT policy = 'recorded' FROM runs WHERE id = ?`, run)
	if err != nil {
		return nil, err
	}
	return fanOuts(calls, marks, len(recorded) > 0 && recorded[0]), nil
}

type siblings struct{ parent, kind, model string }

func fanOuts(calls []CallInfo, marks map[int64]map[string]int32, recorded bool) (out []FanOut) {
	open := map[siblings]*FanOut{}
	var all []*FanOut
	for _, c := range calls {
		if c.Call > 0 || c.Status != "ok" {
			continue
		}
		parent := c.Lineage[:max(strings.LastIndexByte(c.Lineage, '/'), 0)] // "" for roots
		k := siblings{parent, c.Structure + " " + c.Type, c.Model}
		f := open[k]
		if f == nil || c.StartedAt >= f.First.BeganAt {
			f = &FanOut{First: c}
			open[k] = f
			all = append(all, f)
			continue
		}
		switch shared := common(marks[f.First.N], marks[c.N]); {
		case recorded && c.Usage.Read == 0:
			f.Others = append(f.Others, c)
		case !recorded && shared > c.ReadTo:
			f.Others, f.Shared = append(f.Others, c), max(f.Shared, shared)
		}
	}
	for _, f := range all {
		if len(f.Others) > 0 && f.Again() > 0 {
			out = append(out, *f)
		}
	}
	slices.SortStableFunc(out, func(a, b FanOut) int { return cmp.Compare(a.First.N, b.First.N) })
	return out
}

// common is the last position that both have marked, 0 for none.
func common(a, b map[string]int32) (pos int32) {
	for node, at := range a { // order: the largest is taken
		if _, both := b[node]; both {
			pos = max(pos, at)
		}
	}
	return pos
}
