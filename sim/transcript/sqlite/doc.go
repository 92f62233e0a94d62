// Package sqlite keeps runs in a SQLite file: it records them event by event
// and reads them back for inspection and replay.
//
// Rules:
//   - It is the only user of database/sql. The tables are documented in schema/,
//     which the file itself holds too (.schema in the sqlite3 shell).
//   - A run's rows are a function of its events, keyed (run, seq). Conversations
//     are stored as nodes and payloads, each once, whichever run brought it.
//   - Rows are written in batches, each one transaction. A killed process leaves
//     a file that opens, every batch whole, the run marked running.
//   - The rollback journal is used and not a WAL: no second file is part of a
//     record. Equal runs are compared by digest or canonical text, never by file.
//   - A run that has ended is sealed: its rows add up to what runs.seal says, or
//     Verify refuses it.
//   - A file that is not ours is never written to.
//   - Wall time comes from the caller, as text.
//   - A failure of recording never stops an Emit; Err and Finish tell it.
//   - Packed is how a run's rows are stored, not how much: on, row and look find them
//     for all that asks about a run, and a plain query by itself would find none.
//   - A record of samples keeps whole session trees, the same in every variant. A run's
//     level that was asked for last replaces what is there.
package sqlite
