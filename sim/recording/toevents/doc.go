// Package toevents tells a recorded session as a run: the events that a simulated
// run would have left, so that every report reads both (REC-06).
//
// Rules:
//   - It is a function of the session and of what was said about its requests;
//     ids are made of recorded ones.
//   - A thread is an agent, its place in the session the agent's ordinal. Request i
//     of the session is request i+1 of the run.
//   - Virtual time is the recorded instant less that of the first request. An
//     answer that is recorded to end after the thread's next request was sent is
//     told just before that one; its own instants stay as recorded.
//   - A thread ends when it and all that it spawned have been heard of last: a
//     recording does not say when its client stopped.
//   - A recording without content has its blocks made from what was billed
//     (IMP-04), one with block ids has those, one with content has its messages
//     behind one block each for the tools and for the system prompt.
//   - A run's id hashes what was recorded and how it was judged, not where its files
//     are: an import of a copy is one more execution of one run, and a session that
//     has grown is another run.
//   - A recorded miss costs what was paid again; a prompt whose size alone is known has
//     no price.
package toevents
