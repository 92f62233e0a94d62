// Package lint says what is wrong with how agents were led: prompts that leave
// the thinking to the worker, two writers on one file, a verifier that runs
// nothing, a user who hears nothing (CRD-09, CRD-13).
//
// Rules:
//   - It reads what was said and when, and nothing of how it came about: a
//     simulated run and a recorded session are judged by the same functions. Of a
//     simulated one it knows the work and the marks, so it need not go by words.
//   - A finding names the request it stands in: the agent, its call, the block.
//   - Where the record does not hold what a rule needs, the rule says that it was
//     not judged, and why; it never calls that clean.
//   - Rules that go by words can be wrong; testdata/lint/README.md counts how
//     often they were, on recorded sessions.
package lint
