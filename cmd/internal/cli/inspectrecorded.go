package cli

import (
	"fmt"
	"strconv"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/transcript/sqlite"
)

// What inspect says of recorded sessions that were imported: the causes and
// prices of their misses come from the recording and not from a cache model.

// noMisses says that no call missed the cache, as far as that is known.
func noMisses(s *ui.Env, db *sqlite.DB, r sqlite.RunInfo) error {
	billed, err := rundb.BilledCalls(db, r)
	switch {
	case err != nil:
		return err
	case billed == 0 && r.Calls > 0: // the heading says that nobody knows
	case billed < r.Calls:
		s.Printf("every call with a bill read all it could have\n")
	case !r.Level.Whole():
		s.Printf("every recorded call read all it could have\n")
	default:
		s.Printf("every call read all it could have\n")
	}
	return nil
}

// printCallRecord prints what the recording adds to a call.
func printCallRecord(s *ui.Env, c *sqlite.CallInfo, x *sqlite.RecordedInfo) {
	client := ""
	if x.Version != "" {
		client = " · client " + x.Version
	}
	s.Detail("message", "%s%s%s", x.ID, client, turnOf(x))
	if !x.OutputKnown {
		s.Detail("output", "%s or more: the recording holds a placeholder", ui.Count(c.Usage.Output))
	}
	if !x.Billed {
		s.Detail("bill", "not in the recording: only the size of the prompt is known")
	}
	if x.Class != "" && c.Miss == "" {
		s.Detail("read as", "%s", readAs(x))
	}
	if c.Miss != "" {
		printRecordedMiss(s, c, x)
	}
	if x.ServerReason != "" {
		s.Detail("the API said", "%s", serverSaid(x))
	}
}

// turnOf says what caused a request, where it is no tool's result.
func turnOf(x *sqlite.RecordedInfo) string {
	switch {
	case x.Compacted:
		return " · first after a compaction"
	case x.UserTurn:
		return " · user turn"
	}
	return ""
}

func readAs(x *sqlite.RecordedInfo) string {
	text := x.Class
	if x.Expected > 0 {
		text += fmt.Sprintf(": %s expected from call %d", ui.Count(x.Expected), x.Pred)
	}
	if x.Meaning != "" {
		text += "; " + x.Meaning
	}
	return text
}

func printRecordedMiss(s *ui.Env, c *sqlite.CallInfo, x *sqlite.RecordedInfo) {
	s.Detail("expected", "%s from call %d; lost %s (%s)", ui.Count(x.Expected), x.Pred, ui.Count(x.Lost), x.Class)
	s.Detail("missed because", "%s: %s", x.Cause, x.Meaning)
	if x.Told.Line > 0 {
		s.Detail("told by", "%s (%s)", toldBy(&x.Told), x.Told.What)
	}
	if known(c.Model) {
		s.Detail("cost of it", "%s more than a hit", money(x.LostCost))
	}
	s.Detail("would have kept it", "%s", x.Keep)
}

func serverSaid(x *sqlite.RecordedInfo) string {
	if x.ServerReason == "" || x.ServerMissed == 0 {
		return x.ServerReason
	}
	return fmt.Sprintf("%s, %s tokens", x.ServerReason, ui.Count(x.ServerMissed))
}

// printRecordedMisses prints the misses of a recorded session, and by cause what
// would have kept the tokens.
func printRecordedMisses(s *ui.Env, misses []sqlite.CallInfo, recorded []sqlite.RecordedInfo) error {
	t := report.NewTable(" CALL", "AGENT", " AT", " READ", " EXPECTED", " LOST", " COST OF IT", " AFTER CALL", "MISSED BECAUSE", "THE API SAID")
	var causes []lostBy
	for i := range misses {
		c, x := &misses[i], &recorded[i]
		t.Row(strconv.FormatInt(c.N, 10), c.Lineage, report.Time(c.At.Sub(0)), ui.Count(c.Usage.Read), ui.Count(x.Expected), ui.Count(x.Lost),
			bill(x.LostCost, known(c.Model)), strconv.FormatInt(x.Pred, 10), becauseOf(x), serverSaid(x))
		causes = addCause(causes, x, known(c.Model))
	}
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	s.Printf("\n")
	return printCauses(s, causes)
}

