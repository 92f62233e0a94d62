// Package report is the commands that show recorded runs as pages, in one HTML file or to
// a browser: what they came to beside one another, and each call of theirs before and
// after.
package report

import (
	"fmt"
	"io"
	"slices"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/page"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/scenarios/expect"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// options are the flags.
type options struct{ db, to string }

// most is how many runs a report shows.
const most = 32

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "report RUN…",
		Short: "make an HTML page of recorded runs: the answer, and every call before and after",
		Long: `Writes one file that needs nothing else: the comparison of the runs and why their bills differ, where the money went, what
misses cost and what would have kept them, agents on virtual time, and for each call what was appended to its prompt, which
part was read, written and uncached, and the byte where it parted from the call it could have read from. RUN is the
beginning of a run's id; imported sessions are runs too. Equal records give equal bytes.`,
		Example: `  agentsim report 9c1e
  agentsim report 9c1e -o fork-or-fresh.html`,
		Args: func(_ *cobra.Command, args []string) error { return countOf(args) },
		RunE: func(_ *cobra.Command, args []string) error { return run(s, o, args) },
	}
	rundb.Flag(s, cmd.Flags(), &o.db, "the `file` that runs are recorded in")
	cmd.Flags().StringVarP(&o.to, "output", "o", "report.html", "the `file` to write; - prints it")
	return cmd
}

// countOf says what is wrong with how many runs are named.
func countOf(runs []string) error {
	switch {
	case len(runs) == 0:
		return ui.Failf(ui.Usage, "name the runs, by the beginning of their ids; agentsim inspect lists them")
	case len(runs) > most:
		return ui.Failf(ui.Usage, "a report shows %d runs at the most, not %d", most, len(runs))
	}
	return nil
}

// made is all that a page of runs shows.
type made struct {
	title  string
	answer *report.Document
	pages  []*page.Run
	calls  int
	said   bool // it holds what was said in a recorded session
}

