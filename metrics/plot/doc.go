// Package plot draws line charts and bars, as SVG and PNG.
//
// Rules:
//   - Equal charts are equal bytes: nothing of the machine, its fonts or its
//     clock goes in. The fonts are those of the drawing library.
//   - A chart says all that it needs: title, both axes with their units, a
//     legend, and a label at each point that is marked. Lines differ in dashes
//     as well as in colour.
//   - It knows nothing of what it draws; the caller brings numbers and words.
package plot
