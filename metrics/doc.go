// Package metrics folds a transcript into exact figures: tokens, money, time,
// misses and outcomes per call, agent, agent type and run.
//
// Rules:
//   - A Fold sees events and nothing else, so a live run, a replay and a record
//     give the same figures.
//   - State is integers. A ratio stays a pair of integers until it is printed.
//   - Memory grows with agents, not with calls: a call's figures are handed to
//     Options.OnCall and forgotten.
//   - Usage is counted once, at the agent that made the call. A parent's figure
//     is rolled up from its descendants when the run is asked for, never added
//     to the total again.
package metrics
