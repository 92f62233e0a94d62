package recording

import (
	"strings"

	"agentsim/sim/llm"
)

// Class says how what a request read stands to what it was expected to (IMP-05).
type Class uint8

// The classes. E is Session.Expected, R what was read.
const (
	Exact         Class = iota // R = E
	Over                       // R > E: a request that is not in the recording went on from the predecessor
	ShortNear                  // R < E by less than a static prefix is behind it
	Visibility                 // R is what an earlier request of the conversation left: only writes since were missed
	StaticPrefix               // R is the tools and system prompt only
	Zero                       // R = 0, E > 0
	FirstOfThread              // there is no predecessor
)

var classNames = [...]string{"exact", "over", "short-near", "visibility-lag", "static-prefix", "zero", "first"}

func (c Class) String() string { return classNames[c] }

// Cause says why a request read less or more than expected.
type Cause uint8

// The causes.
const (
	NoCause       Cause = iota
	ExpiredCause        // the predecessor's entry had outlived its lifetime
	ModelCause          // another model
	CompactCause        // the conversation was compacted
	ToolsCause          // the server says that the tools had changed
	SystemCause         // the server says that the system prompt had changed
	HistoryCause        // the prompt is shorter than what was expected to be read: it was rewritten
	ThinkingCause       // the model's earlier thinking was taken out at a user turn
	HiddenCause         // a request that is not in the recording went on from the predecessor
	LagCause            // the last writes could not be read yet
	NoiseCause          // nothing in the recording says why

	HourCause // the predecessor's entry had outlived a lifetime of an hour

	// What a line of the transcript tells (Told).
	SettingsCause     // thinking, effort or speed were another
	ResumeCause       // the client was left, or the session taken up again
	MicrocompactCause // the client cleared earlier tools' results
	ClientCause       // another version of the client
	MCPCause          // tool servers changed
	ToolListCause     // lists of tools, agents or skills changed
	PlanCause         // plan mode began or ended
	SkillCause        // a skill began or ended
	RetryCause        // an attempt had failed

	MarksCause // its last mark (cache_control) is in front of what the predecessor had left
	numCauses
)

// Causes is how many causes there are.
const Causes = int(numCauses)

var causeNames = [...]string{"", "ttl", "model", "compaction", "tools", "system", "history", "thinking", "hidden-request",
	"visibility-lag", "noise", "ttl-1h", "settings", "resume", "microcompact", "client-version", "mcp", "tool-list", "plan-mode", "skill", "api-error", "marks"}

// ToldCauses are the causes that lines tell, the surest first, with what they
// tell of each.
var ToldCauses = []struct {
	Cause Cause
	Told  []What
}{
	{SettingsCause, []What{ThinkingTold, EffortTold, SpeedTold}},
	{ResumeCause, []What{ResumeTold}},
	{MicrocompactCause, []What{MicrocompactTold}},
	{ClientCause, []What{VersionTold}},
	{MCPCause, []What{MCPTold}},
	{ToolListCause, []What{ToolListTold, AgentListTold, SkillListTold}},
	{PlanCause, []What{PlanTold}},
	{SkillCause, []What{SkillTold}},
	{RetryCause, []What{ErrorTold}},
}

// Explains is the line that tells of a cause, by its name; ok is false where none
// does.
func (r *Request) Explains(cause string) (t Told, ok bool) {
	for _, k := range ToldCauses {
		if k.Cause.String() == cause {
			return r.Tells(k.Told...)
		}
	}
	return Told{}, false
}

func (c Cause) String() string { return causeNames[c] }

// Reason is a cause, by its name, in the word that people read of a simulated miss too.
func Reason(cause string) string {
	if rest, ok := strings.CutPrefix(cause, ExpiredCause.String()); ok {
		return llm.MissExpired.String() + rest
	}
	return cause
}
