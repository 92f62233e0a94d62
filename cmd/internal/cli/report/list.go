package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strconv"
	"time"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/page"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
)

//go:embed list.html
var listText string

//go:embed list.js
var listScript string

var listPage = template.Must(template.New("list").Funcs(template.FuncMap{"count": func(n int) string { return ui.Count(int64(n)) }}).Parse(listText))

// files are what pages are made of beside their own text.
var files = map[string]*struct{ typ, text string }{
	"/page.css": {"text/css; charset=utf-8", page.Style},
	"/page.js":  {"text/javascript; charset=utf-8", page.Script},
	"/list.js":  {"text/javascript; charset=utf-8", listScript},
}

// listed is how many runs a page of the list has.
const listed = 100

// listing is what the list's page shows.
type listing struct {
	DB, Words, State  string
	Rows              []listRow
	From, To, All     int
	Earlier, Later    string // addresses of the pages beside it, "" for none
	Most              int    // runs that one page compares
	Nothing, NoneHere bool
}

// listRow is one run.
type listRow struct {
	ID, Short, Name, Variant, Seed, Policy, Outcome, Calls, Cost, Time, Started string
	Unfinished                                                                  bool
}

// list writes a page of the list.
func (p *pages) list(w io.Writer, asked url.Values) error {
	from, _ := strconv.Atoi(asked.Get("from"))
	l := sqlite.Listing{Words: asked.Get("words"), From: max(from, 0), Most: listed}
	runs, all, err := p.db.List(l)
	if err != nil {
		return err
	}
	v := &listing{DB: p.db.Path(), Words: l.Words, From: l.From + 1, To: l.From + len(runs), All: all, Most: most,
		Nothing: all == 0 && l.Words == "", NoneHere: len(runs) == 0 && (l.Words != "" || all > 0)}
	if v.State, err = sqlite.State(p.db); err != nil {
		return err
	}
	costs := make([]report.Value, len(runs))
	for i := range runs {
		r := &runs[i]
		v.Rows = append(v.Rows, row(r))
		priced, err := p.db.Priced(r.ID)
		if err != nil {
			return err
		}
		costs[i] = report.None()
		if priced {
			costs[i] = report.Dollars(cachemodel.Picodollars(r.Cost))
		}
	}
	for i, cost := range report.Aligned(costs) {
		v.Rows[i].Cost = cost
	}
	beside := func(from int) string {
		return "/?" + url.Values{"words": {l.Words}, "from": {strconv.Itoa(max(from, 0))}}.Encode()
	}
	if l.From > 0 {
		v.Later = beside(l.From - listed)
	}
	if v.To < all {
		v.Earlier = beside(l.From + listed)
	}
	return listPage.Execute(w, v)
}

// row is all of a row that does not depend on the others.
func row(r *sqlite.RunInfo) listRow {
	row := listRow{ID: r.ID, Short: ui.Short(r.ID), Name: report.Plain(r.Name), Variant: report.Plain(r.Variant), Policy: r.Policy, Outcome: r.Ending(), Calls: ui.Count(r.Calls),
		Time: report.At(r.EndedAt).String(), Started: day(r.StartedAt), Unfinished: r.Ending() != "completed"}
	if !r.Recorded() {
		row.Seed = strconv.FormatUint(r.Seed, 10)
	}
	return row
}

// state writes what changes whenever the list does.
func (p *pages) state(w io.Writer) error {
	now, err := sqlite.State(p.db)
	if err == nil {
		_, err = fmt.Fprint(w, now)
	}
	return err
}

// day is an instant of the record as the list shows it, to the minute.
func day(at string) string {
	if t, err := time.Parse(time.RFC3339Nano, at); err == nil {
		return t.Format("2006-01-02 15:04")
	}
	return at
}
