package baseline

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agentsim/metrics"
	"agentsim/scenarios/document"
	"agentsim/sim/excerpt"
)

// maxPacked bounds the unpacked text of one scenario, so that a broken file
// cannot fill the memory.
const maxPacked = 256 << 20

const (
	broken   = "restore the file from version control, or write it anew with agentsim bench --update"
	conflict = "a merge left its conflict here: take one of the two files as a whole from version control, or write it anew with agentsim bench --update"
)

// Read reads a baseline. The error is the first thing wrong, where its text is no
// JSON or another kind of value a *document.Error.
func Read(name, text string) (*File, error) {
	src := source{document.NewSource(name, strings.ReplaceAll(text, "\r\n", "\n"))}
	for i, line := range src.Lines {
		for _, m := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if strings.HasPrefix(line, m) {
				return nil, src.errorAt(i+1, 0, conflict, "a conflict marker")
			}
		}
	}
	var head struct {
		Version int `json:"agentsim_baseline"`
	}
	if err := json.Unmarshal([]byte(text), &head); err != nil {
		return nil, src.atOffset(err)
	}
	if head.Version != Version {
		return nil, src.errorAt(1, 0, "write it anew with this program: agentsim bench --update",
			"this is no baseline of this program, which begins with \"agentsim_baseline\": %d", Version)
	}
	var d written
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return nil, src.atOffset(err)
	}
	f, err := d.file()
	if err != nil {
		return nil, src.unplaced(err)
	}
	return f, nil
}

// source is a baseline's text, which errors point into.
type source struct{ *document.Source }

// errorAt makes an error about byte col, from 0, of a line, from 1.
func (s source) errorAt(line, col int, hint, format string, args ...any) error {
	text := s.Lines[min(line, len(s.Lines))-1]
	return document.NewError(s.At(line, len([]rune(text[:min(col, len(text))]))+1), fmt.Sprintf(format, args...), hint)
}

// atOffset is an error where reading JSON stopped.
func (s source) atOffset(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var at int64
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
		err = fmt.Errorf("%s cannot be %s", kind.Field, kind.Value)
	default:
		return s.unplaced(err)
	}
	line := 0
	for ; line+1 < len(s.Lines) && at > int64(len(s.Lines[line])+1); line++ {
		at -= int64(len(s.Lines[line]) + 1)
	}
	return s.errorAt(line+1, int(max(at-1, 0)), broken, "this is no baseline: %s", err)
}

// unplaced is an error that says itself what it is about.
func (s source) unplaced(err error) error {
	return fmt.Errorf("%s: %s; %s", s.Name, excerpt.Printable(strings.TrimPrefix(err.Error(), "json: ")), broken)
}

// file takes what a file holds apart into its runs, and checks them.
func (d *written) file() (*File, error) {
	f := &File{Semantics: d.Semantics}
	if d.Semantics < 1 {
		return nil, errors.New("it does not say of which semantics its runs are")
	}
	seen := map[string]bool{}
	for i := range d.Scenarios {
		g := &d.Scenarios[i]
		kept, err := g.unpack()
		if err != nil {
			return nil, fmt.Errorf("what is packed of %s with seed %d cannot be read: %w", g.Scenario, g.Seed, err)
		}
		for k, r := range g.Variants {
			r.Scenario, r.Seed, r.Kept = g.Scenario, g.Seed, kept[k]
			name := fmt.Sprintf("%s with seed %d", r.Name(), r.Seed)
			if seen[name] {
				return nil, fmt.Errorf("%s stands in it twice: keep one of the two", name)
			}
			seen[name] = true
			if err := r.check(); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			f.Runs = append(f.Runs, r)
		}
	}
	return f, nil
}

// check says what is wrong with a run, and gives its figures their units.
func (r *Run) check() error {
	for name, v := range r.Figures { // order: one error is as good as another
		m, ok := Find(name)
		switch {
		case !ok:
			return fmt.Errorf("no metric %q", name)
		case (v.Unit == metrics.Ratio) != (m.Unit == metrics.Ratio):
			return fmt.Errorf("%s is measured in %s, and %s is no such value", name, m.Unit, v)
		}
		v.Unit = m.Unit
		r.Figures[name] = v
	}
	if r.Digest == "" || r.Lines != nil && len(r.Lines) != r.Events {
		return errors.New("its events are not those that it counts")
	}
	return errors.Join(r.Outline.Check(), r.Requests.Check())
}

// unpack gives what is kept of each of the runs.
func (g *group) unpack() ([]Kept, error) {
	kept := make([]Kept, len(g.Variants))
	if g.Packed == nil {
		return kept, nil
	}
	text := io.LimitReader(flate.NewReader(bytes.NewReader(g.Packed)), maxPacked)
	if err := json.NewDecoder(text).Decode(&kept); err != nil {
		return nil, err
	}
	if len(kept) != len(g.Variants) {
		return nil, fmt.Errorf("it is of %d variants, and there are %d", len(kept), len(g.Variants))
	}
	return kept, nil
}
