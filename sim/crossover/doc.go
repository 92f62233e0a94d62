// Package crossover holds the law by which a fork is cheaper than a fresh
// sub-agent, and simulated worlds beside it, so that one can be checked against
// the other.
//
// Rules:
//   - The law is exact: tokens and picodollars are integers, and a crossover is a
//     fraction. Rates are a model's own; none is derived from another.
//   - What is called simulated comes out of sim.Run of a generated scenario.
//     Sizes are recorded counts, so a point asked for is a point run.
//   - In the idealised world (one child, instant answers, a warm parent, the same
//     first message for both) run and law agree to the picodollar. Every other
//     world differs from it by named movers, and the sum of their amounts is the
//     whole difference.
//   - What forks that ran tell (what their first prompts add, what of their parents'
//     prompts they missed) is taken from them, and not out of a run.
//   - Only the children's bills are compared. What the lead consumes, wake-ups
//     included, is the same work in both.
package crossover
