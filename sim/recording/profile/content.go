package profile

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"

	"github.com/zeebo/xxh3"
)

// spawned measures what passed between spawners and what they spawned: the prompt, the
// report, how many waited.
func (v *visit) spawned() {
	for i := range v.s.Threads {
		rec, t := &v.s.Threads[i], &v.threads[i]
		if rec.SpawnedBy < 0 || !t.counts {
			continue
		}
		by := &v.s.Requests[rec.SpawnedBy]
		v.is(t, "background", rec.Async)
		if parent := &v.threads[by.Thread]; parent.counts {
			v.add(parent, "spawn_prompt", by.Usage.Prompt())
		}
	}
	for i := range v.s.Requests {
		r := &v.s.Requests[i]
		for k := range r.Tools {
			if u := &r.Tools[k]; spawner(u.Name) {
				v.handed(r, u)
			}
		}
	}
}

// launch is longer than it takes to start an agent in the background. A result that
// comes sooner is no report, where the recording has no thread that tells.
const launch = vtime.Second

// handed measures the prompt and the report of one spawn. An agent of which the
// recording has no thread counts as a sub-agent of its spawner's family.
func (v *visit) handed(r *recording.Request, u *recording.ToolUse) {
	t := &thread{role: SubAgent, family: FamilyOf(r.Model), counts: v.m.opt.Type == ""}
	async := u.Took < launch
	if u.Spawned >= 0 && v.threads[u.Spawned].role != "" {
		t, async = &v.threads[u.Spawned], v.s.Threads[u.Spawned].Async
	}
	if !t.counts {
		return
	}
	if u.Done && !u.IsError && !async && u.Bytes > 0 {
		v.add(t, "report_bytes", u.Bytes)
	}
	var in struct{ Prompt string }
	if b := useOf(r, u); b != nil && json.Unmarshal([]byte(b.Content.Raw()), &in) == nil && in.Prompt != "" {
		v.add(t, "prompt_bytes", int64(len(in.Prompt)))
	}
}

// useOf is the block of a tool use; nil where the recording has no content.
func useOf(r *recording.Request, u *recording.ToolUse) *llm.Block {
	id := recording.ToolUseID(u.ID)
	for k := range r.Answer {
		if b := &r.Answer[k]; b.Kind == llm.ToolUse && b.ID == id {
			return b
		}
	}
	return nil
}

// refused are words with which a client answers a tool use that was not made.
var refused = []string{"interrupted by user", "doesn't want to", "Cancelled", "cancelled"}

// reading is what a thread has read by Read: lines of files.
type reading struct {
	lines map[uint64]bool // hash of the file and the line
	files map[uint64]bool
}

func newReading() *reading { return &reading{map[uint64]bool{}, map[uint64]bool{}} }

// readResult is one result of Read.
type readResult struct {
	file uint64
	text string
}

// overlap measures what children read that their parents or siblings had read, and
// which results say that a use was not made.
func (v *visit) overlap() {
	files := map[llm.ToolUseID]uint64{}
	for i := range v.s.Requests {
		r := &v.s.Requests[i]
		for k := range r.Answer {
			var in struct {
				File string `json:"file_path"`
			}
			if b := &r.Answer[k]; b.Kind == llm.ToolUse && b.Name == "Read" && json.Unmarshal([]byte(b.Content.Raw()), &in) == nil {
				files[b.ID] = xxh3.HashString(in.File)
			}
		}
		v.cancelled(r)
	}
	children := map[int32][]int32{}
	for i := range v.s.Threads {
		if rec := &v.s.Threads[i]; rec.SpawnedBy >= 0 && rec.Kind == recording.SubAgent {
			by := v.s.Requests[rec.SpawnedBy].Thread
			children[by] = append(children[by], int32(i))
		}
	}
	for parent := range v.s.Threads {
		if list := children[int32(parent)]; len(list) > 0 {
			slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(v.s.Threads[a].SpawnedBy, v.s.Threads[b].SpawnedBy) })
			v.family(int32(parent), list, files)
		}
	}
}