// toldBy is the line that tells of a miss; "" for none.
func toldBy(t *recording.Told) string {
	switch {
	case t.Line == 0:
		return ""
	case t.File > 0:
		return fmt.Sprintf("line %d of file %d", t.Line, t.File+1)
	}
	return fmt.Sprintf("line %d", t.Line)
}

// becauseOf is a miss's cause, with the line that tells of it.
func becauseOf(x *sqlite.RecordedInfo) string {
	if by := toldBy(&x.Told); by != "" {
		return x.Cause + " (" + by + ")"
	}
	return x.Cause
}

// lostBy is what one cause lost.
type lostBy struct {
	cause, meaning, keep string
	calls, tokens        int64
	cost                 cachemodel.Picodollars
	priced               bool // of every call
}

// addCause adds a miss to its cause and what would have kept it, in the order in
// which they are met.
func addCause(list []lostBy, x *sqlite.RecordedInfo, priced bool) []lostBy {
	for i := range list {
		if l := &list[i]; l.cause == x.Cause && l.keep == x.Keep {
			l.calls++
			l.tokens += x.Lost
			l.cost += cachemodel.Picodollars(x.LostCost)
			l.priced = l.priced && priced
			return list
		}
	}
	return append(list, lostBy{x.Cause, x.Meaning, x.Keep, 1, x.Lost, cachemodel.Picodollars(x.LostCost), priced})
}

func printCauses(s *ui.Env, causes []lostBy) error {
	t := report.NewTable("CAUSE", " CALLS", " LOST", " COST OF IT", "WHY", "WOULD HAVE KEPT IT")
	for _, l := range causes {
		t.Row(l.cause, strconv.FormatInt(l.calls, 10), report.Quantity(l.tokens), bill(int64(l.cost), l.priced), l.meaning, l.keep)
	}
	return t.Write(s.Stdout, s.Style())
}

// recordedCallJSON is what the recording adds to a call.
type recordedCallJSON struct {
	ID           string `json:"id"`
	Version      string `json:"version"`
	Stop         string `json:"stop"`
	Pred         int64  `json:"goes_on_from"` // call of the run; 0 for none
	UserTurn     bool   `json:"user_turn"`
	Compacted    bool   `json:"compacted"`
	OutputKnown  bool   `json:"output_known"`
	WritesKnown  bool   `json:"writes_known"`
	Billed       bool   `json:"billed"`
	ServerReason string `json:"server_reason,omitempty"`
	ServerMissed int64  `json:"server_missed,omitempty"`
	Class        string `json:"class"`
	Cause        string `json:"cause"`
	Meaning      string `json:"meaning"`
	Keep         string `json:"would_have_kept_it"`
	Expected     int64  `json:"expected"`
	Lost         int64  `json:"lost"`
	LostCost     *int64 `json:"lost_cost_picodollars,omitempty"` // missing without a price
	Told         string `json:"told_by,omitempty"`               // the line that tells of the cause
}

func recordedDocument(model string, x *sqlite.RecordedInfo) *recordedCallJSON {
	doc := &recordedCallJSON{x.ID, x.Version, x.Stop, x.Pred, x.UserTurn, x.Compacted, x.OutputKnown, x.WritesKnown, x.Billed,
		x.ServerReason, x.ServerMissed, x.Class, x.Cause, x.Meaning, x.Keep, x.Expected, x.Lost, &x.LostCost, toldBy(&x.Told)}
	if !known(model) || !x.Billed {
		doc.LostCost = nil
	}
	return doc
}
