package importing

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript/sqlite"
)

// reportImport says what was imported and what was skipped.
func reportImport(s *ui.Env, o *options, done []importedRun, read *importer.Report) error {
	d := &report.Document{}
	listImported(d, rundb.At(s, o.db), o, done)
	sum := fmt.Sprintf("%s, %s in %s", ui.Plural(len(done), "session"), ui.Plural(read.Requests, "request"), ui.Plural(read.Files, "file"))
	if o.dryRun {
		d.Label("read", sum+"; nothing was written")
	} else {
		d.Label("imported", sum+", into "+o.db)
		d.Field("database", report.Text(o.db))
	}
	if o.first {
		d.Label("stored", o.keeps())
		d.Field("stored", report.Text(o.keeps()))
	}
	d.Field("files", report.Count(read.Files))
	d.Field("bytes", report.Count(read.Bytes))
	d.Field("requests", report.Count(read.Requests))
	if n := again(done); n > 0 {
		d.Label("again", ui.Plural(n, "session")+" had been imported before and came out the same")
	}
	unpriced(d, done)
	d.Label("prices", o.priced...)
	loading.TellSkipped(d, read.Skipped)
	if !o.dryRun {
		d.Label("inspect", "agentsim inspect "+ui.Short(done[0].run.ID)+rundb.At(s, o.db))
	}
	return s.Print(o.output, d)
}

// maxListed is how many sessions a table lists unless all are asked for.
const maxListed = 40

// listImported lists the sessions, an empty line below them.
func listImported(d *report.Document, at string, o *options, done []importedRun) {
	d.Table(report.TableOf("sessions", done, importColumns()...).Hidden())
	if o.brief {
		return
	}
	listed := len(done)
	if listed > maxListed && !o.all {
		listed = maxListed
	}
	d.Table(report.TableOf("", done[:listed], importColumns()...))
	switch more := len(done) - listed; {
	case more > 0 && o.dryRun:
		d.Say("… and %d more; --all lists them", more)
	case more > 0:
		d.Say("… and %d more; --all lists them here, agentsim inspect%s later", more, at)
	}
	d.Say("")
}

