package coordinator

import _ "embed"

// promptText is six sections under fixed headings, in this order (CRD-02).
//
//go:embed prompt.md
var promptText string

// Prompt is the system prompt of a coordinator.
func (m *Mode) Prompt() string { return promptText }
