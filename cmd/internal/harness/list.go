package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"agentsim/sim"
	"agentsim/sim/workspace"
)

// List is runs that any machine can carry out: specs, by hash, and which of their seeds
// or shards. It is the truth of a command that has its runs done elsewhere; what it says
// decides all their results.
type List struct {
	Semantics int    `json:"semantics"`
	Build     string `json:"build"`
	Name      string `json:"name"` // of the first scenario
	Specs     []Sent `json:"specs"`
	Spans     []Span `json:"spans"` // in the order of the runs

	ends []int // of spans
}

// Sent is a spec on its way.
type Sent struct {
	Hash    string `json:"hash"` // of text and files
	Text    string `json:"text"`
	Variant string `json:"variant,omitempty"`
	Policy  string `json:"policy,omitempty"`
	Files   string `json:"files,omitempty"` // hash of a directory's; "" for those that the text makes

	files *workspace.Snapshot
}

// Span is runs of one spec: of seeds that follow one another, or of shards.
type Span struct {
	Spec  int    `json:"spec"`
	From  uint64 `json:"from"`
	Count int    `json:"count"`
	Manner
}

// Manner is what runs of a list are done with.
type Manner struct {
	Shards bool     `json:"shards,omitempty"` // of the spec's population
	Bare   bool     `json:"bare,omitempty"`   // without the auditor
	Brief  bool     `json:"brief,omitempty"`
	Watch  []string `json:"watch,omitempty"`
	Gather Gather   `json:"gather"`
	Totals bool     `json:"totals,omitempty"` // with what a database keeps of a whole run
}

func (m *Manner) equal(o *Manner) bool {
	return m.Shards == o.Shards && m.Bare == o.Bare && m.Brief == o.Brief && m.Gather == o.Gather && m.Totals == o.Totals && slices.Equal(m.Watch, o.Watch)
}

// Origin says from where another process makes a job.
type Origin struct {
	*Base
	At uint64 // a seed, or a shard's number
	Manner
}

// Base is a spec from which those of its seeds or of its shards are made.
type Base struct {
	Spec *sim.Spec
	Own  bool // its files are the scenario's own
}

// ParseList reads a list as another process wrote it.
func ParseList(text []byte) (*List, error) {
	l := &List{}
	if err := json.Unmarshal(text, l); err != nil {
		return nil, fmt.Errorf("the list of runs cannot be read: %w", err)
	}
	n := 0
	for i, s := range l.Spans {
		if s.Spec < 0 || s.Spec >= len(l.Specs) || s.Count < 1 {
			return nil, fmt.Errorf("the list of runs cannot be read: span %d is none", i)
		}
		n += s.Count
		l.ends = append(l.ends, n)
	}
	return l, nil
}

// Text is the list as it travels.
func (l *List) Text() []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	return text
}

// Len is how many runs it has.
func (l *List) Len() int {
	if len(l.ends) == 0 {
		return 0
	}
	return l.ends[len(l.ends)-1]
}

// Projects are the directories that specs are on, by hash.
func (l *List) Projects() map[string]*workspace.Snapshot {
	out := map[string]*workspace.Snapshot{}
	for i := range l.Specs {
		if s := &l.Specs[i]; s.Files != "" {
			out[s.Files] = s.files
		}
	}
	return out
}

// at is a run's span, and which seed or shard it is.
func (l *List) at(run int) (*Span, uint64) {
	n := sort.SearchInts(l.ends, run+1)
	s := &l.Spans[n]
	return s, s.From + uint64(run-(l.ends[n]-s.Count))
}

// add appends a run. Those that follow one another share a span.
func (l *List) add(o Origin, specs map[*Base]int) {
	spec, known := specs[o.Base]
	if !known {
		spec = len(l.Specs)
		specs[o.Base] = spec
		sent := Sent{Hash: o.Spec.Hash(), Text: o.Spec.Text(), Variant: o.Spec.Variant, Policy: o.Spec.Policy}
		if !o.Own {
			sent.Files, sent.files = o.Spec.Project.Hash(), o.Spec.Project
		}
		l.Specs = append(l.Specs, sent)
	}
	if n := len(l.Spans); n > 0 {
		if s := &l.Spans[n-1]; s.Spec == spec && s.From+uint64(s.Count) == o.At && s.Manner.equal(&o.Manner) {
			s.Count++
			l.ends[n-1]++
			return
		}
	}
	l.Spans = append(l.Spans, Span{Spec: spec, From: o.At, Count: 1, Manner: o.Manner})
	l.ends = append(l.ends, l.Len()+1)
}

// PackFiles is a directory as it travels.
func PackFiles(p *workspace.Snapshot) []byte {
	files := map[string]string{}
	for _, name := range p.Paths() {
		files[name], _ = p.Content(name)
	}
	text, err := json.Marshal(files) // UTF-8, as a snapshot's are
	if err != nil {
		panic(err)
	}
	return text
}

// UnpackFiles reads a directory, and holds it against its hash.
func UnpackFiles(text []byte, hash string) (*workspace.Snapshot, error) {
	var files map[string]string
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, fmt.Errorf("the files that arrived cannot be read: %w", err)
	}
	p, err := workspace.NewSnapshot(files)
	if err == nil && p.Hash() != hash {
		err = fmt.Errorf("the files that arrived have hash %s and not %s", p.Hash(), hash)
	}
	return p, err
}
