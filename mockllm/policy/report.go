package policy

import (
	"slices"
	"strings"

	"agentsim/sim/mark"
)

// closingText says of each item closed by this answer how it went, with as many
// words as the item's report has; "" when none is closed.
func (m *Model) closingText() string {
	var said []string
	for _, c := range m.closed {
		text := m.mind().outcome(c.item, c.missing)
		if m.s.roster == nil {
			text += m.mind().proof(c.item) // a coordinator ran nothing itself: others did, and reported
		}
		said = append(said, text)
	}
	return strings.Join(said, "\n")
}

// outcome is an item's outcome and the words of its report.
func (m mind) outcome(i int, missing []string) string {
	it := &m.t.items[i]
	if len(missing) > 0 {
		why := " Missing: "
		if m.stillWrong(i) {
			why = " Its edits are still wrong, for want or because of: "
		}
		return m.t.marks.Text(mark.Failed, it.id, strings.Join(missing, ",")) + why + strings.Join(missing, ", ") + "."
	}
	done := m.t.marks.Text(mark.Done, it.id) + " "
	if m.padded(i) {
		return done + "What I found is in " + m.t.files[it.pad] + "."
	}
	return done + m.words(it)
}

// words are those of an item's report.
func (m mind) words(it *item) string {
	return m.prose(reports, it.key, it.alone, "", m.t.draw(it.key, it.output, m.t.profile.ReportTokens, "output"))
}

// report is a worker's last word: every item of its assignment, what it learned
// what its commands came to and the versions it relied on. These are said in any
// case, since without them nobody could tell that a report is out of date or what
// to correct, and what was learned gets what they leave of the budget.
func (m *Model) report(a *assignment) string {
	if a.fork {
		return m.forkReport(a)
	}
	relied := m.mind().proofs(a)
	if list := m.mind().versions(a, false); list != "" {
		relied += "\nRelied on:" + list
	}
	relied += m.mind().carried() + m.mind().criticalFiles(a)
	return m.outcomes(a) + m.mind().findings(a, relied) + relied + verdictOf(m, a)
}

// verdictAsked stands in the system prompt of agents that end with a verdict.
const verdictAsked = "\nVERDICT: PASS\n"

// verdictOf closes a report of a verification: what failed, with the command that shows it,
// or what could not be checked, or that nothing was found.
func verdictOf(m *Model, a *assignment) string {
	if !m.s.verifies {
		return ""
	}
	failed, barred, steps, runs := "", "", "", false
	for _, i := range a.items {
		for _, r := range m.t.items[i].runs {
			runs = true
			if m.s.proof.barred.has(r) {
				barred += "\nNot available here: " + m.t.runs[r].words + ", which was not allowed to run."
			} else if m.s.proof.red.has(r) {
				failed += "\n$ " + m.t.runs[r].words
				steps += "\n1. Run " + m.t.runs[r].words + "."
			}
		}
		if missing := m.missingOf(i); len(missing) > 0 && !slices.Contains(missing, barredName) {
			failed += "\n" + m.t.items[i].title + ": " + strings.Join(missing, ", ")
		}
	}
	switch {
	case runs && !m.s.shell:
		return "\n\nBash is not available here.\n\nVERDICT: PARTIAL"
	case failed != "":
		if steps == "" {
			steps = "\n1. Read what was changed."
		}
		return "\n\nOutput:" + failed + barred + "\n\nSteps:" + steps + "\n\nVERDICT: FAIL"
	case barred != "":
		return "\n" + barred + "\n\nVERDICT: PARTIAL"
	}
	return "\n\nVERDICT: PASS"
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
	text, seen := "\n\n"+criticalTitle, set{}
	for _, i := range a.items {
		it := &m.t.items[i]
		for _, f := range union(union(slices.Clone(it.reads), it.whole...), it.gists...) {
			if m.s.files.at(f).hash == "" || seen.has(f) || seen.len() == mostCritical {
				continue
			}
			seen = seen.with(f)
			text += "- " + m.t.files[f] + " - read to " + strings.ToLower(verbs[it.kind]) + " " + it.title + "\n"
		}
	}
	return strings.TrimSuffix(text, "\n")
}

// forkReport has the form that a fork's directive asks for (FRK-08).
func (m *Model) forkReport(a *assignment) string {
	scope, issues := "Scope:", ""
	for _, i := range a.items {
		scope += " " + m.t.items[i].desc
		if m.failed.has(i) && !m.done.has(i) {
			issues += " " + m.t.items[i].id
		}
	}
	files := m.mind().proofs(a) + "\nKey files:" + m.mind().versions(a, false)
	if list := m.mind().versions(a, true); list != "" {
		files += "\nFiles changed:" + list + m.mind().committed()
	}
	files += m.mind().carried()
	text := scope + "\nResult: " + m.outcomes(a) + m.mind().findings(a, files) + files
	if issues != "" {
		text += "\nIssues: not finished:" + issues + "."
	}
	return text
}

// outcomes are those of each assigned item. What was closed by an earlier answer is
// said again, since only the last one is delivered.
func (m *Model) outcomes(a *assignment) string {
	var out []string
	for _, i := range a.items {
		out = append(out, m.mind().outcome(i, m.missingOf(i)))
	}
	return strings.Join(out, "\n")
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

// versions names the files that the items relied on, or those they
// changed, with the version that the agent knows.
func (m mind) versions(a *assignment, changed bool) (text string) {
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
			text += " " + m.t.marks.Text(mark.On, m.t.files[f], k.hash)
		}
	}
	return text
}
