package policy

import (
	"agentsim/sim/llm"
)

// state is all that a model knows at a point of a conversation. It is immutable
// and shares structure with the states before it, so a fork costs nothing.
type state struct {
	facts    set // declared facts whose value is known
	gists    set // files whose gist is known
	seen     set // files whose path is known
	absent   set // files that turned out not to exist
	searched set // searches made
	cut      set // of these, those whose list was not whole
	launched set // items given to a child
	done     set
	failed   set
	lost     set // failed without a word from whoever had it
	edited   set // edits made
	gone     set // files whose content stood in what a summary replaced

	goal       string // what the user asked for first, of a lead
	heard      int    // messages of the user that asked for something
	lists      bool   // it has a tool that lists files,
	greps      bool   // one that searches them,
	shell      bool   // a shell
	summed     bool   // it began with a summary, and no item was closed since
	plans      bool   // its system prompt asks for the critical files at the report's end
	verifies   bool   // its system prompt asks for a verdict there
	files      vector
	places     *place
	injections *seenInjections
	proof      *proof
	assign     *assignment // nil: the lead, who has all items
	roster     *roster     // nil for whoever has no workers
	calls      *seenCalls
	trees      *trees    // of branches of a lead's agents
	planning   *planning // of a lead that plans first
	team       *teamwork
	open       []use // tool uses without a result
}

// blank is the state of whoever knows nothing.
var blank = state{injections: &seenInjections{}, proof: &proof{}, calls: &seenCalls{}, trees: &trees{}, planning: &planning{}, team: &teamwork{}}

// own is a part of a state to be changed: no part that a state holds ever is.
func own[T any](part **T) *T {
	c := **part
	*part = &c
	return &c
}

// use is a tool use that waits for its result.
type use struct {
	id    llm.ToolUseID
	name  string
	input *llm.Payload
}

// known is what is known of a file's content.
type known struct {
	hash   string       // of the version whose lines are known; "" while a preview hid it
	newest string       // hash of the newest version heard of
	to     int32        // lines 1 to to are known
	total  int32        // lines of that version
	lo, hi int32        // a window that is known beside
	limit  int32        // lines that a page may have without being replaced; 0 is any
	tries  int32        // results in a row that brought nothing
	text   *llm.Payload // a page of it, the first one if that was read
	whole  bool         // that page is the whole file
	stale  bool         // an edit was refused
	stuck  bool         // reading on brought nothing further
}

// current reports whether the whole content of the newest version is known.
func (k *known) current() bool {
	return k.hash != "" && k.to >= k.total && !k.stale && k.hash == k.newest
}

// outdated reports whether what is known is of an older version.
func (k *known) outdated() bool {
	return k.stale || k.hash != k.newest && k.hash != "" && k.newest != ""
}

// covers reports whether a line stands in what is known.
func (k *known) covers(line int32) bool {
	return line > 0 && (line <= k.to || line >= k.lo && line <= k.hi)
}

const leafSize = 4

// vector is a persistent array of known, by file. Setting an entry copies one
// leaf and the list of leaves.
type vector struct{ leaves []*[leafSize]known }

var unknown known

// at is the entry of file i, not to be changed.
func (v *vector) at(i int) *known {
	if l := i / leafSize; l < len(v.leaves) && v.leaves[l] != nil {
		return &v.leaves[l][i%leafSize]
	}
	return &unknown
}

// folder applies blocks to a state that it may change: what it copied once it
// owns until the state is frozen.
type folder struct {
	t      *Table
	s      state
	owned  []bool // leaves copied by this fold
	list   bool   // the list of leaves is a copy
	opened bool   // the roster is a copy
	open   []use  // room for the state's open uses
}

// begin starts from a state, nil for the empty one.
func (f *folder) begin(from *state) {
	f.s = blank
	if from != nil {
		f.s = *from
	}
	f.open = append(f.open[:0], f.s.open...)
	f.s.open = f.open
	clear(f.owned)
	f.list, f.opened = false, false
}

// freeze hands out the state reached.
func (f *folder) freeze() *state {
	out := new(state)
	*out = f.s
	f.open, out.open = f.s.open, nil
	if len(f.s.open) > 0 {
		out.open = append([]use(nil), f.s.open...)
	}
	f.s = state{}
	return out
}

// file is the entry of a file, to be changed.
func (f *folder) file(i int) *known {
	l := i / leafSize
	if !f.list || l >= len(f.s.files.leaves) {
		n := max(len(f.s.files.leaves), (len(f.t.files)+leafSize-1)/leafSize)
		leaves := make([]*[leafSize]known, n)
		copy(leaves, f.s.files.leaves)
		f.s.files.leaves, f.list = leaves, true
	}
	for len(f.owned) <= l {
		f.owned = append(f.owned, false)
	}
	if !f.owned[l] {
		leaf := new([leafSize]known)
		if old := f.s.files.leaves[l]; old != nil {
			*leaf = *old
		}
		f.s.files.leaves[l], f.owned[l] = leaf, true
	}
	return &f.s.files.leaves[l][i%leafSize]
}
