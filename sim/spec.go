package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/audit"
	"agentsim/sim/kernel"
	"agentsim/sim/mark"
	"agentsim/sim/workspace"
)

// Spec is everything that decides a run. The seed is the scenario's.
type Spec struct {
	Scenario *scenarios.Scenario // effective: variant and overrides applied
	Variant  string              // "" for a scenario without variants
	Policy   string              // scheduling policy, as kernel.PolicyNamed reads it
	Project  *workspace.Snapshot // the files agents act on, before facts are planted

	draws int64 // made for the files

	// Of a Template's spec; else they are made when they are asked for.
	text, hash string
	session    *audit.Session
}

// NewSpec is a variant's run on the scenario's own files, first come, first served.
func NewSpec(sc *scenarios.Scenario, variant string) (*Spec, error) {
	s := &Spec{Scenario: sc, Variant: variant, Policy: kernel.FIFO().Name()}
	var err error
	s.Project, err = project(sc, &s.draws)
	return s, err
}

// Template makes specs that differ in their seeds alone. What is equal between them
// is made once: the scenario's text but for one line and, where nothing is drawn for
// files, these and what an auditor knows of the session.
type Template struct {
	spec       *Spec
	head, tail string // of the text, around the seed
	session    *audit.Session
}

// NewTemplate is that of a spec, which must not change any more.
func NewTemplate(spec *Spec) *Template {
	t := &Template{spec: spec}
	line := "\nseed: " + strconv.FormatUint(spec.Seed(), 10) + "\n" // what is not on top is indented
	if head, tail, ok := strings.Cut(spec.Text(), line); ok {
		t.head, t.tail = head+"\nseed: ", "\n"+tail
	}
	if spec.draws == 0 {
		t.session = auditedSession(spec)
	}
	return t
}

// Spec is the one with a seed.
func (t *Template) Spec(seed uint64) (*Spec, error) {
	s, sc := *t.spec, *t.spec.Scenario
	s.Scenario, s.session, sc.Seed = &sc, t.session, seed
	if t.spec.draws > 0 {
		var err error
		s.draws = 0
		if s.Project, err = project(&sc, &s.draws); err != nil {
			return nil, err
		}
	}
	if t.head != "" {
		s.text = t.head + strconv.FormatUint(seed, 10) + t.tail
		s.hash = s.Hash()
	}
	return &s, nil
}

// Seed is what the run's keys and marks are made from.
func (s *Spec) Seed() uint64 { return s.Scenario.Seed }

// Text is the effective scenario as canonical YAML; with the project's files it
// is all that a replay needs.
func (s *Spec) Text() string {
	if s.text != "" {
		return s.text
	}
	return string(s.Scenario.Canonical())
}

// Hash is the SHA-256 of the effective scenario and of every project file, in
// hex.
func (s *Spec) Hash() string {
	if s.hash != "" {
		return s.hash
	}
	h := sha256.New()
	writePart(h.Write, s.Text())
	writePart(h.Write, s.Project.Hash())
	return hex.EncodeToString(h.Sum(nil))
}

// RunID names the run by what decides it (CON-05): a second identical run has
// the same id. 16 hex digits.
func (s *Spec) RunID() string { return s.runID(s.Hash()) }

func (s *Spec) runID(hash string) string {
	h := sha256.New()
	var n [16]byte
	binary.BigEndian.PutUint64(n[:8], Semantics)
	binary.BigEndian.PutUint64(n[8:], s.Seed())
	_, _ = h.Write(n[:])
	for _, part := range [...]string{hash, s.Policy, s.Variant} {
		writePart(h.Write, part)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// writePart hashes a part with its length in front, so that no two lists of
// parts are one text.
func writePart(write func([]byte) (int, error), part string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(part)))
	_, _ = write(n[:]) // a hash never fails
	_, _ = write([]byte(part))
}

// Assigned says which kinds of work a text assigns by the marks of the spec's own
// items, in order: what metrics.Options.Assigned asks. It is nil where the
// scenario has no work.
func (s *Spec) Assigned() func(text string) []string {
	if len(s.Scenario.Work) == 0 {
		return nil
	}
	kinds := map[string]string{}
	for i := range s.Scenario.Work {
		kinds[s.Scenario.Work[i].ID] = s.Scenario.Work[i].Kind
	}
	marks := mark.NewKey(s.Seed())
	return func(text string) (out []string) {
		marks.Scan(text, func(m mark.Mark) {
			if kind := kinds[m.Args[0]]; m.Verb == mark.Do && kind != "" {
				out = append(out, kind)
			}
		})
		return out
	}
}
