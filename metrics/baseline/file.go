package baseline

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript"
)

// Version is that of the file's format. Version 1 had neither specs, prices nor
// blocks, and is read.
const Version = 2

// Run is what one run came to.
type Run struct {
	Scenario, Variant string // Variant is "" for a scenario without variants
	Seed              uint64
	ID                string // the run's
	Digest            string // of its canonical events
	Outcome           transcript.RunOutcome
	Events            int
	Figures           []Figure
	Siblings          []metrics.Shared      // what children of one message share
	Parted            []metrics.Shared      // requests that part from the one before them
	Lines             []string              // Cut lines of all events; nil for seeds other than the first
	Outline           *sharedprefix.Outline // what stood in its requests; nil likewise
	Spec              string                // a hash of scenario and project; "" where the file does not say
	Prices            []Price               // of the models that it used
	Requests          *sharedprefix.Record  // what the prefix guard compares; nil where it was not asked for
}

// Price is what a model cost in a run.
type Price struct {
	Model, Day string
	Rates      []string // such as read=$0.10, dollars a million tokens
}

// Name is the run's scenario and variant, as selectors of thresholds see it.
func (r *Run) Name() string {
	if r.Variant == "" {
		return r.Scenario
	}
	return r.Scenario + "/" + r.Variant
}

// File is a baseline.
type File struct {
	Semantics int // of the runs: sim.Semantics when they were made
	Runs      []*Run
}

// Write writes the file's text. The error is w's, or says that a record has no
// form as JSON.
func (f *File) Write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "agentsim baseline %d\nsemantics %d\n", Version, f.Semantics)
	for i, r := range f.Runs {
		if i == 0 || r.Scenario != f.Runs[i-1].Scenario || r.Seed != f.Runs[i-1].Seed {
			fmt.Fprintf(&b, "\nscenario %s seed %d\n", oneWord.Replace(r.Scenario), r.Seed)
		}
		if err := r.write(&b); err != nil {
			return err
		}
		if i+1 == len(f.Runs) || r.Scenario != f.Runs[i+1].Scenario || r.Seed != f.Runs[i+1].Seed {
			writeTrace(&b, f.block(i))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Names stand in the file as one word each.
var (
	oneWord = strings.NewReplacer("%", "%25", " ", "%20", "\t", "%09", "\n", "%0A")
	plain   = strings.NewReplacer("%25", "%", "%20", " ", "%09", "\t", "%0A", "\n")
)

// block is the runs up to i that share its scenario and seed.
func (f *File) block(i int) []*Run {
	from := i
	for from > 0 && f.Runs[from-1].Scenario == f.Runs[i].Scenario && f.Runs[from-1].Seed == f.Runs[i].Seed {
		from--
	}
	return f.Runs[from : i+1]
}

func (r *Run) write(b *bytes.Buffer) error {
	name := oneWord.Replace(r.Variant)
	if name == "" {
		name = "-"
	}
	fmt.Fprintf(b, "variant %s\n  run %s digest %s events %d outcome %s\n", name, r.ID, r.Digest, r.Events, r.Outcome)
	if r.Spec != "" {
		fmt.Fprintf(b, "  spec %s\n", r.Spec)
	}
	for _, p := range r.Prices {
		fmt.Fprintf(b, "  prices %s %s %s\n", p.Model, p.Day, strings.Join(p.Rates, " "))
	}
	for _, f := range r.Figures {
		v := fmt.Sprint(f.Value.Num)
		if f.Value.Unit == metrics.Ratio {
			v = fmt.Sprintf("%d/%d", f.Value.Num, f.Value.Den)
		}
		fmt.Fprintf(b, "  %s %s %s\n", f.Name, v, f.Value.Unit)
	}
	for _, s := range r.Siblings {
		fmt.Fprintf(b, "  siblings of %s children %d block %d byte %d bytes %d\n", oneWord.Replace(s.Who), s.Siblings, s.Block, s.Byte, s.Of)
	}
	for _, s := range r.Parted {
		fmt.Fprintf(b, "  parted at %s block %d byte %d bytes %d\n", oneWord.Replace(s.Who), s.Block, s.Byte, s.Of)
	}
	if r.Requests == nil {
		return nil
	}
	text, err := json.Marshal(r.Requests)
	writePacked(b, "fronts", string(text))
	return err
}

// traceWidth is how many characters of a packed text stand in a line.
const traceWidth = 120

// writeTrace packs the lines of runs that have much in common.
func writeTrace(b *bytes.Buffer, runs []*Run) {
	var text, blocks strings.Builder
	for _, r := range runs {
		for _, line := range r.Lines {
			text.WriteString(line + "\n")
		}
		if r.Outline == nil {
			continue
		}
		for _, line := range append(r.Outline.Lines(), endOfRun) {
			blocks.WriteString(line + "\n")
		}
	}
	if text.Len() > 0 {
		writePacked(b, "events", text.String())
	}
	if blocks.Len() > 0 {
		writePacked(b, "blocks", blocks.String())
	}
}

// endOfRun stands behind each run's blocks.
const endOfRun = "-"

// writePacked writes a text that people do not read below a line that says what
// it is and how long.
func writePacked(b *bytes.Buffer, what, text string) {
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		panic("baseline: " + err.Error())
	}
	_, _ = io.WriteString(z, text) // a buffer takes everything
	_ = z.Close()
	fmt.Fprintf(b, "%s %d\n", what, len(text))
	for s := base64.StdEncoding.EncodeToString(packed.Bytes()); s != ""; {
		n := min(traceWidth, len(s))
		fmt.Fprintf(b, "| %s\n", s[:n])
		s = s[n:]
	}
}
