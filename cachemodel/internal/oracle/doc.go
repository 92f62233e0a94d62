// Package oracle is the caches once more, slow and obvious: what the real engines
// are tested against.
//
// Rules:
//   - It is all tests: no program has it in it.
//   - Everything is found by looking at everything. An entry of Anthropic's cache is
//     the list of all hashes of its prefix, a lifetime and the list of its uses.
//   - Nothing is shared with the engines but the types of a request.
package oracle
