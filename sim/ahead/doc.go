// Package ahead asks the processor for memory before it is needed. Among a thousand
// agents, what one of them touches has left every cache since its last step, and a line
// that comes from memory takes as long as some hundred instructions.
package ahead
