// Command mutants breaks one behaviour after the other on purpose and looks
// whether anything notices (MET-04). It is `make mutants`, and works in builds with
// the tag mutants only.
//
//	go run -tags mutants ./cmd/internal/mutants
//
// Rules:
//   - Mutants are the names in calls of mutant.On anywhere in the tree; there is no
//     second list to keep. What stands before the stroke is the statement that has
//     to show it.
//   - A statement that is about what work comes to is shown by scenarios: proofs
//     names them for each id, with the expectations and verdicts of the lint that
//     are about it. That something else changes there proves nothing.
//   - Every other one the auditor holds: its mutants are caught on the first scenario
//     that shows them, the library's before those of sim/audit/testdata. Unbroken,
//     none of them breaks anything, and all that proves holds.
//   - It fails when a mutant is missed or never reached, and when a statement has
//     none.
package main
