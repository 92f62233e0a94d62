// Package rundb is what commands share of the database of runs: where it is,
// opening it, finding a run by the beginning of its id, making its spec again, and
// saying what its level of record leaves out.
package rundb