func (v *visit) cancelled(r *recording.Request) {
	t := &v.threads[r.Thread]
	for _, m := range r.Said {
		for k := range m.Blocks {
			if b := &m.Blocks[k]; b.Kind == llm.ToolResult && t.counts {
				text := b.Content.Raw()
				v.is(t, "cancelled", b.IsError && slices.ContainsFunc(refused, func(w string) bool { return strings.Contains(text, w) }))
			}
		}
	}
}

// reads are the results of Read that a request brought.
func (v *visit) reads(i int32, files map[llm.ToolUseID]uint64) (out []readResult) {
	for _, m := range v.s.Requests[i].Said {
		for k := range m.Blocks {
			if b := &m.Blocks[k]; b.Kind == llm.ToolResult && !b.IsError {
				if file, ok := files[b.ID]; ok {
					out = append(out, readResult{file, b.Content.Raw()})
				}
			}
		}
	}
	return out
}

// family measures the children of one thread, which are in the order of their spawns.
func (v *visit) family(parent int32, children []int32, files map[llm.ToolUseID]uint64) {
	had, siblings, next := newReading(), newReading(), 0
	requests := v.threads[parent].requests
	for n, child := range children {
		by := v.s.Threads[child].SpawnedBy
		for ; next < len(requests) && requests[next] <= by; next++ {
			if v.s.Requests[requests[next]].Compacted {
				had = newReading()
			}
			for _, x := range v.reads(requests[next], files) {
				had.take(x)
			}
		}
		v.child(child, had, siblings, n > 0, files)
		v.blocks(child, by)
	}
}

// take adds a result to what was read.
func (k *reading) take(x readResult) {
	k.files[x.file] = true
	for line := range strings.Lines(x.text) {
		k.lines[lineOf(x.file, line)] = true
	}
}

// lineOf is a line of a file, wherever it stands there now: its number, which Read
// puts in front, is no part of it.
func lineOf(file uint64, line string) uint64 {
	rest := strings.TrimLeft(strings.TrimLeft(line, " "), "0123456789")
	for _, between := range [...]string{"→", "\t"} {
		if text, numbered := strings.CutPrefix(rest, between); numbered {
			line = text
		}
	}
	return xxh3.HashStringSeed(strings.TrimRight(line, "\n"), file)
}

// child measures one child's reads against what its parent and its siblings had read,
// and adds them to the siblings'.
func (v *visit) child(i int32, parent, siblings *reading, later bool, files map[llm.ToolUseID]uint64) {
	var all, stood, shared, reads, known int64
	var own []readResult
	for _, r := range v.threads[i].requests {
		for _, x := range v.reads(r, files) {
			own = append(own, x)
			reads++
			known += one(parent.files[x.file])
			for line := range strings.Lines(x.text) {
				h, n := lineOf(x.file, line), int64(len(line))
				all += n
				stood += n * one(parent.lines[h])
				shared += n * one(siblings.lines[h])
			}
		}
	}
	for _, x := range own {
		siblings.take(x)
	}
	t := &v.threads[i]
	if all == 0 || !t.counts {
		return
	}
	v.add(t, "overlap_parent", thousandths(stood, all))
	v.share(t, "overlap_parent_bytes", stood, all)
	v.share(t, "overlap_parent_files", known, reads)
	if later {
		v.add(t, "overlap_siblings", thousandths(shared, all))
		v.share(t, "overlap_siblings_bytes", shared, all)
	}
}

// blocks measures the overlap of a child and its parent by ids of blocks.
func (v *visit) blocks(child, by int32) {
	t, had := &v.threads[child], map[uint64]bool{}
	for _, id := range v.s.Requests[by].Blocks {
		had[id] = true
	}
	if len(had) == 0 || !t.counts {
		return
	}
	last := v.s.Requests[t.requests[len(t.requests)-1]].Blocks
	var stood int64
	for _, id := range last {
		stood += one(had[id])
	}
	if len(last) > 0 {
		v.add(t, "overlap_blocks", thousandths(stood, int64(len(last))))
	}
}
