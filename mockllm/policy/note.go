package policy

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// note is what one payload says to a model of this table, whatever block it
// stands in. It is a function of the content and is kept in Payload.Notes.
type note struct {
	table  *Table
	facts  []int
	gists  []int // files
	paths  []int // files whose path is named in a mark
	places []place
	on     []version
	page   *page // the last file mark
	do     *assignment
	done   []int
	failed []int

	out  []int // items of a summary, likewise lost
	lost []int
	made []int // edits

	defects []defect
	msg     message     // what it says of workers
	workers []mark.Mark // of a summary: workers and what became of items
	left    []defect    // an edit's input: those that the new text has
	fixes   bool        // … whose old text is a defect's line
	run     int         // a command's input: which one, else -1
	look    int         // … of a detour
	commits bool        // … that commits
	mends   bool        // an edit's input: what was in conflict is one text

	injects []int
	warned  bool // a child's result of which the classifier warns

	branches []branch // that agents have left

	asks     bool // asks for a summary of the conversation
	summary  bool // is one
	notice   bool // holds a task notification
	launched bool // an asynchronous launch, or a fork's placeholder
	about    int  // item that a notification's summary names, or -1

	search int // a search's input: which one, else -1
	target int // a file tool's input: file_path, else -1

	listed    set // files that stand as a line of their own
	named     set // files that are mentioned
	hasNamed  bool
	cut       bool // the list of names is not whole
	hasListed bool
	numbered  int32 // last line number of numbered lines, 0 for none
	hasLines  bool
}

// defect is an edit of an item that is wrong for want, or because, of a fact.
type defect struct{ item, fact int }

// place is where a fact can be read; line 0 is anywhere in the file.
type place struct {
	fact, file int
	line       int32
	next       *place // of the state's list
}

// version is a file at a hash.
type version struct {
	file int
	hash string
}

// page is the lines of a file that stand in a result.
type page struct {
	version
	from, to, total int32
}

// assignment is the items an agent is to do.
type assignment struct {
	items []int
	fork  bool
	apart bool // on a branch of its own
}

const (
	noticeOpen  = "<task-notification>"
	forkTag     = "<fork-boilerplate>"
	placeholder = "Fork started — processing in background"
	launchMark  = `"status":"async_launched"`

	contextOpen = "<system-reminder>" // what the client says of the session

	// How a request for a summary begins, and what holds one.
	compactionOpen = "<compaction-request>"
	summaryOpen    = "<conversation-summary>"

	// How the last line of a list says that names are left out.
	cutMark     = "(truncated at line "
	previewMark = "[result of "
)

// read is the payload's note, made at the first reading.
func (t *Table) read(p *llm.Payload) *note {
	if n, ok := p.Notes.(*note); ok && n.table == t {
		return n
	}
	n := t.scan(p)
	p.Notes = n
	return n
}

func (t *Table) scan(p *llm.Payload) *note {
	n := &note{table: t, about: -1, search: -1, target: -1, run: -1, look: -1}
	raw := p.Raw()
	t.marks.Scan(raw, func(m mark.Mark) { n.mark(m) })
	if p.IsJSON() {
		n.input(raw)
		n.dispatch(raw, true)
		if !strings.HasPrefix(raw, "{") {
			n.do = nil // what is left of an input that broke off
		}
		return n
	}
	n.warned = len(n.injects) > 0 && warned(raw)
	if strings.HasPrefix(raw, forkTag) {
		if n.do == nil {
			n.do = &assignment{}
		}
		n.do.fork = true
	}
	n.asks, n.summary = strings.HasPrefix(raw, compactionOpen), strings.HasPrefix(raw, summaryOpen)
	n.launched = raw == placeholder || strings.Contains(raw, launchMark)
	if n.notice = strings.Contains(raw, noticeOpen); n.notice {
		n.about = t.summaryItem(raw)
	}
	n.branches = branchesOf(t, raw, n)
	if n.do != nil {
		n.do.apart = strings.Contains(raw, commitAsked)
	}
	n.dispatch(raw, false)
	if n.page != nil && len(n.facts) > 0 {
		n.factLines(raw)
	}
	return n
}

