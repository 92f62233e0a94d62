// Package sim is the one place where the parts meet: it turns an effective
// scenario into a world, runs it and returns what came out.
//
// Rules:
//   - A run is a function: Run(spec) → transcript. The spec holds the effective
//     scenario, the variant's name, the seed, the scheduling policy and the
//     project's files; nothing else goes in.
//   - Only this package wires. It knows every room and no room knows it.
//   - Simulated failures are events. An error from Run is a spec that cannot be
//     built, or a bug.
package sim
