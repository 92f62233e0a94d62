// Package realism says how like recorded sessions simulated ones are: figure by figure
// (Compare), against sessions that were not seen (Generalisation), and how often a
// forecast's band held (Cover).
//
// Rules:
//   - It measures nothing: both sides are profiles of the same measurement.
//   - Every draw is a keyed one, so that the same sources give the same answer.
//   - What has a bound, and which, is the table in bounds.go.
package realism
