package transcript

// Recorded is what only a recording knows of a request. It stands behind the
// request's response, and only in runs of recorded sessions.
type Recorded struct {
	Call    int
	ID      string // the API's message id, or a hash of it
	Pred    int64  // number in the run of the request it goes on from, from 1; 0 for none
	Version string // of the client
	Stop    string // the stop reason as it was recorded

	UserTurn  bool // a message of the user caused it, not a tool's result
	Compacted bool // the first one after a compaction

	OutputUnknown bool // the output's tokens are a lower bound
	WritesUnknown bool // the API bills no writes
	Unbilled      bool // the prompt's size is known and nothing of its bill

	AnswerBlocks int // how many blocks the answer has; 0 when unknown

	Changed string // where the prompt stops being a continuation of Pred's, of recording.Request.Changed

	Told string // settings and events that lines of the transcript tell, of recording.Request.ToldText

	ServerMiss   string // the API's own diagnosis of a miss, such as tools_changed
	ServerMissed int64  // the tokens that it names

	Class    string // how what was read stands to what was expected, of recording.Class
	Cause    string // why it differs, of recording.Cause
	Expected int64  // tokens that would have been read, had all been there; 0 for none

	Tools []RecordedTool // of the answer, in order
}

// RecordedTool is a tool use as its recording names it.
type RecordedTool struct {
	ID      string
	Spawned int32 // ordinal of the agent that it spawned; -1 for none
}

// PolicyRecorded stands in the place of a scheduling policy in runs of recorded
// sessions: nothing was scheduled.
const PolicyRecorded = "recorded"

func (*Recorded) Kind() Kind { return KindRecorded }

// AppendText appends the canonical fields. A tool is id:agent, or id:- when it
// spawned none.
func (b *Recorded) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " call=", b.Call)
	dst = optStr(dst, " id=", b.ID)
	dst = optInt(dst, " pred=", b.Pred)
	dst = optStr(dst, " version=", b.Version)
	dst = optStr(dst, " stop=", b.Stop)
	dst = optFlag(dst, " user_turn=", b.UserTurn)
	dst = optFlag(dst, " compacted=", b.Compacted)
	dst = optFlag(dst, " output_unknown=", b.OutputUnknown)
	dst = optFlag(dst, " writes_unknown=", b.WritesUnknown)
	dst = optFlag(dst, " unbilled=", b.Unbilled)
	dst = optInt(dst, " answer_blocks=", b.AnswerBlocks)
	dst = optStr(dst, " changed=", b.Changed)
	dst = optStr(dst, " told=", b.Told)
	dst = optStr(dst, " server_miss=", b.ServerMiss)
	dst = optInt(dst, " server_missed=", b.ServerMissed)
	dst = optStr(dst, " class=", b.Class)
	dst = optStr(dst, " cause=", b.Cause)
	dst = optInt(dst, " expected=", b.Expected)
	return b.appendTools(dst)
}

func (b *Recorded) appendTools(dst []byte) []byte {
	key := " tools="
	for _, t := range b.Tools {
		dst = append(dst, key...)
		dst = appendValue(dst, t.ID)
		dst = appendAgent(append(dst, ':'), t.Spawned)
		key = ","
	}
	return dst
}
