// Package transcript is what a run leaves: typed events in order, their form, which is
// binary fields, the digest over forms, and their canonical text.
//
// Rules:
//   - One file per kind of event. A kind has one versioned form and one canonical text
//     that is made of it; the tags of its fields say both.
//   - Events stream into a Sink and are reused by the emitter: a sink that keeps
//     something copies it.
//   - The digest of the forms is the run's identity; nothing that may differ between two
//     runs of equal specs is in one.
//   - Metrics are folds over events.
package transcript