// importColumns are what is said of each session.
func importColumns() []report.Column[importedRun] {
	type col = report.Column[importedRun]
	sizes := func(x importedRun) bool { return x.unbilled > 0 && x.unbilled == x.requests } // nobody knows what was read
	return []col{
		{Name: "run", Head: "RUN", Of: func(x importedRun) report.Value { return report.Text(x.run.ID).As(ui.Short(x.run.ID)) }},
		{Name: "name", Of: func(x importedRun) report.Value { return report.Text(x.run.Name) }},
		{Name: "variant", Of: func(x importedRun) report.Value { return report.Text(x.run.Variant) }},
		{Name: "format", Head: "FORMAT", Drop: 2, Of: func(x importedRun) report.Value { return report.Text(x.session.Format) }},
		{Name: "session", Head: "SESSION", Of: func(x importedRun) report.Value { return report.Text(x.session.ID) }},
		{Name: "origin", Of: func(x importedRun) report.Value {
			return report.Text(x.session.Origin).If(x.session.Origin != "")
		}},
		{Name: "threads", Head: " THREADS", Drop: 4, Of: func(x importedRun) report.Value { return report.Count(len(x.session.Threads)) }},
		{Name: "requests", Head: " REQUESTS", Of: func(x importedRun) report.Value { return report.Count(x.requests) }},
		{Name: "unbilled_requests", Of: func(x importedRun) report.Value { return report.Count(x.unbilled) }},
		{Head: " PROMPT", Drop: 3, Of: func(x importedRun) report.Value { return report.Tokens(x.metrics.Total.Usage.Prompt()) }},
		{Name: "tokens_read", Head: " CACHE READ", Drop: 1, Of: func(x importedRun) report.Value { return report.Tokens(x.billed.Read).If(!sizes(x)) }},
		{Name: "tokens_write_5m", Of: func(x importedRun) report.Value { return report.Tokens(x.metrics.Total.Usage.Write5m) }},
		{Name: "tokens_write_1h", Of: func(x importedRun) report.Value { return report.Tokens(x.metrics.Total.Usage.Write1h) }},
		{Name: "tokens_input", Of: func(x importedRun) report.Value { return report.Tokens(x.metrics.Total.Usage.Input) }},
		{Name: "tokens_output", Of: func(x importedRun) report.Value { return report.Tokens(x.metrics.Total.Usage.Output) }},
		{Name: "hit_ratio", Head: " HIT RATE", Of: func(x importedRun) report.Value {
			return report.Share(x.billed.Read, x.billed.Prompt()).If(!sizes(x))
		}},
		{Name: "cost", Head: " COST", Unit: report.USD, Of: func(x importedRun) report.Value {
			return report.Dollars(x.metrics.Total.Cost).If(len(x.metrics.Unpriced()) == 0)
		}},
		{Name: "unpriced_models", Of: func(x importedRun) report.Value {
			return report.List(x.metrics.Unpriced()).If(len(x.metrics.Unpriced()) > 0)
		}},
		{Name: "digest", Of: func(x importedRun) report.Value { return report.Text(x.digest) }},
		{Name: "imports", Of: func(x importedRun) report.Value { return report.Count(x.executed) }},
		{Head: " SKIPPED", Drop: 5, Of: func(x importedRun) report.Value {
			n := int64(0)
			for _, k := range x.session.Skipped {
				if !k.Taken {
					n += k.Count
				}
			}
			return report.Count(n)
		}},
		{Name: "skipped", Of: func(x importedRun) report.Value { return report.Objects(loading.SkippedTable(x.session.Skipped)) }},
		{Name: "files", Of: func(x importedRun) report.Value {
			var names []string
			for _, f := range x.session.Files {
				names = append(names, f.Name)
			}
			return report.List(names)
		}},
	}
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

// unpriced says why a session has no cost.
func unpriced(d *report.Document, done []importedRun) {
	sessions, seen := map[string]int{}, []string(nil)
	var sizes, parts, without, requests, outputs, all int
	for i := range done {
		all, outputs = all+done[i].requests, outputs+done[i].outputs
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
		d.Label("no bill", ui.Plural(sizes, "session")+": the recording holds sizes of prompts and no usage")
	}
	if parts > 0 {
		d.Label("no bill", fmt.Sprintf("%d of %s in %s: CACHE READ, HIT RATE and COST are those of the others", without, ui.Plural(requests, "request"), ui.Plural(parts, "session")))
	}
	if outputs > 0 {
		d.Label("no bill", rundb.Placeholders(int64(outputs), int64(all)))
	}
	for _, model := range seen {
		d.Label("no price", ui.Quote(model)+", in "+ui.Plural(sessions[model], "session"))
	}
}

// withoutPlaces leaves out of a session what its files are called: people name them,
// and the directories that they lie in, after what was worked on. They are numbered.
func withoutPlaces(x *recording.Session) {
	number := map[string]string{}
	for i := range x.Files {
		f := &x.Files[i]
		if base := filepath.Base(f.Name); x.ID == base {
			x.ID = fmt.Sprintf("%x", sha256.Sum256([]byte(base)))[:16]
		}
		number[f.Name] = fmt.Sprintf("file %d", i+1)
		f.Name = number[f.Name]
	}
	for i := range x.Skipped {
		x.Skipped[i].File = number[x.Skipped[i].File]
	}
}

// nothingImported reports whether a database holds no recorded session.
func nothingImported(db *sqlite.DB) (bool, error) {
	runs, err := db.Runs()
	for i := range runs {
		if runs[i].Recorded() {
			return false, err
		}
	}
	return true, err
}

// keeps says what an import has stored, where, and who can read it.
func (o *options) keeps() string {
	what := "figures, ids, and names of models, tools and types of agents, nothing that was said (--with-content stores that)"
	if o.content {
		what = "all that was said, tool inputs and results too, beside the figures"
	}
	who := "which others can read"
	if info, err := os.Stat(o.db); err == nil && info.Mode()&0o077 == 0 {
		who = "which only you can read"
	}
	return fmt.Sprintf("%s; in %s, %s", what, o.db, who)
}
