// Package tool is what agents act through: the catalogue of named tools, the
// filter that decides which of them an agent holds, and the tools themselves.
//
// Rules:
//   - A tool runs to completion on the agent's environment and touches nothing
//     else; it records nothing.
//   - One table of fields gives a tool's JSON schema and checks its input, so
//     the two cannot disagree. Wrong input is an error result that names the
//     field.
//   - Layers of the filter are tables of names. A pool remembers which layer took
//     a tool away.
//   - A result that was cut says so, with the line at which it was cut.
package tool
