package sessions

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/toevents"
)

// reportImport prints what was imported and what was passed over.
func reportImport(s *ui.Env, o *importOptions, done []importedRun, read *importer.Report) error {
	if o.output != "table" {
		if o.first {
			fmt.Fprintf(s.Stderr, "stored: %s\n", o.keeps())
		}
		return s.Emit(o.output, importDocument(o, done, read))
	}
	if err := listImported(s, o, done); err != nil {
		return err
	}
	sum := fmt.Sprintf("%s, %s in %s", ui.Plural(len(done), "session"), ui.Plural(read.Requests, "request"), ui.Plural(read.Files, "file"))
	if o.dryRun {
		s.Printf("read       %s; nothing was written\n", sum)
	} else {
		s.Printf("imported   %s, into %s\n", sum, o.db)
		if o.first {
			s.Printf("stored     %s\n", o.keeps())
		}
	}
	if n := again(done); n > 0 {
		s.Printf("again      %s had been imported before and came out the same\n", ui.Plural(n, "session"))
	}
	printUnpriced(s, done)
	printSkipped(s, read)
	if !o.dryRun {
		s.Printf("inspect    agentsim inspect %s%s\n", ui.Short(done[0].run.ID), rundb.At(s, o.db))
	}
	return nil
}

// maxListed is how many sessions a table lists unless all are asked for.
const maxListed = 40

// listImported prints a line for each session, and an empty one behind them.
func listImported(s *ui.Env, o *importOptions, done []importedRun) error {
	if o.brief {
		return nil
	}
	listed := len(done)
	if listed > maxListed && !o.all {
		listed = maxListed
	}
	t := report.NewTable("RUN", "FORMAT", "SESSION", " THREADS", " REQUESTS", " PROMPT", " READ", " HIT", " COST", " SKIPPED")
	for i := range done[:listed] {
		t.Row(done[i].row()...)
	}
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	switch more := len(done) - listed; {
	case more > 0 && o.dryRun:
		s.Printf("… and %d more; --all lists them\n", more)
	case more > 0:
		s.Printf("… and %d more; --all lists them here, agentsim inspect%s later\n", more, rundb.At(s, o.db))
	}
	s.Printf("\n")
	return nil
}

// row is a session's line of the table.
func (x *importedRun) row() []string {
	u := x.metrics.Total.Usage
	read, hit := report.Quantity(x.billed.Read), report.Percent(x.billed.Read, x.billed.Prompt())
	if x.unbilled > 0 && x.unbilled == x.requests {
		read, hit = "–", "–" // nobody knows what was read
	}
	skipped := int64(0)
	for _, k := range x.session.Skipped {
		skipped += k.Count
	}
	return []string{ui.Short(x.run.ID), x.session.Format, x.session.ID, strconv.Itoa(len(x.session.Threads)), strconv.Itoa(x.requests),
		report.Quantity(u.Prompt()), read, hit, x.cost(), strconv.FormatInt(skipped, 10)}
}

// cost is what the session was billed, where every price is known.
func (x *importedRun) cost() string {
	if len(x.metrics.Unpriced()) > 0 {
		return "–"
	}
	return report.Money(x.metrics.Total.Cost)
}

// again counts the sessions that had been imported before.
func again(done []importedRun) (n int) {
	for i := range done {
		if done[i].executed > 1 {
			n++
		}
	}
	return n
}

// printUnpriced says why a session has no cost.
func printUnpriced(s *ui.Env, done []importedRun) {
	sessions, seen := map[string]int{}, []string(nil)
	var sizes, parts, without, requests int
	for i := range done {
		switch x := &done[i]; {
		case x.unbilled == 0:
		case x.unbilled == x.requests:
			sizes++
		default:
			parts++
			without += x.unbilled
			requests += x.requests
		}
		for _, model := range done[i].metrics.Unpriced() {
			if strings.HasSuffix(model, toevents.Unpriced) {
				continue
			}
			if sessions[model] == 0 {
				seen = append(seen, model)
			}
			sessions[model]++
		}
	}
	if sizes > 0 {
		s.Printf("no bill    %s: the recording holds sizes of prompts and no usage\n", ui.Plural(sizes, "session"))
	}
	if parts > 0 {
		s.Printf("no bill    %d of %s in %s: READ, HIT and COST are those of the others\n", without, ui.Plural(requests, "request"), ui.Plural(parts, "session"))
	}
	for _, model := range seen {
		s.Printf("no price   %s, in %s\n", ui.Quote(model), ui.Plural(sessions[model], "session"))
	}
}

