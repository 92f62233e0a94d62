// Package bridge is remote control: a bridge registers a machine with a control plane,
// polls it for work, starts a process for each session, and carries lines, questions
// and tokens between the two.
//
// Rules:
//   - Everything runs on virtual time, the network and the control plane too; what a
//     session's process is, Runner says, and one may be a real process.
//   - A call of the control plane is repeated until it is answered or refused. Whatever
//     may arrive twice has a number or an id, and its receiver drops the second.
//   - Lines of a session reach the control plane in their order, its end after them.
//   - Tokens are decoded for their end alone; that they are genuine is the server's to
//     know. The outer one is the bridge's, the inner one the session's.
package bridge
