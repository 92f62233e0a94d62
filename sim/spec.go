package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"agentsim/scenarios"
	"agentsim/sim/kernel"
	"agentsim/sim/workspace"
)

// Spec is everything that decides a run. The seed is the scenario's.
type Spec struct {
	Scenario *scenarios.Scenario // effective: variant and overrides applied
	Variant  string              // "" for a scenario without variants
	Policy   string              // scheduling policy, as kernel.PolicyNamed reads it
	Project  *workspace.Snapshot // the files agents act on, before facts are planted
}

// NewSpec is a variant's run on the scenario's own files, first come, first served.
func NewSpec(sc *scenarios.Scenario, variant string) (*Spec, error) {
	project, err := Project(sc)
	if err != nil {
		return nil, err
	}
	return &Spec{Scenario: sc, Variant: variant, Policy: kernel.FIFO().Name(), Project: project}, nil
}

// Seed is what the run's keys and marks are made from.
func (s *Spec) Seed() uint64 { return s.Scenario.Seed }

// Text is the effective scenario as canonical YAML; with the project's files it
// is all that a replay needs.
func (s *Spec) Text() string { return string(s.Scenario.Canonical()) }

// Hash is the SHA-256 of the effective scenario and of every project file, in
// hex.
func (s *Spec) Hash() string {
	h := sha256.New()
	writePart(h.Write, s.Text())
	writePart(h.Write, s.Project.Hash())
	return hex.EncodeToString(h.Sum(nil))
}

// RunID names the run by what decides it (CON-05): a second identical run has
// the same id. 16 hex digits.
func (s *Spec) RunID() string {
	h := sha256.New()
	var n [16]byte
	binary.BigEndian.PutUint64(n[:8], Semantics)
	binary.BigEndian.PutUint64(n[8:], s.Seed())
	_, _ = h.Write(n[:])
	for _, part := range [...]string{s.Hash(), s.Policy, s.Variant} {
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
