package importer

import (
	"path"
	"strings"

	"github.com/zeebo/xxh3"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// maxRecords is how many lines and tool uses of a Claude Code session are kept
// track of; lines past it are skipped and counted. The longest recordings known
// have some ten thousand.
const maxRecords = 1 << 20

// claudeCodeSession reads the files of one Claude Code session: that of its main
// thread, if it is there, and those of its sub-agents.
//
// A request is all lines with one message.id. Its predecessor is found over
// parentUuid, through lines that are no request; across a compaction over
// logicalParentUuid or, where that line was never written, as the last request
// before the boundary. Its start is the time of the line that its first one names
// as its parent, else of its first line. Of its figures the last line holds.
//
// A sub-agent is read from a file of its own, from the side chain of an old main
// file, or from the progress lines of its parent's thread, in this order of
// preference and never from two.
func claudeCodeSession(group []source, opt *Options, sk *skips) (*recording.Session, error) {
	c := newClaudeCode(opt, sk)
	if err := c.readAll(group); err != nil {
		return nil, err
	}
	return c.session(group[0].name), nil
}

func readClaudeCode(group []source, opt *Options, _ *skips, hand func(*recording.Session, *skips) error) error {
	sk := &skips{}
	s, err := claudeCodeSession(group, opt, sk)
	if err != nil {
		return err
	}
	return hand(s, sk)
}

// claudeCodeReader is a session being read.
type claudeCodeReader struct {
	opt   *Options
	skips *skips
	out   recording.Session

	requests []ccRequest
	threads  []ccThread
	spawns   []ccSpawn
	skills   []string                // of each request, to see them change
	byID     map[string]int32        // requests by message id
	agents   map[string]int32        // threads by agent id
	uses     map[string]ccUse        // tool uses by recorded id
	nodes    map[xxh3.Uint128]ccNode // lines by uuid
	words    map[string]string       // names that recur, as they are kept
	records  int
	content  int64 // bytes of content held
	full     bool  // there was more content than may be held

	// Of the file and line being read:
	file   string
	number int64
	own    int32 // the file's thread
	at     int64 // time of the last line that had one
}

// ccRequest is a request being read.
type ccRequest struct {
	recording.Request
	// What followed it: results of its tool uses and what stood with them.
	results, beside []llm.Block
}

// ccThread is a thread being read.
type ccThread struct {
	recording.Thread
	began  int64  // time of its first line
	prompt uint64 // hash of what its first line says; 0 for none
	file   bool   // it has a file of its own
	inline bool   // read from progress lines
	forked bool   // its first line goes on from another thread
	spawn  int32  // what spawned it, an index of spawns; -1 when unknown
	last   int32  // its last request, in the order of the file; -1 for none
	copied int32  // the request of another thread that was met last in it
	tail   ccNode // inline: what the next line goes on from
	cut    bool   // inline: the last line was not an answer
}

// ccNode is what is known of a line, for those that go on from it.
type ccNode struct {
	request int32 // the nearest one at or above it; -1 for none
	thread  int32
	turn    bool // a message of the user stands between
	compact bool // a compaction stands between
	orphan  bool // what it goes on from is not in the recording
	at      int64
	said    *ccText // content said between
	told    *ccTold // told between
	state   ccState
}

// ccUse is where a tool use stands.
type ccUse struct {
	request, tool int32
	spawn         int32 // index of spawns; -1 for other tools
	at            int64
}

// ccSpawn is a tool use that starts a sub-agent.
type ccSpawn struct {
	use    ccUse
	prompt uint64
	kind   string // the agent's type
	agent  string // its id; "" when unknown
	async  bool
}

func newClaudeCode(opt *Options, sk *skips) *claudeCodeReader {
	return &claudeCodeReader{
		opt: opt, skips: sk,
		byID: map[string]int32{}, agents: map[string]int32{}, uses: map[string]ccUse{},
		nodes: map[xxh3.Uint128]ccNode{}, words: map[string]string{},
	}
}

// readAll reads the files, the main thread's first: side chains and forks go on
// from its lines.
func (c *claudeCodeReader) readAll(group []source) error {
	owners := make([]int32, len(group))
	for i, src := range group {
		if path.Base(src.name) == journalName {
			owners[i] = -1
			continue
		}
		owners[i] = c.thread(owner(src))
		t := &c.threads[owners[i]]
		t.file = true
		if _, run, ok := workflowOf(src.name); ok {
			t.Workflow = c.word(run)
		}
	}
	for _, main := range []bool{true, false} {
		for i, src := range group {
			if owners[i] < 0 || c.threads[owners[i]].Kind == recording.Main != main {
				continue
			}
			if err := c.readFile(src, owners[i]); err != nil {
				return err
			}
		}
	}
	for i, src := range group {
		if owners[i] < 0 {
			if err := c.readJournal(src); err != nil {
				return err
			}
		}
	}
	return nil
}

// owner is the id of the agent whose thread a file holds; "" for the main thread.
func owner(src source) string {
	if base := path.Base(src.name); src.agent == "" && strings.HasPrefix(base, "agent-") {
		agent, _, _ := strings.Cut(base[len("agent-"):], ".")
		return agent
	}
	return src.agent
}

// readFile reads one file into its thread.
func (c *claudeCodeReader) readFile(src source, own int32) error {
	c.file, c.own, c.at = src.name, own, 0
	return c.each(src, c.read)
}

// each calls read for the lines of a file, which it enters.
func (c *claudeCodeReader) each(src source, read func(line []byte, cut bool)) error {
	file, err := eachLine(src, c.opt, c.skips, func(line []byte, number int64, cut bool) error {
		c.number = number
		read(line, cut)
		return nil
	})
	if err == nil {
		c.out.Files = append(c.out.Files, file)
	}
	return err
}

// thread is the thread of an agent, made when it is new; "" is the main thread.
func (c *claudeCodeReader) thread(agent string) int32 {
	if t, ok := c.agents[agent]; ok {
		return t
	}
	t := int32(len(c.threads))
	c.agents[agent] = t
	thread := recording.Thread{Name: agent, Kind: recording.SubAgent, Parent: -1, SpawnedBy: -1}
	switch {
	case agent == "":
		thread.Name, thread.Kind = recording.Main.String(), recording.Main
	case strings.HasPrefix(agent, "acompact-"):
		thread.Kind = recording.Compact
	}
	c.threads = append(c.threads, ccThread{Thread: thread, spawn: -1, last: -1, copied: -1, tail: ccNode{request: -1, thread: t}})
	return t
}

// skip counts something of the present line.
func (c *claudeCodeReader) skip(what string) { c.skips.add(what, c.file, c.number) }

// readAs counts what was read, and says as what.
func (c *claudeCodeReader) readAs(what string) { c.skips.take(what, 1, c.file, c.number) }

// word is a name that recurs, kept once.
func (c *claudeCodeReader) word(s string) string {
	if w, ok := c.words[s]; ok {
		return w
	}
	w := c.plain(s)
	c.words[strings.Clone(s)] = w
	return w
}

func (c *claudeCodeReader) plain(s string) string { return plain(s, c.skips, c.file, c.number) }

// room reports whether one more record may be kept.
func (c *claudeCodeReader) room() bool {
	if c.records >= maxRecords {
		return false
	}
	c.records++
	return true
}
