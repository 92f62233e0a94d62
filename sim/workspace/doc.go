// Package workspace is the project that agents act in: an immutable snapshot of
// files and one run's mutable tree over it.
//
// Rules:
//   - A Snapshot never changes after NewSnapshot, so variants on several cores
//     may share one. An FS belongs to one run.
//   - A file is text. Its version is named by its content, so writing back the
//     same text gives the same version.
//   - Paths are relative to the project's root, slash-separated and clean. Every
//     list is sorted.
//   - Nothing here touches the machine: cmd reads directories into snapshots.
package workspace
