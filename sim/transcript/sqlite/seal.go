package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"

	"github.com/zeebo/xxh3"
)

// sealVersion stands in front of a seal. It grows when the columns of a part
// change. Those of version 3 say nothing of what was expected; those of version 2 say nothing of the classes of blocks; those of version 1,
// made before schema 18, sum the rows of the views metrics and invariants, too. One of a
// version that is not known says nothing.
const sealVersion, sealWithoutExpects, sealWithoutClasses, sealOfViews = "4", "3", "2", "1"

// knownSeal reports whether this program reads seals of a version.
func knownSeal(version string) bool {
	return slices.Contains([]string{sealVersion, sealWithoutExpects, sealWithoutClasses, sealOfViews}, version)
}

// neverSealed is the seal of a run that was recorded before there were any.
const neverSealed = "0"

// sealColumn is a run's seal, and neverSealed of one that has not ended.
const sealColumn = `CASE WHEN seal = '' AND outcome = 'running' AND NOT EXISTS (SELECT 1 FROM executions e
	WHERE e.run = id AND e.n = owner AND e.status <> 'running') THEN '` + neverSealed + `' ELSE seal END`

// What Changed names that is no table: LostSeal where a run has ended and has no seal,
// Figures for what makes rows of both.
const (
	LostSeal = "runs.seal"
	Figures  = "metrics, invariants"
)

// sum is what rows add up to, in any order: how many there are, and their hashes
// modulo 2^128. It notices what happens to a file; who wants to deceive can
// compute it too.
type sum struct {
	rows   int64
	hi, lo uint64
}

func (s *sum) add(row []any) {
	var most [512]byte // of most rows
	buf := most[:0]
	for _, v := range row {
		buf = appendCell(buf, v)
	}
	h := xxh3.Hash128(buf)
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, h.Lo, 0)
	s.hi, _ = bits.Add64(s.hi, h.Hi, carry)
	s.rows++
}

func sumOf(row []any) *sum {
	s := &sum{}
	s.add(row)
	return s
}

// appendCell appends a value as the tables hold it: NULL, an integer or a text.
func appendCell(dst []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, 'n')
	case int64:
		return appendInt(dst, x)
	case string:
		return appendText(dst, x)
	}
	plain, err := driver.DefaultParameterConverter.ConvertValue(v)
	if err != nil {
		panic("sqlite: " + err.Error()) // it would not be stored either
	}
	switch x := plain.(type) {
	case nil, int64, string:
		return appendCell(dst, x)
	}
	return appendCell(dst, fmt.Sprintf("%T %v", plain, plain)) // of a damaged file
}

func appendInt(dst []byte, n int64) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, 'i'), uint64(n))
}

func appendText(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(append(dst, 't'), uint64(len(s))), s...)
}

// text is a part of a seal; "" for no rows.
func (s *sum) text(part string) string { return string(s.appendText(nil, part)) }

func (s *sum) appendText(dst []byte, part string) []byte {
	if s.rows == 0 {
		return dst
	}
	dst = append(strconv.AppendInt(append(append(append(dst, ' '), part...), '='), s.rows, 10), ':')
	return llm.Hash{Hi: s.hi, Lo: s.lo}.AppendText(dst)
}

// part is some columns of the rows that a run has in a table.
type part struct{ name, query string }

// The parts that are not whole tables.
var (
	runsPart       = part{"runs", `SELECT ` + runColumns + ` FROM runs WHERE id = ?`}
	specPart       = part{"spec", `SELECT id, spec FROM runs WHERE id = ?`}
	executionsPart = part{"executions", `SELECT ` + executionColumns + ` FROM executions WHERE run = ? AND status <> 'running'`}
)

// executionsOf is the part that a seal of a version has of a run's executions.
func executionsOf(version string) part {
	p := executionsPart
	if version != sealVersion {
		p.query = strings.Replace(p.query, ",expects", "", 1)
	}
	return p
}

const endedPart, figuresPart, classesPart = "agents.ended", "alike_in", "nodes.class"

// parts lists all that a seal of a version has, those with the most rows last.
func parts(version string) []part {
	list := []part{runsPart, specPart, executionsOf(version),
		{endedPart, "SELECT " + keyColumns + endColumns + " FROM agents WHERE run = ? AND ended_seq IS NOT NULL"}}
	all := noRows
	for _, x := range all.sealed() {
		from, columns := x.rowsIn, x.columns
		if version == sealOfViews {
			from, columns = x.name, strings.TrimSuffix(columns, ",figures")
		}
		list = append(list, part{x.name, "SELECT " + columns + " FROM " + from + " WHERE run = ?"})
	}
	return append(list, part{classesPart, allNodes + "SELECT n.hash, n.class FROM up JOIN nodes n ON n.hash = up.hash"})
}

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, q string, args ...any) (*sql.Rows, error)
}

