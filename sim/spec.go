package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim/audit"
	"agentsim/sim/definition"
	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/mark"
	"agentsim/sim/memo"
	"agentsim/sim/tool"
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
	alike      *alike
}

// alike is what does not depend on a seed that draws no files. Runs share it: nobody may
// change it.
type alike struct {
	session *audit.Session
	gates   gate.Set
	tools   []*tool.Tool    // of the catalogue, with the scenario's times
	defined *definition.Set // nil where the stack has definitions of its own

	profiles, prices memo.Map[string, *cachemodel.Profile] // by the model's id
}

// made is the run's, of its template or its own.
func (s *Spec) made() (*alike, error) {
	if s.alike != nil {
		return s.alike, nil
	}
	sc := s.Scenario
	gates, err := gatesOf(sc)
	if err != nil {
		return nil, err
	}
	a := &alike{gates: gates, tools: tool.Catalogue()}
	setTimes(sc, a.tools)
	if sc.Stack == scenarios.MinimalStack {
		return a, nil
	}
	if a.defined, err = Definitions(sc, DefinitionSources(sc, s.Project)); err != nil {
		return nil, err
	}
	for _, d := range a.defined.Definitions {
		if _, err := Profile(&sc.Provider, d.Model); priced(d) && err != nil { // a model without prices is not used
			d.Refused = append(d.Refused, d.Place+": "+err.Error())
		}
	}
	return a, nil
}

// NewSpec is a variant's run on the scenario's own files, first come, first served. It
// shares them with those of others that are made alike.
func NewSpec(sc *scenarios.Scenario, variant string, others ...*Spec) (*Spec, error) {
	s := NewSpecOn(nil, sc, variant, kernel.FIFO().Name())
	for _, o := range others {
		if sameFiles(o.Scenario, sc) {
			s.Project, s.draws = o.Project, o.draws
			return s, nil
		}
	}
	var err error
	s.Project, err = project(sc, &s.draws)
	return s, err
}

// NewSpecOn is a variant's run on other files than the scenario's, by a scheduling
// policy.
func NewSpecOn(files *workspace.Snapshot, sc *scenarios.Scenario, variant, policy string) *Spec {
	return &Spec{Scenario: sc, Variant: variant, Policy: policy, Project: files}
}

// Priced is a model as the scenario prices it. It is shared: nobody may change it.
func (s *Spec) Priced(model string) (*cachemodel.Profile, error) {
	if s.alike == nil {
		return s.Scenario.Provider.Priced(model)
	}
	return s.alike.prices.Get(model, s.Scenario.Provider.Priced)
}

// Template makes specs that differ in their seeds alone. What is equal between them
// is made once: the scenario's text but for one line and, where nothing is drawn for
// files, these and what is alike.
type Template struct {
	spec       *Spec
	head, tail string // of the text, around the seed
	alike      *alike
}

// NewTemplate is that of a spec, which must not change any more.
func NewTemplate(spec *Spec) *Template {
	t := &Template{spec: spec}
	line := "\nseed: " + strconv.FormatUint(spec.Seed(), 10) + "\n" // what is not on top is indented
	if head, tail, ok := strings.Cut(spec.Text(), line); ok {
		t.head, t.tail = head+"\nseed: ", "\n"+tail
	}
	if spec.draws == 0 {
		if a, err := spec.made(); err == nil { // else the run says so
			a.session = auditedSession(spec)
			t.alike = a
		}
	}
	return t
}

// Spec is the one with a seed.
func (t *Template) Spec(seed uint64) (*Spec, error) {
	s, sc := *t.spec, *t.spec.Scenario
	s.Scenario, s.alike, sc.Seed = &sc, t.alike, seed
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

// At is the spec of a scenario that is the template's but for its seed and the instants
// at which its roots begin.
func (t *Template) At(sc *scenarios.Scenario) (*Spec, error) {
	s, err := t.Spec(sc.Seed)
	same := func(a, b scenarios.Root) bool { return a.At == b.At }
	if err == nil && !slices.EqualFunc(sc.Roots, s.Scenario.Roots, same) {
		s.Scenario, s.text, s.hash = sc, "", ""
	}
	return s, err
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
