// Package stat describes figures over seeds: medians, quantiles, and how sure a
// difference between two medians is.
//
// Rules:
//   - A quantile is a value that was observed; a median of an even number of
//     values is the mean of the two in the middle. Both stay exact integers, the
//     median by being kept twice as large.
//   - Resampling draws from named streams (sim/rng): equal samples give equal
//     intervals, on every machine and in every order of work.
//   - Samples hold no NaN, since they are integers. An empty sample is a
//     programmer's error and panics.
package stat
