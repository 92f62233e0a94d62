// Package report prints metrics for people: aligned tables and the sentences
// beside them.
//
// Rules:
//   - Numbers are rounded here and nowhere else, in integer arithmetic, to three
//     figures; machines read the exact ones from JSON.
//   - A table is text that aligns in any fixed-width font. Colour only
//     underlines what the text says and can be left out.
//   - Nothing here knows where its output goes.
package report
