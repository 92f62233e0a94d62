package transcript

// Kind names a kind of event.
type Kind uint8

// The kinds, in the order in which a reader meets them.
const (
	KindRunStart Kind = iota + 1
	KindAgentStart
	KindStage
	KindRequest
	KindResponse
	KindRecorded
	KindAPIError
	KindToolCall
	KindToolResult
	KindPermission
	KindStateWrite
	KindListener
	KindAbort
	KindTask
	KindHandoff
	KindNotification
	KindMessage
	KindOutput
	KindProgress
	KindWakeUp
	KindUserMessage
	KindRebase
	KindCompact
	KindReplace
	KindHook
	KindDefinition
	KindGate
	KindServer
	KindPlan
	KindTeam
	KindMail
	KindTeamTask
	KindWorktree
	KindConflict
	KindLink
	KindTerminal
	KindFinding
	KindItem
	KindAgentEnd
	KindRunEnd
)

var kindNames = [...]string{"", "run_start", "agent_start", "stage", "request", "response", "recorded", "api_error",
	"tool_call", "tool_result", "permission", "state_write", "listener", "abort", "task", "handoff", "notification",
	"message", "output", "progress", "wake_up", "user_message", "rebase", "compact", "replace", "hook", "definition",
	"gate", "server", "plan", "team", "mail", "team_task", "worktree", "conflict", "link", "terminal", "finding", "item", "agent_end", "run_end"}

// String is the kind's word in the canonical text.
func (k Kind) String() string { return kindNames[k] }
