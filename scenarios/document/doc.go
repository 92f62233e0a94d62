// Package document reads and writes YAML documents strictly: every value has its
// place, every mistake is told with the line it is on and what to write, and one
// meaning has one text. It knows no kind of document; a Language says what the
// keys are, and values with a form of their own read and write themselves.
//
// Rules:
//   - Parse refuses what a document never needs (anchors, tags, merges) and what
//     would cost much, before the parser sees it.
//   - A tree is never changed: Overlay and SetPath make new ones that share nodes.
//   - What Encode writes, a Decoder reads back to an equal value.
package document
