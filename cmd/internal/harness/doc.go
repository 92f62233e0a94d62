// Package harness runs specs: one or many, on all cores, recorded or not, until
// they are over or a signal comes.
//
// Rules:
//   - A Maker makes every spec, so what decides a run is said in one place.
//   - Simulations run in Ordered's goroutines and in no others. What each came to is
//     handed over in the order of the jobs, so no result depends on the number of
//     workers.
//   - Nothing here prints.
package harness
