package llm

// ParseRequest reads a body in the canonical form or another one of the same
// meaning; the external tests of this package set it.
var ParseRequest func(b *Builder, scope Scope, salts Salts, data []byte) (*Node, error)
