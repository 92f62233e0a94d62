// Package llm is the vocabulary of the Messages API as data: blocks, messages,
// settings, usage, and the canonical bytes and hash chain of a request.
//
// Rules:
//   - A request is a list of blocks in the cache's order: tools, system,
//     messages. A block's bytes are the separators that precede it plus its
//     canonical JSON; closing brackets belong to no block. So every request of a
//     conversation is a byte prefix of the next one.
//   - A conversation is a persistent list of Nodes. A Node's hash covers its
//     parent's hash and its own flat bytes, so a new turn or a fork costs its new
//     blocks only, and equal bytes have equal hashes wherever they were built.
//   - cache_control is not part of the bytes. Settings that stand in no block yet
//     invalidate a cache are salts at the borders (see Settings.Salts).
//   - Text is escaped once per Payload and never copied into a Node.
//   - Everything in the bytes has a fixed width or comes from the scenario, but
//     for the figures of a run, whose digits count as one constant (Counted).
//
// A Payload, a Node and what hangs on them belong to one run; they are not safe
// for use by two runs at a time.
package llm
