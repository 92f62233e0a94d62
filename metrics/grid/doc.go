// Package grid says what variants come to over a grid of values and seeds: the
// cheapest at each point, where the ranking changes, where curves cross, with the
// tables of it.
//
// Rules:
//   - What it finds is data; it reads no file.
//   - What did not finish is in no figure and is never the cheapest.
package grid
