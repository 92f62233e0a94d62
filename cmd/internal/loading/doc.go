// Package loading reads what commands are given from this machine: scenarios by
// path or name, and directories of agent definitions. It warns of what a scenario
// or an override sets and nothing reads.
package loading
