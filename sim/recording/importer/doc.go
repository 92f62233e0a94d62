// Package importer reads recorded sessions of real agents.
//
// Rules:
//   - What a file is, its content says, not its name. A compressed file is read
//     as what it holds.
//   - Nothing is lost in silence: what is not understood is counted, with the
//     place where it was met first. Only a file that cannot be read, or one that
//     is too large to hold, is an error; it says where and what to do.
//   - Memory is bounded by Options and by the number of requests, whatever stands
//     in a file.
//   - Text of a recording is data: an id never becomes a path.
//   - Equal files give equal sessions, in an order that depends on names only.
//   - What is inferred is inferred by one rule each: a rollout's copied head ends with
//     the first line more than 250 ms after the one before; a sub-agent of a
//     kv-cache-tester trace began its duration before its entry; a compaction goes on
//     from what its main thread had last answered; TraceLab's writes live five minutes.
package importer