// read sums up a part as it is in the file.
func (p *part) read(q querier, run any) (sum, error) {
	var s sum
	rows, err := q.QueryContext(context.Background(), p.query, run)
	if err != nil {
		return s, err
	}
	defer rows.Close()
	return s, eachRow(rows, func(row []any) { s.add(row) })
}

// eachRow calls each with the values of every row.
func eachRow(rows *sql.Rows, each func(row []any)) error {
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	row, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		each(row)
	}
	return rows.Err()
}

// seal is the seal of a run that this writer's rows complete, but for its own row
// and that of the execution, which are given.
func (w *Writer) seal(tx *sql.Tx, run, execution []any) (string, error) {
	text := w.endedSum.appendText(append(w.scratch[:0], sealVersion...), endedPart)
	for _, t := range w.sealed() {
		text = t.sum.appendText(text, t.name)
	}
	text = w.classes.appendText(text, classesPart)
	executions := sumOf(execution)
	if w.execution > 1 {
		all, err := executionsPart.read(tx, w.run)
		if err != nil {
			return "", err
		}
		executions = &all
	}
	text = sumOf(run).appendText(text, runsPart.name)
	text = sumOf([]any{w.run, w.of.Spec}).appendText(text, specPart.name)
	w.scratch = executions.appendText(text, executionsPart.name)
	return string(w.scratch), nil
}

