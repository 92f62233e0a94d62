// Command mutants breaks one behaviour after the other on purpose and looks
// whether anything notices (MET-04). It is `make mutants`.
//
//	go run ./cmd/internal/mutants             # all of them
//	go run ./cmd/internal/mutants -only ISO-  # those that begin so
//	go run ./cmd/internal/mutants -o broken   # agentsim that breaks AGENTSIM_MUTANT=NAME
//
// Nothing of it stands in the source. The folder table holds the mutants, planted
// the bugs that somebody planted who had not read the auditor:
//
//	STATEMENT/NAME: what is wrong then
//	import "strings"
//	at sim/agent/notify.go Agent.report
//	-the text as it is, one - a line, however it is indented
//	+the text in its place
//
// An entry may change several functions, and one line of import is only needed for
// what a file does not import. The command weaves all entries into copies of the
// files: each function gets a broken twin that it calls in its own place when its
// entry is switched on. One build with these copies as its overlay holds them all.
//
// Rules:
//   - An old text is in its function exactly once, else the entry is told with file
//     and line. A test weaves all of them without building.
//   - What stands before the stroke of a mutant is the statement that has to show it.
//     A planted bug is seen when any check or law of the auditor breaks, in the
//     library's scenarios, the auditor's own or those beside the planted bugs.
//   - A statement that is about what work comes to is shown by scenarios: proofs
//     names them for each id, with the expectations and verdicts of the lint that
//     are about it. That something else changes there proves nothing.
//   - Every other one the auditor holds: its mutants are caught on a scenario that shows
//     them. Where one was caught last is looked first, then in those after it.
//     Unbroken, none of the auditor's own breaks anything, and all that proves holds;
//     the library's are audited by the tests of sim.
//   - It fails when a mutant is missed or never reached, when a statement has none,
//     and when the auditor sees fewer planted bugs than it did (floor).
//   - What became of them is kept in sim/audit/testdata/mutants.json and planted.json.
package main
