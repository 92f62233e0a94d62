// Package stat describes figures over seeds: medians, quantiles, and how sure a
// difference between two medians is.
//
// Rules:
//   - A quantile is a value that was observed, and so exact; of an even number of
//     values the median is the lower of the two in the middle.
//   - Resampling draws from named streams (sim/rng): equal samples give equal
//     intervals, on every machine and in every order of work.
//   - Samples hold no NaN, since they are integers. An empty sample is a
//     programmer's error and panics.
package stat
