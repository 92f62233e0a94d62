// Package heads says what stands in front of each type of agent of a repository, what
// that costs, and what of it differs from a baseline.
//
// Rules:
//   - A head is a list of parts in the order of the request's prefix, each with the
//     file and line it comes from, or assumed where nobody has read it.
//   - A baseline holds sizes, hashes of lines and rules that take things away, and no text.
//   - The gate judges what the repository's files put there. What the client puts
//     there, what git says at the moment and what a token costs are told.
package heads
