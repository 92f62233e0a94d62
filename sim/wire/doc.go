// Package wire reads bodies of requests to the Messages API as clients send them,
// or write them to files, into the chains of sim/llm.
//
// Rules:
//   - What decides whether a cached prefix can be read again becomes blocks, marks
//     and settings. Every other known field is kept beside them, by name; a field
//     that would change the prompt in a way that is not known here is refused.
//   - What is not known is kept as bytes, hashed as bytes, and counted.
//   - A body in canonical form (llm.AppendRequest) gives its own chain again, hash
//     by hash. A block with parts that the form lacks, such as another client's ids,
//     keeps them (llm.NewWhole).
//   - Reading takes time proportional to the body. An error names the byte, from 0.
package wire
