// Package cluster has runs carried out on other machines, over a NATS server with
// JetStream: one command asks for the runs of a list, workers take them from a queue.
//
// Rules:
//   - A list, the files it rests on, tasks and results lie in JetStream, and nowhere else:
//     each process may end at any instant and another one goes on.
//   - A task is a range of a list's runs. A worker works on it for a while, stores what
//     it has as a part, puts the rest back in pieces, and only then acknowledges.
//   - A part is stored under the number of its first run, once: who stores a second one
//     is told, and takes the first. So parts follow one another without a gap, whoever
//     worked on them and however often, and are taken in that order.
//   - Only workers of the same semantics and the same build take a list's tasks.
//   - Everything is retried while the server is away. Nothing listens.
package cluster
