// Package mutant is the switches by which a behaviour is broken on purpose, so
// that it can be seen whether an invariant notices (MET-04).
//
// Rules:
//   - Without the build tag mutants On is the constant false: a program built for
//     use holds neither a switch nor the name of one.
//   - One switch stands at the one place of a behaviour. Its name is the id of the
//     statement that it breaks, a stroke, and what it does.
package mutant