// sealExecutions brings the seal of a run up to date that another execution has
// completed.
func (w *Writer) sealExecutions(tx *sql.Tx) error {
	var seal string
	if err := tx.QueryRow(`SELECT coalesce((SELECT seal FROM runs WHERE id = ?), '')`, w.run).Scan(&seal); err != nil {
		return err
	}
	head, _, found := strings.Cut(seal, " "+executionsPart.name+"=")
	version, _ := parseSeal(seal)
	if !found || version == "" {
		return nil
	}
	of := executionsOf(version)
	s, err := of.read(tx, w.run)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE run_rows SET seal = ? WHERE id = ?`, head+s.text(executionsPart.name), w.run)
	return err
}

// ofAnother reports whether a seal is of a version that is not known.
func ofAnother(seal string) bool {
	version, _, _ := strings.Cut(seal, " ")
	_, err := strconv.ParseUint(version, 10, 32)
	return err == nil && !knownSeal(version)
}

// parseSeal takes a seal apart; "" for one that says nothing.
func parseSeal(seal string) (version string, parts map[string]string) {
	words := strings.Fields(seal)
	if len(words) == 0 || !knownSeal(words[0]) {
		return "", nil
	}
	parts = map[string]string{}
	for _, w := range words[1:] {
		name, _, _ := strings.Cut(w, "=")
		parts[name] = " " + w
	}
	return words[0], parts
}

// Changed names the tables in which a run's rows are not those that were recorded,
// or LostSeal; sealed is false where the record does not say what they were.
func (db *DB) Changed(run string) (tables []string, sealed bool, err error) {
	return changedOf(db, run, func(string) bool { return true })
}

// changedOf is Changed of some parts, and of what they have alike with other runs.
func changedOf(db *DB, run string, asked func(part string) bool) (tables []string, sealed bool, err error) {
	var of any = plain(run)
	if slices.ContainsFunc(parts(sealVersion), func(p part) bool { return asked(p.name) && packs(p.name) }) {
		of = run
	}
	err = db.look("read run "+run, func(conn *sql.Conn) error {
		var seal string
		err := conn.QueryRowContext(context.Background(), `SELECT `+sealColumn+` FROM runs WHERE id = ?`, run).Scan(&seal)
		if err != nil {
			return db.missing(err, run)
		}
		version, want := parseSeal(seal)
		switch {
		case seal == neverSealed || ofAnother(seal):
			return nil
		case want == nil:
			tables = []string{LostSeal}
			return nil
		}
		sealed = true
		for _, p := range parts(version) {
			if !asked(p.name) || p.name == classesPart && want[p.name] == "" { // without content, or an older seal
				continue
			}
			s, err := p.read(conn, run)
			if err != nil {
				return fail(db.path, "read the "+p.name+" of run "+run, err)
			}
			intact := s.text(p.name) == want[p.name]
			if p.name == figuresPart {
				if p.name = Figures; intact {
					intact, err = alikeIntact(conn, run)
				}
			}
			if err != nil {
				return err
			}
			if !intact {
				tables = append(tables, p.name)
			}
		}
		return nil
	}, of)
	return tables, sealed, err
}

// alikeIntact reports whether what a run has alike with others is what its key says.
func alikeIntact(q querier, run string) (intact bool, err error) {
	rows, err := q.QueryContext(context.Background(), `SELECT a.alike, coalesce(o.object, '') FROM alike_in a LEFT JOIN alike o ON o.sha256 = a.alike WHERE a.run = ?`, run)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	intact = true
	err = eachRow(rows, func(row []any) {
		object, _ := row[1].(string)
		intact = intact && row[0] == contentKey(object)
	})
	return intact, err
}

// look lets do see the file as it is at one moment, with the rows of the runs among
// args: another process may be about to change it.
func (db *DB) look(doing string, do func(conn *sql.Conn) error, args ...any) error {
	run, err := packedOf(db, args)
	if err != nil {
		return fail(db.path, doing, err)
	}
	if run == "" {
		return fail(db.path, doing, look(db.sql, "BEGIN", do))
	}
	err = look(db.unpacked, "PRAGMA temp_store = MEMORY; BEGIN", func(conn *sql.Conn) error {
		if err := unpack(conn, run, db.hold); err != nil {
			return err
		}
		return do(conn)
	})
	if errors.Is(err, errGone) {
		return db.look(doing, do, args...)
	}
	return fail(db.path, doing, err)
}

func look(from *sql.DB, begin string, do func(conn *sql.Conn) error) (err error) {
	conn, err := from.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(context.Background(), begin); err != nil {
		return err
	}
	defer func() {
		// What was unpacked stays; a run that could not be is not there in part.
		end := map[bool]string{true: "COMMIT", false: "ROLLBACK"}[err == nil]
		if _, failed := conn.ExecContext(context.Background(), end); err == nil {
			err = failed
		}
	}()
	return do(conn)
}

// Verify fails with ErrChanged when rows of a run are not those that were recorded.
func (db *DB) Verify(run string) error {
	tables, _, err := changedOf(db, run, func(part string) bool { return part != classesPart }) // of VerifyContent
	if err == nil && len(tables) > 0 {
		err = db.changed(run, tables)
	}
	if err == nil {
		err = db.verifyAgents(run)
	}
	return err
}

// verifyAgents fails with ErrDamaged when a run's agents are not numbered from 0
// on, each behind its parent, or a call is none of theirs: of a run without a
// seal nothing else tells, and views go by these numbers.
func (db *DB) verifyAgents(run string) error {
	var bad string
	err := row(db, []any{&bad}, `SELECT CASE
		WHEN (SELECT count(DISTINCT agent) <> max(agent) + 1 OR min(agent) <> 0 FROM agents WHERE run = ?1) THEN 'agents, agent'
		WHEN EXISTS (SELECT 1 FROM agents WHERE run = ?1 AND (parent >= agent OR parent < -1)) THEN 'agents, parent'
		WHEN EXISTS (SELECT 1 FROM agents WHERE run = ?1 GROUP BY agent HAVING min(activation) <> 0) THEN 'agents, activation'
		WHEN EXISTS (SELECT 1 FROM requests r WHERE run = ?1 AND NOT EXISTS (SELECT 1 FROM agents a
			WHERE a.run = ?1 AND a.agent = r.agent AND a.activation = r.activation)) THEN 'requests, agent'
		WHEN EXISTS (SELECT 1 FROM tool_calls r WHERE run = ?1 AND NOT EXISTS (SELECT 1 FROM agents a WHERE a.run = ?1 AND a.agent = r.agent)) THEN 'tool_calls, agent'
		ELSE '' END`, run)
	if err == nil && bad != "" {
		return &Error{Path: db.path, Doing: fmt.Sprintf("read run %s (%s)", run[:min(8, len(run))], bad), Kind: ErrDamaged}
	}
	return fail(db.path, "read run "+run, err)
}

func (db *DB) changed(run string, tables []string) error {
	return &Error{Path: db.path, Doing: fmt.Sprintf("trust run %s (%s)", run[:min(8, len(run))], strings.Join(tables, ", ")), Kind: ErrChanged}
}

// changedRuns are the ids of those runs of a list, in JSON, whose row in runs is not the
// one recorded.
func changedRuns(db *DB, ids string) (map[string]bool, error) {
	out := map[string]bool{}
	q := strings.Replace(strings.TrimSuffix(runsPart.query, "WHERE id = ?"), " FROM", ", "+sealColumn+" FROM", 1)
	rows, err := db.sql.Query(q+" WHERE id IN (SELECT value FROM json_each(?))", ids)
	if err != nil {
		return nil, fail(db.path, "list its runs", err)
	}
	defer rows.Close()
	err = eachRow(rows, func(row []any) {
		var s sum
		last := len(row) - 1
		s.add(row[:last])
		seal, _ := row[last].(string)
		if _, want := parseSeal(seal); seal != neverSealed && !ofAnother(seal) && want[runsPart.name] != s.text(runsPart.name) {
			id, _ := row[0].(string)
			out[id] = true
		}
	})
	return out, fail(db.path, "list its runs", err)
}
