// Package forks says whether forks or fresh sub-agents are cheaper, as run, crossover
// and whatif all say it: a map with the reader's own point on it, where the ranking
// turns, and what each input rests on.
//
// Rules:
//   - All that decides is read by crossover.Inputs, whoever asks.
//   - Only what children are billed is compared; what is left out is said.
//   - An input that nobody has measured is called assumed, whatever stands beside it.
package forks
