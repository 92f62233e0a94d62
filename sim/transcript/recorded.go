package transcript

import (
	"encoding/binary"
	"reflect"
)

// Recorded is what only a recording knows of a request. It stands behind the
// request's response, and only in runs of recorded sessions.
type Recorded struct {
	Call    int    `text:"call"`
	ID      string `text:"id,opt"`      // the API's message id, or a hash of it
	Pred    int64  `text:"pred,opt"`    // number in the run of the request it goes on from, from 1; 0 for none
	Version string `text:"version,opt"` // of the client
	Stop    string `text:"stop,opt"`    // the stop reason as it was recorded

	UserTurn  bool `text:"user_turn,opt"` // a message of the user caused it, not a tool's result
	Compacted bool `text:"compacted,opt"` // the first one after a compaction

	OutputUnknown bool `text:"output_unknown,opt"` // the output's tokens are a lower bound
	WritesUnknown bool `text:"writes_unknown,opt"` // the API bills no writes
	Unbilled      bool `text:"unbilled,opt"`       // the prompt's size is known and nothing of its bill

	AnswerBlocks int `text:"answer_blocks,opt"` // how many blocks the answer has; 0 when unknown

	Changed string `text:"changed,opt"` // where the prompt stops being a continuation of Pred's, of recording.Request.Changed

	Told string `text:"told,opt"` // settings and events that lines of the transcript tell, of recording.Request.ToldText

	ServerMiss   string `text:"server_miss,opt"`   // the API's own diagnosis of a miss, such as tools_changed
	ServerMissed int64  `text:"server_missed,opt"` // the tokens that it names

	Class    string `text:"class,opt"`    // how what was read stands to what was expected, of recording.Class
	Cause    string `text:"cause,opt"`    // why it differs, of recording.Cause
	Expected int64  `text:"expected,opt"` // tokens that would have been read, had all been there; 0 for none

	Tools []RecordedTool `text:"tools,opt"` // of the answer, in order
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

func putTools(dst []byte, number byte, v reflect.Value) []byte {
	tools := *pointer[[]RecordedTool](v)
	if len(tools) == 0 {
		return dst
	}
	dst = binary.AppendUvarint(append(dst, number), uint64(len(tools)))
	for _, t := range tools {
		dst = binary.LittleEndian.AppendUint32(appendSized(dst, t.ID), uint32(t.Spawned))
	}
	return dst
}

// toolsText is id:agent of each, or id:- of one that spawned none.
func toolsText(dst []byte, number byte, r *reader) []byte {
	for i := range r.count(number) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendValue(dst, r.sized()), ':')
		dst = appendAgent(dst, int32(r.half()))
	}
	return dst
}
