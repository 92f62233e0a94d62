package importer

import (
	"cmp"
	"encoding/json"
	"io"
	"path"
	"slices"
)

// format is what a file holds.
type format uint8

const (
	unknown format = iota
	claudeCode
	codex
	traceLab
	kvTrace
	rows
	rawBodies
)

// A file is of no known format when none of its first maxHeadLines lines says
// what it is, as far as they lie within two lines' limit.
const (
	maxHeadLines = 256
	headBytes    = 64 << 10
)

// identity is what the head of a file says of it.
type identity struct {
	format  format
	session string // Claude Code and Codex: the id of the session or thread
	agent   string // Claude Code: of the sub-agent; "" for a main thread
	parent  string // Codex: the thread that spawned this one, or that it is a fork of
}

// identify reads the head of a file up to the line that says what it is. ok is
// false for a file that holds nothing. Lines of the head that are too long to be
// read are counted in sk where no other says what the file is.
func identify(src source, opt *Options, sk *skips) (id identity, ok bool, err error) {
	from, err := src.open()
	if err != nil {
		return identity{}, false, located(src.name, err)
	}
	if isBody(src.name) {
		return identity{format: rawBodies, session: path.Dir(src.name), agent: path.Base(src.name)}, true, from.Close()
	}
	passed := &skips{}
	lines := newLineReader(io.LimitReader(from, 2*cmp.Or(opt.MaxLine, defaultMaxLine)+headBytes), src.name, opt, passed)
	for range maxHeadLines {
		line, _, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return identity{}, false, closing(err, from.Close)
		}
		ok = true
		if id = identifyLine(line); id.format == unknown {
			id = identifyBody(src.name, line)
		}
		if id.format != unknown {
			break
		}
	}
	if id.format == unknown {
		sk.mergeOnly(passed, lines.tooLong())
	}
	ok = ok || len(passed.list) > 0
	if session, run, here := workflowOf(src.name); ok && here && id.format == unknown && path.Base(src.name) == journalName && session != "" {
		id = identity{format: claudeCode, session: session, agent: journalName + " " + run}
	}
	return id, ok, from.Close()
}

func identifyLine(line []byte) identity {
	var k keys
	if json.Unmarshal(line, &k) != nil {
		return identity{}
	}
	switch {
	case k.all("block_size", "requests"):
		return identity{format: kvTrace}
	case k.all("provider", "session_id", "round_index", "timing_events"):
		return identity{format: traceLab}
	case k.all("repo", "session", "thread", "read", "uncached"):
		return identity{format: rows}
	case k.all("type", "payload"):
		if thread, parent, ok := peekCodex(line); ok {
			return identity{format: codex, session: thread, parent: parent}
		}
		return identity{}
	}
	if session, agent, ok := peekClaudeCode(line); ok && session != "" {
		return identity{format: claudeCode, session: short(session), agent: short(agent)}
	}
	return identity{}
}

// keys are the names of a JSON object's members.
type keys map[string]json.RawMessage

func (k keys) all(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return k[n] == nil })
}
