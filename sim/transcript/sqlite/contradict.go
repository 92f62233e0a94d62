package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"agentsim/sim/transcript"
)

// told says which columns of a table an event tells again: column, or column=word
// where the event calls it otherwise. A field that is left out is 0, or no text.
var told = []struct{ table, key, event, kind, columns string }{
	{"requests", "seq", "seq", "request", "call attempt head blocks model"},
	{"requests", "seq", "ended_seq", "response", "stop input write_5m write_1h read output read_to written_to undecided lost miss miss_pos answer=head"},
	{"recorded_requests", "seq", "seq", "recorded",
		"id pred version stop changed told answer_blocks server_reason=server_miss server_missed class cause expected"},
	{"tool_calls", "seq", "ended_seq", "tool_result", "call idx=index id name removed_by bytes"},
	{"agents", "agent, activation", "seq", "agent_start", "id lineage type structure model depth"},
	{"agents", "agent, activation", "ended_seq", "agent_end", "status why turns tool_uses"},
	{"items", "seq", "seq", "item", "item outcome"},
	{"findings", "seq", "seq", "finding", "rule detail"},
	{"handoffs", "seq", "seq", "handoff", "activation verdict taint why"},
	{"tasks", "seq", "seq", "task", "task=id type from_state=from to_state=to activation"},
}

// Contradictions holds a run's rows against its events, and its sums against its
// rows, of a record that keeps every event.
func (db *DB) Contradictions(run string) (out []Mismatch, err error) {
	for _, t := range told {
		found, err := db.contradicts(run, t.table, t.key, t.event, t.kind, strings.Fields(t.columns))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	found, err := db.wrongSums(run)
	return append(out, found...), err
}

func (db *DB) contradicts(run, table, key, event, kind string, columns []string) (out []Mismatch, err error) {
	names, words := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		var other bool
		if names[i], words[i], other = strings.Cut(c, "="); !other {
			words[i] = c
		}
	}
	keys := strings.Split(key, ", ")
	q := fmt.Sprintf("SELECT e.text, t.%s, t.%s FROM %s t JOIN events e ON e.run = t.run AND e.seq = t.%s WHERE t.run = ? AND e.kind = '%s'",
		strings.Join(keys, ", t."), strings.Join(names, ", t."), table, event, kind)
	err = on(db, []any{run}, func(from querier) error {
		rows, err := from.QueryContext(context.Background(), q, run)
		if err != nil {
			return err
		}
		defer rows.Close()
		return eachRow(rows, func(row []any) {
			text, _ := row[0].(string)
			fields := transcript.Words(text)
			for i, name := range names {
				if word := fields[words[i]]; !tells(word, row[1+len(keys)+i]) {
					out = append(out, Mismatch{run, table, keyText(keys, row[1:]), name, cellText(row[1+len(keys)+i]), cellText(word)})
				}
			}
		})
	})
	return out, fail(db.path, "check the "+table, err)
}

func keyText(keys []string, values []any) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k + "=" + cellText(values[i])
	}
	return strings.Join(out, " ")
}

// tells reports whether a field of an event, "" for one that is left out, is what a
// cell holds.
func tells(word string, cell any) bool {
	switch x := cell.(type) {
	case nil:
		return word == ""
	case int64:
		return word == fmt.Sprint(x) || word == "" && x == 0
	case string:
		return word == x || word == transcript.Value(x) || word == "" && x == ""
	}
	return false
}

// wrongSums are the columns of a run's row that do not add up. What counts as a call
// has changed, so calls are left out.
func (db *DB) wrongSums(run string) ([]Mismatch, error) {
	sums := []struct{ column, sum string }{
		{"events", "SELECT count(*) FROM events WHERE run = ?1"},
		{"ended_at", "SELECT coalesce(max(at), 0) FROM events WHERE run = ?1"},
	}
	for _, c := range strings.Fields("input write_5m write_1h read output cost cost_uncached") {
		sums = append(sums, struct{ column, sum string }{c, "SELECT coalesce(sum(" + c + "), 0) FROM requests WHERE run = ?1"})
	}
	var out []Mismatch
	for _, s := range sums {
		_, err := query(db, "check its sums", func(rows *sql.Rows) (none struct{}, err error) {
			var stored, want int64
			if err := rows.Scan(&stored, &want); err == nil && stored != want {
				out = append(out, Mismatch{run, "runs", "id=" + run, s.column, fmt.Sprint(stored), fmt.Sprint(want)})
			}
			return none, err
		}, "SELECT "+s.column+", ("+s.sum+") FROM runs WHERE id = ?1", run)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
