// Package sides sets two sides of runs against each other: what belongs together
// (Match), figure by figure (Pair), with the table of it.
//
// Rules:
//   - What it finds is data; it reads no file.
//   - Single runs are compared exactly; over several seeds medians are, with the
//     interval of the difference.
//   - What did not finish is never the better one.
package sides
