// Package audit checks, while a run goes on, that nothing leaks from one agent
// into another and that no agent loses what is its own (MET-03).
//
// Rules:
//   - It sees the transcript, the bytes of prompts, which are the chains of nodes in
//     requests, and what the run was told beforehand (Options); no live state. What
//     it expects it works out anew, by tables and rules of its own.
//   - It looks at each block once, when a request first holds it. What it keeps
//     belongs to agents that live, tasks that are open and cache entries that can
//     still be read.
//   - A check bears the id of its statement and is counted each time it is made. A
//     check that no mutant trips has no place here (MET-04).
//   - It changes nothing: with it and without it a run is the same.
package audit
