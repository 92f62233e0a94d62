// Package whatif asks of a recorded session what it would have cost otherwise:
// with another lifetime, without a cache, with its fan-outs staggered, with
// sub-agents as forks (IMP-08).
//
// Rules:
//   - A session is played twice by sim/recording/player: once as recorded, once
//     with what was asked changed, in a world that is otherwise the same. A saving is
//     the difference of these two, never that of a prediction and a bill.
//   - The first playing stands beside the recorded bill, so that a reader sees what
//     the model is worth on this session before any saving.
//   - What a recording does not hold is not guessed: the question is refused, with
//     the reason. What is assumed instead of known is listed with the answer.
//   - All figures are integers: tokens and picodollars; shares are for the reader of a
//     table to take.
package whatif
