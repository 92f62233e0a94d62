// Command mutants breaks one behaviour after the other on purpose and looks
// whether the auditor notices (MET-04). It is `make mutants`, and works in builds
// with the tag mutants only.
//
//	go run -tags mutants ./cmd/internal/mutants
//
// Rules:
//   - Mutants are the names in calls of mutant.On anywhere in the tree; there is no
//     second list to keep. What stands before the stroke is the check that has to
//     notice.
//   - A mutant is caught by the first scenario that shows it, the library's before
//     those of sim/audit/testdata; unbroken, none of them may break anything.
//   - It fails when a mutant is missed or never reached, and when a check has none.
package main
