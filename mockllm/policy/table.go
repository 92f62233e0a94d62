package policy

import (
	"regexp"
	"slices"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/rng"
)

// Table is what a model was trained on: the work bound to a project's files, how
// the model behaves, and the key of its marks. After Bind nothing of it changes but what is
// noted of keys that decided something.
type Table struct {
	profile     scenarios.Model
	budget      int64               // tokens of a summary
	structure   scenarios.Structure // by its base
	background  bool
	agentType   string
	coordinator scenarios.CoordinatorSpec // how a coordinator leads
	isolates    bool                      // a lead asks for worktrees
	merges      bool                      // … or definitions do: it merges branches
	plan        scenarios.Size            // of the plan that a lead writes first; unset, it does not plan
	names       *stackNames
	root        string
	marks       mark.Key
	filler      *script.Filler
	key         rng.Key

	facts     []fact
	factIndex map[string]int
	files     []string // those that the work or a fact names
	fileIndex map[string]int
	ends      [256][]string // the last three bytes of the files' paths, by the last one
	mayEnd    [256]bool     // last bytes of words that may name a file
	family    []int         // file → place in families
	families  []family      // the searches by which files can be found
	items     []item
	itemIndex map[string]int
	descIndex map[string]int // description of the Agent call → item
	edits     []edit         // of all items

	defects     []defect // of all items
	pitfall     []bool   // of each defect: it stands for want of its fact
	defectIndex map[defect]int
	flaws       []flaw         // of all items
	runs        []command      // of all items
	calls       []toolCall     // likewise
	runIndex    map[string]int // input text → run
	padDir      string         // directory of the pads, "" for none
	padItem     map[int]int    // file → the item whose pad it is

	injections  []injection // none for a model that does not obey
	injectIndex map[string]int

	looks     []look // commands of detours
	lookIndex map[string]int

	otherwise []*otherwise
	relayed   bool // something was told whose size is the model's

	searches    []searchInput
	searchIndex map[string]int // input text → search
	reads       map[readKey]*llm.Payload
}

// fact is a declared fact. Its place is for authors of prompts.
type fact struct {
	name     string
	verbatim bool // may not be relayed
	gist     int64
	sized    bool   // which the scenario says of it
	told     string // what relaying it says: what stands at its place, as long as gist is
	file     int    // -1: unknown
	line     int32
	search   int // its Grep
}

// item is a work item bound to files; numbers are indexes into the table.
type item struct {
	n         int   // its index
	alone     []int // that, as a list
	id, kind  string
	title     string // its id in words
	about     string // what it is about, a sentence; "" where nothing says it
	byLead    bool
	apart     bool // it edits, and whoever does it gets a worktree
	turn      int  // number of the user's message that asks for it
	after     []int
	needs     []int       // facts, its yields among them
	gists     []int       // files whose gist it needs
	whole     []int       // files whose content it needs
	asked     []int       // of these, those that its needs name
	reads     []int       // files: ground truth for authors
	globs     map[int]int // file → the search for the pattern by which the item names it
	edits     []int
	yields    []int
	pitfalls  []int // facts without which its edits are defective
	misled    []int // facts with which they are
	defects   []int // its pitfalls, then what misleads it
	flaws     []int // where they may stand
	detours   []detour
	builds    []int // looks by which its edits are checked
	runs      []int // commands
	calls     []int // of tools of MCP servers
	pad       int   // file that what it finds is written to, or -1
	prompting string
	agent     scenarios.ItemAgent // the child that does it
	think     scenarios.Size
	output    scenarios.Size
	key       rng.Key
	desc      string
	// For those who coordinate: the files that it reads, of research those of its facts too, those that it
	// writes, those that it verifies, and the items that come after it.
	explores, writes, checks set
	before                   []int
	research, informing      set // before it that it may wait for: all, and what yields something that it needs
	// What an author could have told: facts and gists that items before this
	// one, or the lead's own items, yield, and the files that they read or edit.
	tellFacts, tellGists, tellFiles set
}

// edit is one change of one file.
type edit struct {
	item, file int
	tokens     scenarios.Size
	n          int // which edit of its item, from 0
}

// searchInput is a search the model may make: a Grep for a fact or a Glob. Whoever
// has neither tool makes it in the shell.
type searchInput struct {
	tool    string
	fact    int // of a Grep, else -1
	pattern string
	input   *llm.Payload
	command *llm.Payload // the shell's
}

type readKey struct {
	file          int
	offset, limit int32
}

// gistName and fileName are the names of a file's implicit facts.
func gistName(p string) string { return gistPrefix + p }

const (
	gistPrefix = "gist:"
	filePrefix = "file:"
)

