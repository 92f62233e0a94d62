// Package compare says what runs come to beside one another: variants over a grid
// of values and seeds (Grid), and two sides figure by figure (Comparison).
//
// Rules:
//   - What it finds is data, and tables of it for documents; it reads no file.
//   - Single runs are compared exactly; over several seeds medians are, with the
//     interval of the difference.
//   - What did not finish is in no figure and is never the better one.
package compare
