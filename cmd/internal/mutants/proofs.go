package main

import "agentsim/sim/audit"

// proof says by which scenarios a statement is held that the auditor cannot see,
// or not all of: it is about what work comes to, and no run breaks it by itself. A
// mutant of the statement is caught when one of them shows another result; what
// it changes elsewhere proves nothing.
type proof struct {
	id    string
	what  string // in one line
	shown []showing
}

// showing is a scenario that shows whether a statement holds: by those of its
// expectations that are about it, and by what the lint says of its runs.
type showing struct {
	scenario string   // of the library, or a file below the module's directory
	variants []string // nil for all
	about    []string // an expectation counts that has one of these in its text
	lint     []verdict
}

// verdict is what the lint says of a variant's run: whether it finds anything by
// the rule.
type verdict struct {
	variant, rule string // "" for a scenario without variants; any for whatever rule
	finds         bool
}

// anyRule stands for every rule of the lint.
const anyRule = "any"

// Scenarios that are there for mutants alone.
const (
	regions = "cmd/internal/mutants/testdata/regions.yaml"
	pad     = "cmd/internal/mutants/testdata/pad.yaml"
)

// proofs are in the order in which they are told.
var proofs = []proof{
	{"CRD-07", "the phases of a coordinator's work are recognised, and how they overlap", []showing{{scenario: "coordinator", about: []string{"phase."}}}},
	{"CRD-08", "with a scratchpad workers keep there what they find, unasked, and less is told again", []showing{
		{scenario: pad, about: []string{"denials"}},
		{scenario: "scratchpad", about: []string{"written-down"}}}},
	{"CRD-09", "the lint finds nothing where a coordinator leads well, and what is wrong where it does not", []showing{
		{scenario: "coordinator", lint: []verdict{{"", anyRule, false}}},
		{scenario: "lazy-delegation", variants: []string{"full", "lazy"}, lint: []verdict{
			{"full", anyRule, false}, {"lazy", "lazy-delegation", true}}}}},
	{"CRD-10", "the table says who gets work that follows other work", []showing{
		{scenario: "continue-or-spawn", about: []string{"agents", "cost", "time", "tokens", "reads", "items."}},
		{scenario: "coordinator", about: []string{"agents"}}}},
	{"CRD-12", "what failed is corrected by who did it, then done in another way, then told to the user", []showing{
		{scenario: "recovery", about: []string{"agents", "items.", "reads", "cost"}},
		{scenario: "coordinator", about: []string{"agents", "items."}}}},
	{"CRD-13", "no two write one file at once, nor verify what is being written, and the lint sees it where they do", []showing{
		{scenario: regions, lint: []verdict{{"heeding", anyRule, false}, {"heedless", "two-writers", true}, {"heedless", "verification-overlap", true}}},
		{scenario: "two-writers", about: []string{"items.", "reads.stale", "phase.overlap"}}}},
	{"LLM-04", "what prompts leave out is read again or fails, and what was told is not", []showing{
		{scenario: "lazy-delegation", about: []string{"items.", "calls", "cost"}}}},
	{"LLM-05", "the same work is done whole under every structure, by those whom the structure names", []showing{
		{scenario: "all-ways", variants: []string{"small-inline", "small-subagent", "small-fork", "small-coordinator", "middle-inline", "middle-subagent", "middle-fork", "middle-coordinator"}, about: []string{"items."}},
		{scenario: "fork-vs-subagent", about: []string{"items.", "agents"}}}},
	{"TSK-06", "", []showing{{scenario: "injection", about: []string{"obeyed", "handoffs"}}}},
}

// statement is one that mutants are for.
type statement struct {
	id, what string
	audited  bool // the auditor holds it
}

// statements are the auditor's checks, and then those that only scenarios hold.
func statements() (out []statement) {
	for _, c := range audit.Checks() {
		out = append(out, statement{c.ID, c.What, true})
	}
	for _, p := range proofs {
		if !audited(p.id) {
			out = append(out, statement{id: p.id, what: p.what})
		}
	}
	return out
}

// audited reports whether the auditor holds a statement.
func audited(id string) bool {
	for _, c := range audit.Checks() {
		if c.ID == id {
			return true
		}
	}
	return false
}