// factLines notes on which lines of a file's page facts stand.
func (n *note) factLines(raw string) {
	t := n.table
	for line := range strings.SplitSeq(raw, "\n") {
		if number := lineNumber(line); number > 0 {
			t.marks.Scan(line, func(m mark.Mark) {
				if f, ok := t.factIndex[m.Args[0]]; ok && m.Verb == mark.Fact {
					n.places = append(n.places, place{fact: f, file: n.page.file, line: number})
				}
			})
		}
	}
}

// lineNumber is the number in front of a line of a file's page, 0 for none.
func lineNumber(line string) int32 {
	number, _, tab := strings.Cut(line, "\t")
	if v, err := strconv.ParseInt(strings.TrimLeft(number, " "), 10, 32); tab && err == nil && len(number) >= 6 {
		return int32(v)
	}
	return 0
}

// summaryItem is the item of a notification's `Agent "<description>"`, or -1.
func (t *Table) summaryItem(raw string) int {
	_, rest, _ := strings.Cut(raw, `Agent "`)
	desc, _, _ := strings.Cut(rest, `"`)
	if i, ok := t.descIndex[desc]; ok {
		return i
	}
	return -1
}

func (n *note) mark(m mark.Mark) {
	t := n.table
	i, isItem := t.itemIndex[m.Args[0]]
	switch m.Verb {
	case mark.Fact:
		n.fact(m.Args[0])
	case mark.At:
		n.at(m.Args[0], m.Args[1])
	case mark.File:
		n.file(m)
	case mark.Do:
		if isItem {
			if n.do == nil {
				n.do = &assignment{}
			}
			n.do.items = union(n.do.items, i)
		}
	case mark.Done:
		if isItem {
			n.done = append(n.done, i)
		}
	case mark.Failed:
		if isItem {
			n.failed = append(n.failed, i)
		}
	case mark.On:
		if f, ok := t.fileIndex[m.Args[0]]; ok {
			n.paths = union(n.paths, f)
			n.on = append(n.on, version{f, m.Args[1]})
		}
	case mark.Defect:
		if f, known := t.factIndex[m.Args[1]]; isItem && known {
			n.defects = append(n.defects, defect{i, f})
		}
	case mark.Crew, mark.Tried:
		n.workers = append(n.workers, m)
	case mark.Inject:
		n.injected(m)
	case mark.Out, mark.Lost, mark.Made:
		n.summed(m)
	}
}

func (n *note) fact(name string) {
	if i, ok := n.table.factIndex[name]; ok {
		n.facts = union(n.facts, i)
		return
	}
	if p, ok := strings.CutPrefix(name, gistPrefix); ok {
		if f, ok := n.table.fileIndex[p]; ok {
			n.gists, n.paths = union(n.gists, f), union(n.paths, f)
		}
	}
}

// at notes a place. The place of a file is its path.
func (n *note) at(name, where string) {
	cut := strings.LastIndexByte(where, ':')
	if cut < 0 {
		return
	}
	line, err := strconv.ParseInt(where[cut+1:], 10, 32)
	f, ok := n.table.fileIndex[where[:cut]]
	if err != nil || !ok || line < 0 {
		return
	}
	n.paths = union(n.paths, f)
	if i, ok := n.table.factIndex[name]; ok {
		n.places = append(n.places, place{fact: i, file: f, line: int32(line)})
	} else {
		n.gistAt(name, f, int32(line))
	}
}