// reportOf makes the page of runs; at names the database on a command line.
func reportOf(s *ui.Env, db *sqlite.DB, at string, prefixes []string) (*made, error) {
	var runs []*recorded
	for _, prefix := range prefixes {
		info, err := rundb.Find(db, prefix)
		if err != nil {
			return nil, err
		}
		r, err := read(db, info)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	if err := again(s, runs); err != nil {
		return nil, err
	}
	out := &made{title: title(runs), answer: document(s, runs, at)}
	best := report.Cheapest(rows(runs))
	for _, r := range runs {
		made, err := r.page(at)
		if err != nil {
			return nil, err
		}
		made.Best = r.row.Variant == best
		out.pages, out.calls = append(out.pages, made), out.calls+len(r.calls)
		out.said = out.said || r.Recorded() && rundb.WithoutContent(r.RunInfo) == ""
	}
	return out, nil
}

// run writes the page, and says where it is.
func run(s *ui.Env, o *options, args []string) error {
	db, err := rundb.Open(o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	made, err := reportOf(s, db, rundb.At(s, o.db), args)
	if err != nil {
		return err
	}
	print := func(w io.Writer) error { return page.Write(w, made.title, made.answer, made.pages...) }
	if o.to == "-" {
		if err := print(s.Stdout); err != nil {
			return ui.Failf(ui.Operating, "cannot write the report: %w", err)
		}
		return nil
	}
	write, private := ui.WriteFile, ""
	if made.said {
		write, private = ui.WritePrivate, "; it holds what was said in a session, so nobody else can read it"
	}
	if err := write("--output", o.to, print); err != nil {
		return err
	}
	s.Printf("%s: %s, %s%s\n", o.to, ui.Plural(len(args), "run"), ui.Plural(made.calls, "call"), private)
	return nil
}

func title(runs []*recorded) string {
	first := runs[0].Name
	for _, r := range runs {
		if r.Name != first {
			return fmt.Sprintf("%s and %s", first, ui.Plural(len(runs)-1, "more run"))
		}
	}
	return first
}

// heading says what the runs are in a line.
func heading(runs []*recorded) string {
	text, seeds, variants := title(runs), map[uint64]bool{}, map[string]bool{}
	for _, r := range runs {
		seeds[r.Seed], variants[r.Variant] = true, true
	}
	switch one := !runs[0].Recorded() && len(seeds) == 1; {
	case one && len(runs) > 1 && len(variants) == len(runs):
		return text + fmt.Sprintf(" · %s, run once each, all with seed %d", ui.Plural(len(runs), "variant"), runs[0].Seed)
	case one:
		text += fmt.Sprintf(" · seed %d", runs[0].Seed)
	}
	return text + " · " + ui.Plural(len(runs), "run")
}

// work says why the scenario exists and how much work it is, where all runs are of one
// that was run again.
func work(runs []*recorded) (lines []string) {
	about, size := alike(runs, func(r *recorded) string { return r.said.about }), alike(runs, func(r *recorded) string { return r.said.size })
	for _, said := range [][]string{about, size} {
		if len(said) == 1 {
			lines = append(lines, said...)
		}
	}
	return lines
}

// oneSeed says that a comparison has drawn figures once.
func oneSeed(runs []*recorded) []string {
	draws, same := int64(0), true
	for _, r := range runs {
		draws, same = draws+r.said.draws, same && r.Seed == runs[0].Seed && r.Name == runs[0].Name && !r.Recorded()
	}
	if len(runs) < 2 || draws == 0 || !same {
		return nil
	}
	return []string{report.OneSeed(runs[0].Seed), "agentsim sweep " + scenarioOf(runs) + " --seeds 20"}
}

// turns says where another variant becomes the cheapest, by the sweep of a scenario of the
// library; of runs with settings of their own, which command says it.
func turns(s *ui.Env, runs []*recorded) []string {
	name := scenarioOf(runs)
	file, err := scenarios.Open(name)
	if err != nil || len(file.Sweep) == 0 || len(runs) < 2 {
		return nil
	}
	if m, specs := asInLibrary(file, runs); specs != nil {
		var names []string
		for _, x := range specs {
			names = append(names, x.Variant)
		}
		w, err := harness.NewSweep(m, names, 1)
		if err == nil {
			w.Plain = specs
			h := harness.New(s, "sweeping", len(w.Cells))
			defer h.Close()
			h.NoAudit = true
			if err = h.Sweep(w); err == nil && !h.Stop.Has() {
				return w.Decisive("agentsim sweep " + name)
			}
		}
	}
	return []string{"where another variant is the cheapest, by the scenario's own sweep, a run prints under this name:", "agentsim run " + name}
}

// asInLibrary makes the specs of runs anew, where all are of this scenario of the library
// as it is; nil where they are not.
func asInLibrary(file *scenarios.File, runs []*recorded) (*harness.Maker, []*sim.Spec) {
	m, names := &harness.Maker{File: file, Seed: &runs[0].Seed}, []string{}
	for _, r := range runs {
		names = append(names, r.Variant)
	}
	specs, err := m.Specs(names)
	if err != nil || len(specs) != len(runs) {
		return nil, nil
	}
	for i, r := range runs {
		if specs[i].RunID() != r.ID || slices.Contains(names[:i], names[i]) {
			return nil, nil
		}
	}
	return m, specs
}

// scenarioOf is the scenario of all runs as a command takes it, where it is one of the
// library; else it stands for its file.
func scenarioOf(runs []*recorded) string {
	other := func(r *recorded) bool { return r.Name != runs[0].Name || r.Recorded() }
	if slices.ContainsFunc(runs, other) || !slices.Contains(scenarios.Names(), runs[0].Name) {
		return "FILE"
	}
	return runs[0].Name
}

// name is what a run is called beside others.
func (r *recorded) name(runs []*recorded) string {
	name := r.Variant
	if r.Recorded() {
		name = ""
	}
	for _, o := range runs {
		switch {
		case o == r:
			continue
		case o.Name != r.Name:
			name = r.Name + "/" + name
		case o.Variant == r.Variant && o.Seed != r.Seed && !r.Recorded():
			name += fmt.Sprintf(" seed %d", r.Seed)
		case o.Variant == r.Variant:
			name += " " + ui.Short(r.ID)
		default:
			continue
		}
		break
	}
	if name == "" {
		name = r.Name
	}
	return name
}

// recorded is a run with what the record holds of it, and what it came to.
type recorded struct {
	sqlite.RunInfo
	db      *sqlite.DB
	agents  []sqlite.AgentInfo
	turns   []sqlite.Turn
	calls   []rundb.Request
	row     report.Row
	said    said
	spec    *sim.Spec // of a simulated one; nil where unread says why it cannot be read
	unread  error
	expects string        // what its file expects, as a sheet's text; "" where nobody said
	sheet   *expect.Sheet // nil where nobody said, or misread says why it cannot be read
	misread error
	changed string            // why it is another program's
	longer  map[string]string // what a TTL of 1h comes to, by the setting that has it
}