// addFile is the index of a file, entered if it is new.
func (t *Table) addFile(p string) int {
	i, ok := t.fileIndex[p]
	if !ok {
		i = len(t.files)
		t.files = append(t.files, p)
		t.fileIndex[p] = i
		if p != "" {
			last, tail := p[len(p)-1], p[max(0, len(p)-3):]
			if !slices.Contains(t.ends[last], tail) {
				t.ends[last] = append(t.ends[last], tail)
				t.mayEnd[last] = true
			}
		}
	}
	return i
}

// addSearch is the index of a search, entered if it is new.
func (t *Table) addSearch(tool string, fact int, pattern string) int {
	input := object("pattern", pattern)
	i, ok := t.searchIndex[tool+input.Raw()]
	if !ok {
		i = len(t.searches)
		command := object("command", inShell(tool, pattern))
		t.searches = append(t.searches, searchInput{tool, fact, pattern, input, command})
		t.searchIndex[tool+input.Raw()], t.searchIndex["Bash"+command.Raw()] = i, i
	}
	return i
}

// inShell is a search as a command.
func inShell(tool, pattern string) string {
	name, anywhere := strings.CutPrefix(pattern, "**/")
	switch {
	case tool == fullNames.grep:
		return "grep -rlE '" + pattern + "' ."
	case anywhere && !strings.Contains(name, "/"):
		return "find . -name '" + name + "'"
	}
	return "find . -path './" + strings.NewReplacer("**/*", "*", "**/", "*").Replace(pattern) + "'"
}

// grep is the search by which a fact can be found.
func (t *Table) grep(fact int) int {
	return t.addSearch("Grep", fact, regexp.QuoteMeta(t.facts[fact].name))
}

// readInput is the input of a Read. Equal reads share a payload.
func (t *Table) readInput(k readKey) *llm.Payload {
	p := t.reads[k]
	if p == nil {
		p = object("file_path", t.path(k.file), given(k.offset > 1, "offset"), k.offset, given(k.limit > 0, "limit"), k.limit)
		t.reads[k] = p
	}
	return p
}

// path is the file's absolute path as agents write it.
func (t *Table) path(file int) string {
	if t.root == "" {
		return t.files[file]
	}
	return t.root + "/" + t.files[file]
}

// fileOf is the index of a path as agents write it, or -1.
func (t *Table) fileOf(p string) int {
	if t.root != "" {
		p = strings.TrimPrefix(p, t.root+"/")
	}
	if i, ok := t.fileIndex[p]; ok {
		return i
	}
	return -1
}

// draw is a size of an item's step.
func (t *Table) draw(k rng.Key, s, def scenarios.Size, what string) int64 {
	if !s.Set {
		s = def
	}
	return script.Draw(s, k.Sub(what), 0)
}

// BoundItem is an item as it was bound, for validators and for those who plant
// facts: paths in the project.
type BoundItem struct {
	ID    string
	Reads []string
	Edits []string
	Needs []string // files whose content it needs by name
}

// Items lists the bound items in the scenario's order.
func (t *Table) Items() []BoundItem {
	out := make([]BoundItem, len(t.items))
	for i := range t.items {
		it := &t.items[i]
		out[i].ID = it.id
		for _, f := range it.reads {
			out[i].Reads = append(out[i].Reads, t.files[f])
		}
		for _, f := range it.asked {
			out[i].Needs = append(out[i].Needs, t.files[f])
		}
		for _, e := range it.edits {
			out[i].Edits = append(out[i].Edits, t.files[t.edits[e].file])
		}
	}
	return out
}

// Concerned is how many files the items read, need or edit.
func (t *Table) Concerned() int {
	files := map[int]bool{}
	for i := range t.items {
		it := &t.items[i]
		for _, f := range slices.Concat(it.reads, it.asked) {
			files[int(f)] = true
		}
		for _, e := range it.edits {
			files[int(t.edits[e].file)] = true
		}
	}
	return len(files)
}

// stackNames are what a stack calls the tools that a model uses.
type stackNames struct {
	read, edit, grep, glob, agent string
	send                          string // what continues a worker, "" for none
	bash, write                   string
	describes                     bool   // a command may be described beside
	agentType                     string // field of the agent tool that names a type
}

var (
	fullNames = stackNames{read: "Read", edit: "Edit", grep: "Grep", glob: "Glob", agent: agentTool, agentType: "subagent_type",
		send: "SendMessage", bash: "Bash", write: "Write", describes: true}
	minimalNames = stackNames{read: "read_file", edit: "edit_file", grep: "grep_search", glob: "list_files", agent: "agent", agentType: "type",
		bash: "run_shell", write: "write_file"}
)

// namesOf are the names in a scenario's stack.
func namesOf(sc *scenarios.Scenario) *stackNames {
	if sc.Stack == scenarios.MinimalStack {
		return &minimalNames
	}
	return &fullNames
}

// search is the name of a search in the stack.
func (n *stackNames) search(tool string) string {
	if tool == fullNames.grep {
		return n.grep
	}
	return n.glob
}
