package baseline

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"regexp"
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/sharedprefix"
	"agentsim/sim/transcript"
)

// Version is that of the file's form.
const Version = 3

// Run is what one run came to.
type Run struct {
	Scenario string                   `json:"-"`
	Seed     uint64                   `json:"-"`
	Variant  string                   `json:"variant"` // "" for a scenario without variants
	ID       string                   `json:"run"`
	Digest   string                   `json:"digest"` // of its canonical events
	Outcome  transcript.RunOutcome    `json:"outcome"`
	Events   int                      `json:"events"`
	Spec     string                   `json:"spec,omitempty"` // a hash of scenario and project, without prices
	Prices   []Price                  `json:"prices,omitempty"`
	Figures  map[string]metrics.Value `json:"figures"`
	Kept     `json:"-"`
}

// Kept is what tells where a run first differs. It is packed in the file.
type Kept struct {
	Lines    []string              `json:"lines,omitempty"`    // Cut lines of all events; nil for seeds other than the first
	Outline  *sharedprefix.Outline `json:"outline,omitempty"`  // what stood in its requests; nil likewise
	Requests *sharedprefix.Record  `json:"requests,omitempty"` // what the prefix guard compares; nil where it was not asked for
	Project  *Project              `json:"project,omitempty"`  // the directory that it ran on; nil for none and for other seeds than the first
}

// Project tells which file of a directory differs, and whether the scenario does.
type Project struct {
	Scenario string            `json:"scenario"` // a hash of it without the directory
	Files    map[string]string `json:"files"`    // hashes by name; what is no file of it, such as git's status, has a name too
}

// Price is what a model cost in a run.
type Price struct {
	Model string   `json:"model"`
	Day   string   `json:"day"`
	Rates []string `json:"rates"` // such as read=$0.10, dollars a million tokens
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

// written is a baseline as it stands in its file.
type written struct {
	Version   int     `json:"agentsim_baseline"`
	Semantics int     `json:"semantics"`
	Scenarios []group `json:"scenarios"`
}

// group is the variants of a scenario that ran with one seed.
type group struct {
	Scenario string `json:"scenario"`
	Seed     uint64 `json:"seed"`
	Variants []*Run `json:"variants"`
	Packed   []byte `json:"packed,omitempty"` // what is kept of each, as JSON, deflated
}

// Write writes the file's text.
func (f *File) Write(w io.Writer) error {
	d := written{Version, f.Semantics, []group{}}
	for _, r := range f.Runs {
		last := len(d.Scenarios) - 1
		if last < 0 || d.Scenarios[last].Scenario != r.Scenario || d.Scenarios[last].Seed != r.Seed {
			last++
			d.Scenarios = append(d.Scenarios, group{Scenario: r.Scenario, Seed: r.Seed})
		}
		d.Scenarios[last].Variants = append(d.Scenarios[last].Variants, r)
	}
	for i := range d.Scenarios {
		if err := d.Scenarios[i].pack(); err != nil {
			return err
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(d)
}

// pack packs what is kept of the runs, which have much in common.
func (g *group) pack() error {
	var kept []Kept
	some := false
	for _, r := range g.Variants {
		kept = append(kept, r.Kept)
		some = some || r.Lines != nil || r.Outline != nil || r.Requests != nil
	}
	if !some {
		return nil
	}
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err == nil {
		err = json.NewEncoder(z).Encode(kept)
	}
	if err == nil {
		err = z.Close()
	}
	g.Packed = packed.Bytes()
	return err
}

// Digits is how many digits of a hash a baseline keeps.
const Digits = 8

// Trace is a transcript.Sink that keeps a run's canonical lines with hashes cut
// to Digits, and without what every change of a scenario changes: the hash of
// the spec and the version of the semantics in the first event. Of requests it
// keeps what stood in them.
type Trace struct {
	Lines   []string
	Outline sharedprefix.Outline
	buf     []byte
}

// Emit keeps the event's line.
func (t *Trace) Emit(e *transcript.Event) {
	t.Outline.Emit(e)
	t.buf = transcript.AppendLine(t.buf[:0], e)
	line := Cut(string(t.buf))
	if b, ok := e.Body.(*transcript.RunStart); ok {
		same := *b
		same.Spec, same.Semantics = "", 0
		at := *e
		at.Body = &same
		line = Cut(string(transcript.AppendLine(nil, &at)))
	}
	t.Lines = append(t.Lines, line)
}

// Cut shortens each word of 16 hex digits or more. A
// number without letters is none.
func Cut(line string) string {
	return hash.ReplaceAllStringFunc(line, func(found string) string {
		if !strings.ContainsAny(found, "abcdef") {
			return found
		}
		return found[:strings.IndexAny(found, "0123456789abcdef")+Digits]
	})
}

// hash is one, with the character before it.
var hash = regexp.MustCompile(`(?:^|[^0-9A-Za-z])[0-9a-f]{16,}`)
