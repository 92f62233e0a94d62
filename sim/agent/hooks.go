package agent

// Hook is a command that hears what the agents of a definition do.
type Hook struct {
	Event   HookEvent
	Matcher string // pattern of the tools it hears; "" or "*" is all of them
	Command string
}

// HookEvent is what a hook hears.
type HookEvent string

// The events that hooks of a definition can hear.
const (
	PreToolUse  HookEvent = "PreToolUse"
	PostToolUse HookEvent = "PostToolUse"
	Stop        HookEvent = "Stop"
)
