// Package importing is the command import, which makes runs of recorded sessions of
// real agents.
package importing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/loading"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/judge"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// options are the flags of import.
type options struct {
	db      string
	record  string
	output  string
	content bool
	strict  bool // refuse what is not known in bodies
	first   bool // no session was in the database before
	dryRun  bool
	brief   bool
	all     bool
	prices  loading.Prices
	priced  []string // models at whose prices, where some are the user's own
}

// NewImport makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "import PATH…",
		Short: "read recorded sessions of real agents into the database, as runs",
		Long: `Reads recorded sessions (files or directories: Claude Code projects, Entire checkpoints, Codex rollouts, TraceLab rounds,
kv-cache-tester traces, rows of requests, raw bodies) and records each as a run, so that inspect and the tables' views work
on it. Raw bodies are a directory that Claude Code fills (OTEL_LOG_RAW_API_BODIES=file:DIR): NAME.request.json and
NAME.response.json, and index.jsonl, which pairs them. A request without its answer has no bill and is left out. A
session is one run wherever its files lie; importing it again makes no second one. What could not be read is counted and
named with its first place.

Only figures are stored: sizes, times, what was billed, and the names of models, tools and types of agents. --with-content
also stores what was said, which inspect --said and --blocks and most of lint look at; such a session is a run of its own.
In raw bodies, keys, blocks and betas that the API does not have are compared as bytes and counted; --strict refuses them.`,
		Example: `  agentsim import ~/.claude/projects
  agentsim import --with-content session.jsonl
  agentsim import --dry-run -o json recordings`,
		Args: ui.AtLeastOne("the files or directories of recorded sessions"),
		RunE: func(_ *cobra.Command, args []string) error {
			if o.brief && o.all {
				return ui.Failf(ui.Usage, "--brief and --all: give one of them")
			}
			if o.record != string(sqlite.Full) && o.record != string(sqlite.Packed) {
				return ui.Failf(ui.Usage, "--record %s: write full or packed", o.record)
			}
			if err := o.prices.Read(); err != nil {
				return err
			}
			return importPaths(s, o, args)
		},
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.StringVar(&o.record, "record", "full", "how it is recorded: full or packed (full, compressed)")
	f.BoolVar(&o.content, "with-content", false, "also store what was said, with tool inputs and results")
	f.BoolVar(&o.strict, "strict", false, "refuse raw bodies with keys, blocks or betas that the API does not have")
	f.BoolVar(&o.dryRun, "dry-run", false, "list what would be imported and write nothing")
	f.BoolVar(&o.brief, "brief", false, "print the sums only")
	o.prices.Add(f)
	f.BoolVar(&o.all, "all", false, fmt.Sprintf("list every session, not only the first %d", maxListed))
	ui.OutputFlag(f, &o.output)
	return cmd
}

// importedRun is a session that was read, and its run.
type importedRun struct {
	session  *recording.Session // without its requests
	run      toevents.Run
	digest   string
	metrics  *metrics.Run
	requests int
	unbilled int       // requests of which only the prompt's size is known, or not even that
	outputs  int       // requests of whose output the recording holds a placeholder
	billed   llm.Usage // of those that have a bill
	executed int       // how often the run has been imported; 0 for a dry run
}

// errStopped ends an import at an interrupt.
var errStopped = errors.New("interrupted")

func importPaths(s *ui.Env, o *options, paths []string) error {
	stop := harness.Listen(s)
	defer stop.Stop()
	return importUntil(s, o, paths, stop.Has)
}

