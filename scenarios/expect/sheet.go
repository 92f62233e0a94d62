package expect

import (
	"encoding/json"
	"fmt"
	"slices"

	"agentsim/metrics"
)

// Sheet is all that a file expects of its variants, as a record keeps it.
type Sheet struct {
	Lines []string `json:"lines,omitempty"`
	Cells []string `json:"cells,omitempty"` // of the file's matrix
	Names Known    `json:"names,omitzero"`
	Aside string   `json:"aside,omitempty"` // why a miss is a finding and no failure; "" where it is one

	read []*Line
}

// NewSheet is what lines of a file with these names and cells come to.
func NewSheet(lines []*Line, names Known, cells []string) *Sheet {
	s := &Sheet{read: lines}
	if len(lines) > 0 {
		s.Names, s.Cells = names, cells
	}
	for _, x := range lines {
		s.Lines = append(s.Lines, x.Text)
	}
	return s
}

// Text is the sheet as ReadSheet reads it.
func (s *Sheet) Text() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("expect: " + err.Error()) // texts alone
	}
	return string(text)
}

// ReadSheet reads a sheet again. The error is of a text that is none, or of a line that
// this version cannot read.
func ReadSheet(text string) (*Sheet, error) {
	s := &Sheet{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return nil, fmt.Errorf("what the scenario expects cannot be read: %w", err)
	}
	for _, line := range s.Lines {
		x, bad := Parse(line, s.Names)
		if bad != nil {
			return nil, fmt.Errorf("the expectation %q cannot be read: %s", line, bad.Msg)
		}
		s.read = append(s.read, x)
	}
	return s, nil
}

// Judge holds the sheet against the variants that ran.
func (s *Sheet) Judge(runs map[string]*metrics.Run) []Result { return Judge(s.read, s.Cells, runs) }

// Left lists the lines of which none of the results is: their variants did not run.
func (s *Sheet) Left(results []Result) (texts []string) {
	for _, x := range s.read {
		if !slices.ContainsFunc(results, func(r Result) bool { return r.Expect == x }) {
			texts = append(texts, x.Text)
		}
	}
	return texts
}

// Watched lists the single calls that the sheet speaks of.
func (s *Sheet) Watched() []string { return Watched(s.read) }

// Watched lists the single calls that lines speak of.
func Watched(lines []*Line) (out []string) {
	for _, x := range lines {
		for _, side := range [...]Side{x.Left, x.Right} {
			if side.Subject != "" {
				out = append(out, side.Subject)
			}
		}
	}
	return out
}
