// Package transcript is what a run leaves: typed events in order, their
// canonical text and the digest over it.
//
// Rules:
//   - One file per kind of event. A kind has one canonical, versioned text, which the
//     tags of its fields say.
//   - Events stream into a Sink and are reused by the emitter: a sink that keeps
//     something copies it.
//   - The digest of the canonical text is the run's identity; nothing that may
//     differ between two runs stands in it.
//   - Metrics are folds over events.
package transcript
