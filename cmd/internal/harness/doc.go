// Package harness runs specs: one or many, on all cores, recorded or not, until
// they are over or a signal comes.
//
// Rules:
//   - A Maker makes the spec of every scenario that a user names, so what decides a run
//     is said in one place.
//   - No other goroutines run simulations than Ordered's. What each came to is handed
//     over in the order of the jobs, so no result depends on the number of workers.
//     What plays a recorded session again (whatif, validate) runs where it is called.
//   - Nothing here prints.
package harness
