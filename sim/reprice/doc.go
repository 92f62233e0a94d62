// Package reprice computes what a recorded run would have read, written and paid
// under other settings of the prompt cache, without running it again.
//
// Rules:
//   - What was sent, and when, is as recorded: the requests' conversations, the
//     instants at which they were admitted, answered, refused or cut off, and
//     the output. Only the cache is asked again, by the code that a run asks.
//   - The cache is asked in the order of the run: at one instant the provider's
//     callbacks come before agents, and agents in the order of their events.
//   - A record is first played by its own settings. If that does not give what is
//     on record, call by call, nothing is said of any other setting.
//   - A setting is taken only if it changes neither the bytes that are sent nor
//     how many tokens they are. Every other one is refused with the reason.
//   - How many calls would have been answered at another instant is counted. Where
//     there is none and no rate limit, a run again gives the same figures.
package reprice
