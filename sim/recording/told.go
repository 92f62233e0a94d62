package recording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// What is something that a line of a transcript tells of a request.
type What uint8

// What lines tell. The first ones are settings that differ from those of the
// predecessor; the others happened between the two.
const (
	ThinkingTold     What = iota // the thinking setting: whether the last text of the user carries thinkingMetadata
	EffortTold                   // the effort
	SpeedTold                    // fast or standard
	ResumeTold                   // the client was left with /exit, or the session taken up again
	MicrocompactTold             // the client cleared earlier tools' results
	VersionTold                  // another version of the client
	MCPTold                      // a tool server was connected again, or its instructions changed
	ToolListTold                 // the list of tools changed
	AgentListTold                // the list of agent types changed
	SkillListTold                // the list of skills changed
	PlanTold                     // plan mode began or ended
	SkillTold                    // a skill began or ended
	ModelTold                    // /model
	FastTold                     // /fast
	ErrorTold                    // an attempt at the request had failed
	AwayTold                     // the client asked for a summary of its own, behind the last answer
	numWhats
)

// Whats is how many things lines tell.
const Whats = int(numWhats)

var whatNames = [...]string{"thinking", "effort", "speed", "resume", "microcompact", "client-version", "mcp", "tool-list",
	"agent-list", "skill-list", "plan-mode", "skill", "model-command", "fast-command", "api-error", "away-summary"}

func (w What) String() string { return whatNames[w] }

// WhatNamed is the What of a name; ok is false for none.
func WhatNamed(name string) (w What, ok bool) {
	i := slices.Index(whatNames[:], name)
	return What(max(i, 0)), i >= 0
}

// Told is something that a line tells of a request.
type Told struct {
	What What
	File int32 // index of Session.Files
	Line int64 // from 1
}

// Tells is the first thing of a kind that lines tell of r.
func (r *Request) Tells(kinds ...What) (t Told, ok bool) {
	for _, w := range kinds {
		if i := slices.IndexFunc(r.Told, func(t Told) bool { return t.What == w }); i >= 0 {
			return r.Told[i], true
		}
	}
	return Told{}, false
}

// Settings are what lines tell of how a request was asked for. The zero value
// tells nothing.
type Settings struct {
	Thinking string // typed or untyped: whether the last text of the user carries thinkingMetadata
	Effort   string
	Speed    string // standard, or fast from its first use on: the header stays
}

// Versions from which a setting no longer touches the cache.
var (
	thinkingKept = [3]int{2, 1, 38}  // the budget no longer follows the last text
	effortKept   = [3]int{2, 1, 260} // the vendor keeps the prefix, for the models below
)

// effortFree are the models on which a changed effort loses nothing since
// effortKept.
var effortFree = []string{"claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-fable-5-1"}

// SameKey reports whether the settings of two requests of one model, as far as
// they are told, are one key of the cache: each has its own entries otherwise.
func (r *Request) SameKey(o *Request) bool {
	same := func(a, b string) bool { return a == b || a == "" || b == "" }
	free := slices.ContainsFunc(effortFree, func(m string) bool { return strings.HasPrefix(r.Model, m) }) && !before(r.Version, effortKept)
	return (same(r.Settings.Thinking, o.Settings.Thinking) || !ThinkingByText(r.Version)) &&
		(same(r.Settings.Effort, o.Settings.Effort) || free) && same(r.Settings.Speed, o.Settings.Speed)
}

// ThinkingByText reports whether a client of that version sets the thinking budget
// by the last text of the user.
func ThinkingByText(version string) bool { return before(version, thinkingKept) }

// before reports whether a version is known and older than another.
func before(version string, than [3]int) bool {
	if version == "" {
		return false
	}
	var v [3]int
	for i, part := range strings.SplitN(version, ".", 3) {
		n, err := strconv.Atoi(strings.TrimRight(part, "-+abcdefghijklmnopqrstuvwxyz"))
		if err != nil {
			return false
		}
		v[i] = n
	}
	return cmp.Or(cmp.Compare(v[0], than[0]), cmp.Compare(v[1], than[1]), cmp.Compare(v[2], than[2])) < 0
}