// importUntil imports one session after the other until stopped says so.
func importUntil(s *ui.Env, o *options, paths []string, stopped func() bool) error {
	var db *sqlite.DB
	if !o.dryRun {
		var err error
		if db, err = rundb.Create(s, o.db); err != nil {
			return err
		}
		defer db.Close()
		if o.first, err = nothingImported(db); err != nil {
			return err
		}
	}
	var done []importedRun
	read, err := loading.Recordings(s, paths, importer.Options{Content: o.content, Strict: o.strict},
		func(x *recording.Session) error {
			if stopped() {
				return errStopped
			}
			if o.strict && x.Format != importer.RawBodies {
				return fmt.Errorf("--strict: it is about raw bodies, and %s is a recording in the format %s", ui.Quote(x.Files[0].Name), x.Format)
			}
			if !o.content {
				withoutPlaces(x)
			}
			if o.prices.Prices != nil {
				x.Prices = &recording.PriceFile{Name: o.prices.File, Text: o.prices.Text}
			}
			run, err := importSession(s, db, sqlite.Level(o.record), x, o.price(x))
			if err == nil {
				done = append(done, run)
			}
			return err
		})
	switch {
	case errors.Is(err, errStopped):
		return ui.Failf(ui.Interrupted, "interrupted after %s; what was imported so far is whole", ui.Plural(len(done), "session"))
	case err != nil:
		return err
	case len(done) == 0:
		d := &report.Document{}
		loading.TellSkipped(d, read.Skipped)
		why := "no recorded session in a known format; agentsim import --help lists the formats"
		if slices.ContainsFunc(read.Skipped, func(x recording.Skip) bool { return strings.HasPrefix(x.What, importer.Unanswered) }) {
			why = "its requests have no answers (NAME.response.json), and so no bill; agentsim lab diff A.request.json B.request.json compares two of them"
		}
		if slices.ContainsFunc(read.Skipped, func(x recording.Skip) bool { return x.What == importer.Alone }) {
			why = "which answer is that of which request cannot be told: nothing repeats them, and there is no index.jsonl; write one, a line {\"timestamp\", \"session_id\", \"request_file\", \"response_file\"} for each pair"
		}
		return cmp.Or(s.Print(o.output, d), ui.Failf(ui.Operating, "%s: %s", ui.QuoteAll(paths), why))
	}
	if !o.content {
		loading.OnlyNames(read.Skipped)
	}
	return reportImport(s, o, done, read)
}

// importSession records a session as a run; without a database it only makes the
// run's figures.
func importSession(s *ui.Env, db *sqlite.DB, level sqlite.Level, x *recording.Session, price rundb.Pricing) (importedRun, error) {
	verdicts := judge.Classify(x)
	out := importedRun{run: toevents.Of(x, verdicts), requests: len(x.Requests)}
	for i := range x.Requests {
		if r := &x.Requests[i]; r.Billed {
			out.billed = out.billed.Plus(r.Usage)
			if !r.OutputKnown {
				out.outputs++
			}
		} else {
			out.unbilled++
		}
	}
	head := *x
	head.Requests = nil
	out.session = &head
	fold, digest := metrics.New(metrics.Options{Price: price}), transcript.NewDigest()
	sinks := []transcript.Sink{fold, digest}
	var w *sqlite.Writer
	if db != nil {
		var err error
		w, err = db.Begin(sqlite.Run{ID: out.run.ID, Name: out.run.Name, Variant: out.run.Variant, Policy: transcript.PolicyRecorded,
			Semantics: toevents.Semantics, Spec: sqlite.SessionText(x)}, harness.Wall(s.Now()), sqlite.Options{Level: level, Cost: billed(price)})
		if err != nil {
			return out, err
		}
		sinks = append(sinks, w)
	}
	emitted := toevents.Emit(x, verdicts, transcript.Tee(sinks...))
	out.digest, out.metrics = digest.Sum(), fold.Run()
	if w == nil || emitted != nil {
		return out, closeFailed(w, emitted, harness.Wall(s.Now()))
	}
	out.executed = w.Execution()
	return out, w.Finish(sqlite.End{Status: sqlite.Completed, Digest: out.digest, FinishedAt: harness.Wall(s.Now()), Metrics: harness.Stored(out.metrics)})
}

// closeFailed closes the record of a session that could not be told, if there is
// one, and returns why.
func closeFailed(w *sqlite.Writer, err error, now string) error {
	if w == nil || err == nil {
		return err
	}
	return errors.Join(err, w.Finish(sqlite.End{Status: sqlite.Crashed, Detail: err.Error(), FinishedAt: now}))
}

// price finds models as a session is billed: at the user's own prices of its first day,
// else at established ones.
func (o *options) price(x *recording.Session) rundb.Pricing {
	if o.prices.Prices == nil || len(x.Requests) == 0 {
		return rundb.PriceOf
	}
	own := o.prices.Of(rundb.Day(int64(x.Requests[0].Start)))
	return func(model string) (*cachemodel.Profile, error) {
		p, err := own(model)
		if err != nil || !p.Found.Rates {
			return rundb.PriceOf(model)
		}
		if words := model + " at " + o.prices.Words(p); !slices.Contains(o.priced, words) {
			o.priced = append(o.priced, words)
		}
		return p, nil
	}
}

// billed prices calls.
func billed(price rundb.Pricing) func(model string, u llm.Usage) (billed, uncached int64) {
	return func(model string, u llm.Usage) (billed, uncached int64) {
		p, err := price(model)
		if err != nil {
			return 0, 0
		}
		return int64(p.Cost(u)), int64(p.CostUncached(u))
	}
}