// printSkipped lists what was passed over, with its first place.
func printSkipped(s *ui.Env, read *importer.Report) {
	for _, k := range read.Skipped {
		s.Printf("skipped    %d × %s, first at %s\n", k.Count, k.What, placeOf(k))
	}
}

// placeOf is where something was met first.
func placeOf(k recording.Skip) string {
	if k.Line > 0 {
		return fmt.Sprintf("%s:%d", k.File, k.Line)
	}
	return k.File
}

type importJSON struct {
	Database string         `json:"database,omitempty"` // none of a dry run
	Files    int            `json:"files"`
	Bytes    int64          `json:"bytes"`
	Requests int            `json:"requests"`
	Sessions []importedJSON `json:"sessions"`
	Skipped  []skippedJSON  `json:"skipped"`
}

type importedJSON struct {
	Run       string        `json:"run"`
	Name      string        `json:"name"`
	Variant   string        `json:"variant"`
	Format    string        `json:"format"`
	Session   string        `json:"session"`
	Origin    string        `json:"origin,omitempty"`
	Threads   int           `json:"threads"`
	Requests  int           `json:"requests"`
	Unbilled  int           `json:"unbilled_requests"`
	Usage     usageJSON     `json:"usage"`
	Cost      *int64        `json:"cost_picodollars,omitempty"` // missing while a price is
	Unpriced  []string      `json:"unpriced_models,omitempty"`
	Digest    string        `json:"digest"`
	Imports   int           `json:"imports"` // 0 of a dry run
	Skipped   []skippedJSON `json:"skipped"`
	FileNames []string      `json:"files"`
}

type skippedJSON struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
	File  string `json:"file"`
	Line  int64  `json:"line,omitempty"`
}

func importDocument(o *importOptions, done []importedRun, read *importer.Report) importJSON {
	doc := importJSON{Files: read.Files, Bytes: read.Bytes, Requests: read.Requests, Sessions: []importedJSON{}, Skipped: skipDocuments(read.Skipped)}
	if !o.dryRun {
		doc.Database = o.db
	}
	for i := range done {
		x := &done[i]
		j := importedJSON{Run: x.run.ID, Name: x.run.Name, Variant: x.run.Variant, Format: x.session.Format, Session: x.session.ID,
			Origin: x.session.Origin, Threads: len(x.session.Threads), Requests: x.requests, Unbilled: x.unbilled,
			Usage: usageJSON(x.metrics.Total.Usage), Unpriced: x.metrics.Unpriced(), Digest: x.digest, Imports: x.executed,
			Skipped: skipDocuments(x.session.Skipped), FileNames: []string{}}
		if j.Unpriced == nil {
			cost := int64(x.metrics.Total.Cost)
			j.Cost = &cost
		}
		for _, f := range x.session.Files {
			j.FileNames = append(j.FileNames, f.Name)
		}
		doc.Sessions = append(doc.Sessions, j)
	}
	return doc
}

func skipDocuments(skips []recording.Skip) []skippedJSON {
	out := []skippedJSON{}
	for _, k := range skips {
		out = append(out, skippedJSON(k))
	}
	return out
}

type usageJSON struct {
	Input   int64 `json:"input"`
	Write5m int64 `json:"write_5m"`
	Write1h int64 `json:"write_1h"`
	Read    int64 `json:"read"`
	Output  int64 `json:"output"`
}

// TableRows are the rows of its table.
func (d importJSON) TableRows() any { return d.Sessions }
