package loading

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/transcript/sqlite"
)

// Sessions reads what the arguments name, one session after another with what it
// belongs to: recorded sessions (files or directories), databases of runs, and the
// beginnings of ids of runs, which are looked up in db. skipped is how many things the
// recordings hold that were not understood.
func Sessions(s *ui.Env, args []string, db string, take func(source string, x *recording.Session)) (skipped int64, err error) {
	var paths []string
	once := &once{take: take, seen: map[string][2]string{}}
	take = once.session
	defer once.tell(s)
	for _, arg := range args {
		_, missing := os.Stat(arg)
		switch {
		case IsScenario(arg) && (missing != nil || filepath.Ext(arg) != ""):
			err = ui.Failf(ui.Usage, "%s holds no recorded session: agentsim run records a scenario's runs, and says the ids to name here", arg)
		case missing == nil && isDatabase(arg):
			err = fromDatabase(arg, "", take)
		case errors.Is(missing, os.ErrNotExist) && strings.Trim(arg, "0123456789abcdef") == "":
			err = fromDatabase(db, arg, take)
		default:
			paths = append(paths, arg)
		}
		if err != nil {
			return 0, err
		}
	}
	if len(paths) == 0 {
		return 0, nil
	}
	read, err := Recordings(s, paths, importer.Options{Content: true}, func(x *recording.Session) error {
		take(cmp.Or(x.Origin, RootOf(x, paths)), x)
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, k := range read.Skipped {
		if strings.HasPrefix(k.What, importer.Contradiction) {
			s.Tell("%s", skipLine(&k))
		}
		if !k.Taken {
			skipped += k.Count
		}
	}
	return skipped, nil
}

// LogSlack is how long after a lifetime the client's log still shows hits: the last one
// that was recorded came 308.5 s after the request before.
const LogSlack = "8.5s"

// once hands on each session once: one that has the id of an earlier one is the same,
// unless the same format tells of it for another origin.
type once struct {
	take  func(source string, x *recording.Session)
	seen  map[string][2]string // format and origin, by id
	twice []string
}

func (o *once) session(source string, x *recording.Session) {
	id := idOf(x)
	if was, ok := o.seen[id]; ok && id != "" && (x.Format != was[0] || x.Origin == was[1]) {
		o.twice = append(o.twice, x.ID)
		return
	}
	o.seen[id] = [2]string{x.Format, x.Origin}
	o.take(source, x)
}

func (o *once) tell(s *ui.Env) {
	if len(o.twice) > 0 {
		s.Tell("in the sources more than once, and counted once: session %s", report.Some(o.twice))
	}
}

// idOf is a session's id as rows have it: the beginning of its hash.
func idOf(x *recording.Session) string {
	const rowID = 12 // digits
	if x.ID == "" || len(x.ID) == rowID && strings.Trim(x.ID, "0123456789abcdef") == "" {
		return x.ID
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(x.ID)))[:rowID]
}

// isDatabase reports whether a file begins as SQLite's do.
func isDatabase(name string) bool {
	f, err := hostdir.Machine{}.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// fromDatabase reads one run of a database, or with "" all that are recorded whole.
func fromDatabase(name, run string, take func(source string, x *recording.Session)) error {
	db, err := rundb.Open(name)
	if err != nil {
		return err
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil {
		return err
	}
	if run != "" {
		info, err := rundb.Find(db, run)
		if err != nil {
			return err
		}
		if err := rundb.NeedsAll(info); err != nil {
			return err
		}
		runs = []sqlite.RunInfo{info}
	}
	for _, info := range runs {
		if rundb.NeedsAll(info) != nil {
			continue
		}
		x, err := Session(db, info)
		if err != nil {
			return err
		}
		take(cmp.Or(x.Origin, name), x)
	}
	return nil
}

// Session is a run as a session: of a simulated one with what was said, where that is
// recorded.
func Session(db *sqlite.DB, info sqlite.RunInfo) (*recording.Session, error) {
	x, err := db.Recording(info.ID)
	if err != nil || info.Recorded() {
		return x, err
	}
	return x, db.Spoken(info.ID, x)
}

// Said adds to the requests of a session what the record holds of their content: the
// blocks between an answer and the next request, and those of answers.
func Said(db *sqlite.DB, info sqlite.RunInfo, x *recording.Session) error {
	turns, err := db.Turns(info.ID)
	if err != nil {
		return err
	}
	messages, err := db.Messages(info.ID)
	if err != nil {
		return err
	}
	nodes := map[string]*sqlite.Said{}
	id := recording.ToolUseID
	if info.Recorded() { // the record holds what recorded ids became
		id = func(stored string) llm.ToolUseID { id, _ := llm.ParseToolUseID(stored); return id }
	}
	for i := range messages {
		nodes[messages[i].Hash] = &messages[i]
	}
	calls := map[[2]int]*sqlite.Turn{}
	for i := range turns {
		calls[[2]int{int(turns[i].Agent), turns[i].Call}] = &turns[i]
	}
	nth := map[int32]int{}
	for i := range x.Requests {
		r := &x.Requests[i]
		t := calls[[2]int{int(r.Thread), nth[r.Thread]}]
		nth[r.Thread]++
		if t == nil {
			continue
		}
		r.Answer = blocks(nodes, t.Answer, t.Head, llm.Assistant, id)
		r.Said = []llm.Msg{{Role: llm.User, Blocks: blocks(nodes, t.Head, "", llm.User, id)}}
	}
	return nil
}

// blocks are those of one side, in order, from a node back to another, or to the
// first of the other side.
func blocks(nodes map[string]*sqlite.Said, from, to string, role llm.Role, id func(string) llm.ToolUseID) (out []llm.Block) {
	kinds := map[string]llm.Kind{llm.Text.String(): llm.Text, llm.ToolUse.String(): llm.ToolUse, llm.ToolResult.String(): llm.ToolResult}
	for n := nodes[from]; n != nil && n.Hash != to && n.Role == role.String(); n = nodes[n.Parent] {
		if kind, ok := kinds[n.Kind]; ok {
			out = append(out, llm.Block{Kind: kind, Name: n.Name, ID: id(n.ToolUse), IsError: n.IsError, Content: llm.NewText(llm.Prose, n.Content)})
		}
	}
	slices.Reverse(out)
	return out
}
