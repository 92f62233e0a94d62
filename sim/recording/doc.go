// Package recording is what is known of a recorded session of a real agent: its
// threads, their requests and what the API billed for them.
//
// Rules:
//   - It is data only: readers of formats fill it (sim/recording/importer), and
//     what is done with it stands in the packages beside it.
//   - A figure that a recording does not hold is said to be unknown; it is never
//     guessed here.
//   - Instants are nanoseconds since 1970 in UTC, as the client's log has them.
//   - Requests are named by their index in Session.Requests, threads by theirs in
//     Session.Threads; -1 is none.
package recording
