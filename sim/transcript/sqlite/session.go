package sqlite

import (
	"encoding/json"

	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// sessionJSON is what of a recorded session stands in no event; runs.spec holds
// it.
type sessionJSON struct {
	Format      string        `json:"format"`
	Origin      string        `json:"origin,omitempty"`
	Session     string        `json:"session"`
	Client      string        `json:"client,omitempty"`
	Start       vtime.Instant `json:"start"` // of the first request
	BlockTokens int64         `json:"block_tokens,omitempty"`
	Files       []fileJSON    `json:"files"`
	Threads     []threadJSON  `json:"threads"`
	Skipped     []skipJSON    `json:"skipped"`

	Prices *recording.PriceFile `json:"prices,omitempty"`
}

type fileJSON struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

type skipJSON struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
	File  string `json:"file"`
	Line  int64  `json:"line"`
	Taken bool   `json:"taken,omitempty"`
}

// threadJSON names requests by requests.n, from 1, 0 for none.
type threadJSON struct {
	Name         string `json:"name"`
	Kind         string `json:"kind"`
	Type         string `json:"type,omitempty"`
	Parent       int32  `json:"parent"`
	SpawnedBy    int32  `json:"spawned_by,omitempty"`
	ToolUse      string `json:"tool_use,omitempty"`
	Async        bool   `json:"async,omitempty"`
	Workflow     string `json:"workflow,omitempty"`
	CopiedHead   int    `json:"copied_head,omitempty"`
	Partial      bool   `json:"partial,omitempty"`
	ToolTokens   int64  `json:"tool_tokens,omitempty"`
	SystemTokens int64  `json:"system_tokens,omitempty"`
}

// SessionText is what a run of a recorded session has as its spec: all that its
// events leave out, so that Recording finds it.
func SessionText(s *recording.Session) string {
	doc := sessionJSON{Format: s.Format, Origin: s.Origin, Session: s.ID, Client: s.Client, BlockTokens: s.BlockTokens, Prices: s.Prices,
		Files: []fileJSON{}, Threads: []threadJSON{}, Skipped: []skipJSON{}}
	if len(s.Requests) > 0 {
		doc.Start = s.Requests[0].Start
	}
	for _, f := range s.Files {
		doc.Files = append(doc.Files, fileJSON(f))
	}
	for _, k := range s.Skipped {
		doc.Skipped = append(doc.Skipped, skipJSON(k))
	}
	for _, t := range s.Threads {
		doc.Threads = append(doc.Threads, threadJSON{t.Name, t.Kind.String(), t.Type, t.Parent, t.SpawnedBy + 1, t.ToolUse,
			t.Async, t.Workflow, t.CopiedHead, t.Partial, t.ToolTokens, t.SystemTokens})
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic("sqlite: " + err.Error()) // numbers and text only
	}
	return string(text)
}

// sessionOf reads SessionText's form; the requests are left out.
func sessionOf(text string) (*recording.Session, vtime.Instant, error) {
	var doc sessionJSON
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, 0, err
	}
	s := &recording.Session{Format: doc.Format, Origin: doc.Origin, ID: doc.Session, Client: doc.Client, BlockTokens: doc.BlockTokens, Prices: doc.Prices}
	for _, f := range doc.Files {
		s.Files = append(s.Files, recording.File(f))
	}
	for _, k := range doc.Skipped {
		s.Skipped = append(s.Skipped, recording.Skip(k))
	}
	for _, t := range doc.Threads {
		s.Threads = append(s.Threads, recording.Thread{Name: t.Name, Kind: named(t.Kind, recording.Main, recording.Compact), Type: t.Type, Parent: t.Parent,
			SpawnedBy: t.SpawnedBy - 1, ToolUse: t.ToolUse, Async: t.Async, Workflow: t.Workflow, CopiedHead: t.CopiedHead, Partial: t.Partial,
			ToolTokens: t.ToolTokens, SystemTokens: t.SystemTokens})
	}
	return s, doc.Start, nil
}
