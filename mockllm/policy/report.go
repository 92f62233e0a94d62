package policy

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// closingText says of each item closed by this answer how it went, with as many
// words as the item's report has; "" when none is closed.
func (m *Model) closingText() string {
	if len(m.closed) == 0 {
		return ""
	}
	b := m.buf[:0]
	for n, c := range m.closed {
		if n > 0 {
			b = append(b, '\n')
		}
		if b = m.mind().appendOutcome(b, c.item, c.missing); m.s.roster == nil {
			b = m.mind().appendProof(b, c.item) // a coordinator ran nothing itself: others did, and reported
		}
	}
	m.buf = b
	return string(b)
}

// appendOutcome writes an item's outcome and the words of its report.
func (m mind) appendOutcome(b []byte, i int, missing []string) []byte {
	it := &m.t.items[i]
	if len(missing) > 0 {
		names := strings.Join(missing, ",")
		b = append(b, m.t.marks.Text(mark.Failed, it.id, names)...)
		why := " Missing: "
		if m.stillWrong(i) {
			why = " Its edits are still wrong, for want or because of: "
		}
		return append(append(append(b, why...), strings.Join(missing, ", ")...), '.')
	}
	b = append(append(b, m.t.marks.Text(mark.Done, it.id)...), ' ')
	if m.padded(i) {
		return append(append(append(b, "What I found is in "...), m.t.files[it.pad]...), '.')
	}
	n := m.t.draw(it.key, it.output, m.t.profile.ReportTokens, "output")
	return append(b, m.t.filler.String(llm.Prose, n)...)
}

// report is a worker's last word: every item of its assignment, what it learned
// what its commands came to and the versions it relied on. These are said in any
// case, since without them nobody could tell that a report is out of date or what
// to correct, and what was learned gets what they leave of the budget.
func (m *Model) report(a *assignment) string {
	if a.fork {
		return m.forkReport(a)
	}
	relied := string(m.mind().appendProofs(nil, a))
	if list := m.mind().appendVersions(nil, a, false); len(list) > 0 {
		relied += "\nRelied on:" + string(list)
	}
	relied += m.mind().carried() + m.mind().criticalFiles(a)
	b := m.mind().findings(m.appendOutcomes(nil, a), a, relied)
	return string(append(b, relied...))
}

// criticalTitle is over the last section of a Plan agent's report.
const criticalTitle = "### Critical Files for Implementation\n"

// mostCritical is how many files that section names at most.
const mostCritical = 5

// criticalFiles closes a report of a Plan agent with the files that matter most:
// of those that it read the first that its items read, each with what for.
func (m mind) criticalFiles(a *assignment) string {
	if !m.s.plans {
		return ""
	}
	b, seen := []byte("\n\n"+criticalTitle), set{}
	for _, i := range a.items {
		it := &m.t.items[i]
		for _, f := range union(union(slices.Clone(it.reads), it.whole...), it.gists...) {
			if m.s.files.at(f).hash == "" || seen.has(f) || seen.len() == mostCritical {
				continue
			}
			seen = seen.with(f)
			b = append(append(append(append(b, "- "...), m.t.files[f]...), " - read to "...), strings.ToLower(verbs[it.kind])...)
			b = append(append(append(b, ' '), it.title...), '\n')
		}
	}
	return strings.TrimSuffix(string(b), "\n")
}

// forkReport has the form that a fork's directive asks for (FRK-08).
func (m *Model) forkReport(a *assignment) string {
	b := []byte("Scope:")
	for _, i := range a.items {
		b = append(append(b, ' '), m.t.items[i].desc...)
	}
	b = m.appendOutcomes(append(b, "\nResult: "...), a)
	files := string(m.mind().appendProofs(nil, a)) + "\nKey files:" + string(m.mind().appendVersions(nil, a, false))
	if list := m.mind().appendVersions(nil, a, true); len(list) > 0 {
		files += "\nFiles changed:" + string(m.mind().appendCommit(list))
	}
	files += m.mind().carried()
	b = append(m.mind().findings(b, a, files), files...)
	issues := []byte(nil)
	for _, i := range a.items {
		if m.failed.has(i) && !m.done.has(i) {
			issues = append(append(issues, ' '), m.t.items[i].id...)
		}
	}
	if len(issues) > 0 {
		b = append(append(append(b, "\nIssues: not finished:"...), issues...), '.')
	}
	return string(b)
}

// appendOutcomes writes the outcome of each assigned item. What was closed by an
// earlier answer is said again, since only the last one is delivered.
func (m *Model) appendOutcomes(b []byte, a *assignment) []byte {
	for n, i := range a.items {
		if n > 0 {
			b = append(b, '\n')
		}
		b = m.mind().appendOutcome(b, i, m.missingOf(i))
	}
	return b
}

func (m *Model) missingOf(i int) []string {
	for _, c := range m.closed {
		if c.item == i {
			return c.missing
		}
	}
	if m.failed.has(i) && !m.done.has(i) {
		if names := m.mind().disproved(i); len(names) > 0 {
			return names
		}
		return []string{"report"}
	}
	return nil
}

// appendVersions names the files that the items relied on, or those they
// changed, with the version that the agent knows.
func (m mind) appendVersions(b []byte, a *assignment, changed bool) []byte {
	var files []int
	for _, i := range a.items {
		it := &m.t.items[i]
		for _, e := range it.edits {
			if m.s.edited.has(e) {
				files = union(files, m.t.edits[e].file)
			}
		}
		if !changed {
			files = union(union(files, it.whole...), it.gists...)
		}
	}
	for _, f := range files {
		if k := m.s.files.at(f); k.hash != "" {
			b = append(append(b, ' '), m.t.marks.Text(mark.On, m.t.files[f], k.hash)...)
		}
	}
	return b
}
