package toevents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
)

// Semantics is the version of what imported runs mean; it grows when the events
// of an equal session change.
const Semantics = 2

// Run is what a session is called as a run.
type Run struct {
	ID      string // 64 hex digits: a hash of all that Emit goes by
	Name    string // format and the beginning of the session's id
	Variant string // NoContent, or ""
}

// NoContent is the variant of a session whose blocks are made from what was
// billed, since what was said is not at hand.
const NoContent = "no-content"

// Of names the run of a session. Where its files lie and what was passed over in
// them is no part of the id, so a session has one run wherever it was read.
func Of(s *recording.Session, verdicts []judge.Verdict) Run {
	r := Run{ID: identity(s, verdicts), Name: s.Format + "/" + shortID(s.ID)}
	if modeOf(s) == fromUsage {
		r.Variant = NoContent
	}
	return r
}

// shortID is the first group of a UUID; other ids are kept up to 16 characters.
func shortID(id string) string {
	if len(id) == 36 && id[8] == '-' {
		return id[:8]
	}
	return id[:min(len(id), 16)]
}

// identity hashes the session without its files, and its content by its hashes.
func identity(s *recording.Session, verdicts []judge.Verdict) string {
	bare := *s
	bare.Files, bare.Skipped = nil, nil
	bare.Requests = make([]recording.Request, len(s.Requests))
	sum := sha256.New()
	for i := range s.Requests {
		r := s.Requests[i]
		for _, m := range r.Said {
			fmt.Fprintf(sum, "said %d\n", m.Role)
			hashBlocks(sum, m.Blocks)
		}
		fmt.Fprintf(sum, "answer\n")
		hashBlocks(sum, r.Answer)
		r.Said, r.Answer = nil, nil
		bare.Requests[i] = r
	}
	text, err := json.Marshal(struct {
		Semantics int
		Session   *recording.Session
		Verdicts  []judge.Verdict
	}{Semantics, &bare, verdicts})
	if err != nil {
		panic("toevents: " + err.Error()) // integers and text only
	}
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

func hashBlocks(sum interface{ Write([]byte) (int, error) }, blocks []llm.Block) {
	for i := range blocks {
		b := &blocks[i]
		fmt.Fprintf(sum, "%d %t %s %q %s\n", b.Kind, b.IsError, b.ID, b.Name, b.Content.Identity())
	}
}

// lineages names the threads as runs name agents: main/12.3 is what the third
// tool use of main's twelfth request spawned. A thread of which that is not known
// goes by its recorded name.
func lineages(s *recording.Session) []string {
	_, calls := s.ByThread()
	out := make([]string, len(s.Threads))
	taken := map[string]bool{}
	for i := range s.Threads {
		name := lineage(s, calls, out, i)
		for k := 2; taken[name]; k++ {
			name = fmt.Sprintf("%s~%d", strings.TrimSuffix(name, fmt.Sprintf("~%d", k-1)), k)
		}
		taken[name], out[i] = true, name
	}
	return out
}

func lineage(s *recording.Session, calls []int, known []string, i int) string {
	t := &s.Threads[i]
	if t.Kind == recording.Main {
		return "main"
	}
	parent := "main"
	if t.Parent >= 0 {
		parent = known[t.Parent]
	}
	if t.SpawnedBy >= 0 && t.ToolUse != "" && s.Requests[t.SpawnedBy].Thread == t.Parent {
		for k, u := range s.Requests[t.SpawnedBy].Tools {
			if u.ID == t.ToolUse {
				return fmt.Sprintf("%s/%d.%d", parent, calls[t.SpawnedBy]+1, k+1)
			}
		}
	}
	return parent + "/agent-" + strings.TrimPrefix(t.Name, "agent-")
}
