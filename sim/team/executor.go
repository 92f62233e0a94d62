package team

// Executor runs teammates, whatever the backend. All of its calls return at once.
type Executor interface {
	// Backend is where they run.
	Backend() Backend
	// IsAvailable reports whether teammates can be started.
	IsAvailable() bool
	// Spawn starts a teammate.
	Spawn(s Spawn) Spawned
	// SendMessage puts a mail into a teammate's mailbox. The error says why it cannot.
	SendMessage(agentID, from string, kind MailKind, text string) error
	// Terminate asks a teammate to end: it may finish its work first, and refuse. It is
	// false where none of that id is active.
	Terminate(agentID, reason string) bool
	// Kill ends a teammate at once. It is false where none of that id is active.
	Kill(agentID string) bool
	// IsActive reports whether a teammate has started and not ended.
	IsActive(agentID string) bool
}

// Spawn is what a teammate is started with.
type Spawn struct {
	Name   string
	Prompt string
	Pane   Pane // of a backend with panes
}

// Spawned is what is known of a teammate that was started.
type Spawned struct {
	AgentID    string // NAME@TEAM
	TaskID     string
	Controller any // its own, by which it alone is aborted
}