func (n *note) file(m mark.Mark) {
	f, ok := n.table.fileIndex[m.Args[0]]
	if !ok {
		return
	}
	n.paths = union(n.paths, f)
	lines, total, _ := strings.Cut(m.Args[2], "/")
	from, to, _ := strings.Cut(lines, "-")
	a, err1 := strconv.ParseInt(from, 10, 32)
	b, err2 := strconv.ParseInt(to, 10, 32)
	c, err3 := strconv.ParseInt(total, 10, 32)
	if err1 == nil && err2 == nil && err3 == nil {
		n.page = &page{version{f, m.Args[1]}, int32(a), int32(b), int32(c)}
	}
}

// input reads what a tool use asks for.
func (n *note) input(raw string) {
	t := n.table
	for _, tool := range [...]string{"Grep", "Glob", "Bash"} {
		if i, ok := t.searchIndex[tool+raw]; ok {
			n.search = i
		}
	}
	if i, ok := t.runIndex[raw]; ok {
		n.run = i
	}
	if i, ok := t.lookIndex[raw]; ok {
		n.look = i
	}
	n.commits = strings.HasPrefix(raw, `{"command":"`+commitOpen)
	n.mends = t.merges && strings.Contains(raw, oldField+oursMark)
	if len(n.defects) > 0 {
		n.editInput(raw)
	}
	const field = `{"file_path":"`
	if rest, ok := strings.CutPrefix(raw, field); ok {
		n.target = t.fileOf(unquote(rest))
	}
}

// unquote reads a JSON string whose opening quote was taken; what cannot be read
// is no path.
func unquote(s string) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			if strings.IndexByte(s[:i], '\\') < 0 {
				return s[:i]
			}
			text, _ := strconv.Unquote(`"` + s[:i+1])
			return text
		}
	}
	return ""
}

// listing is the table's files that stand as lines of the payload.
func (t *Table) listing(p *llm.Payload) set {
	n := t.read(p)
	if n.hasListed {
		return n.listed
	}
	n.hasListed = true
	for line := range strings.SplitSeq(p.Raw(), "\n") {
		if i, ok := t.fileIndex[strings.TrimPrefix(line, "./")]; ok {
			n.listed = n.listed.with(i)
		}
		n.cut = n.cut || strings.HasPrefix(line, cutMark) || strings.HasPrefix(line, previewMark)
	}
	return n.listed
}

// mentions is the table's files that a text names, wherever in it they stand.
func (t *Table) mentions(p *llm.Payload) set {
	n := t.read(p)
	if n.hasNamed {
		return n.named
	}
	n.hasNamed = true
	from, raw := 0, p.Raw()
	for to := range len(raw) {
		if partsPaths[raw[to]] {
			if from < to && t.mayEnd[raw[to-1]] {
				n.named = named(t, n.named, raw[from:to])
			}
			from = to + 1
		}
	}
	n.named = named(t, n.named, raw[from:])
	return n.named
}

// named is a set of files with the one that a word of a text names.
func named(t *Table, all set, word string) set {
	word = strings.TrimRight(word, endsOfSentences)
	if word == "" || !slices.ContainsFunc(t.ends[word[len(word)-1]], func(tail string) bool { return strings.HasSuffix(word, tail) }) {
		return all
	}
	if i := t.fileOf(word); i >= 0 {
		return all.with(i)
	}
	return all
}

// endsOfSentences are the characters that may stand behind a path, and end no path.
const endsOfSentences = ".!?"

// partsPaths are the characters that end a path in a text.
var partsPaths = func() (all [256]bool) {
	for _, c := range []byte(" \t\n,;:()\"'`<>") {
		all[c] = true
	}
	return all
}()

// lastLine is the number of the last numbered line of a file's page, 0 for none.
func (t *Table) lastLine(p *llm.Payload) int32 {
	n := t.read(p)
	if n.hasLines {
		return n.numbered
	}
	n.hasLines = true
	for line := range strings.SplitSeq(p.Raw(), "\n") {
		if v := lineNumber(line); v > 0 {
			n.numbered = v
		}
	}
	return n.numbered
}
