package importer

import (
	"bytes"
	"encoding/json"
	"io"
	"path"
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
)

// A file is of no known format when none of its first maxHeadLines lines says
// what it is, as far as they lie within two lines' limit, or the first headBytes
// of a file that is one value.
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

// identify reads the head of a file. ok is false for a file that holds nothing.
// Lines of the head that are too long to be read are counted in sk where no other
// says what the file is.
func identify(src source, opt *Options, sk *skips) (id identity, ok bool, err error) {
	from, err := src.open()
	if err != nil {
		return identity{}, false, located(src.name, 0, err)
	}
	head, err := io.ReadAll(io.LimitReader(from, headBytes))
	if err != nil && !brokenOff(err) {
		return identity{}, false, located(src.name, 0, err)
	}
	if err := from.Close(); err != nil {
		return identity{}, false, located(src.name, 0, err)
	}
	if len(bytes.TrimSpace(head)) == 0 && len(head) < headBytes {
		return identity{}, false, nil
	}
	if k := topKeys(head); k.all("block_size", "requests") || k.all("block_size", "hash_id_scope") {
		return identity{format: kvTrace}, true, nil
	}
	id, err = identifyLines(src, opt, sk)
	if session, run, ok := workflowOf(src.name); ok && id.format == unknown && path.Base(src.name) == journalName && session != "" {
		id = identity{format: claudeCode, session: session, agent: journalName + " " + run}
	}
	return id, true, err
}

// identifyLines looks for the first line that says what it is.
func identifyLines(src source, opt *Options, sk *skips) (identity, error) {
	from, err := src.open()
	if err != nil {
		return identity{}, located(src.name, 0, err)
	}
	passed := &skips{}
	lines := newLineReader(io.LimitReader(from, 2*opt.MaxLine+headBytes), src.name, opt, passed)
	var id identity
	for range maxHeadLines {
		line, _, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return identity{}, closing(err, from.Close)
		}
		if id = identifyLine(line); id.format != unknown {
			break
		}
	}
	if id.format == unknown {
		sk.mergeOnly(passed, lines.tooLong())
	}
	return id, from.Close()
}

func identifyLine(line []byte) identity {
	k := topKeys(line)
	switch {
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
	if session, agent, _, ok := peekClaudeCode(line); ok && session != "" {
		return identity{format: claudeCode, session: short(session), agent: short(agent)}
	}
	return identity{}
}

// keys are the names of a JSON object's members.
type keys map[string]bool

func (k keys) all(names ...string) bool {
	for _, n := range names {
		if !k[n] {
			return false
		}
	}
	return true
}

// topKeys are the keys of the object that data begins with, as far as data goes.
func topKeys(data []byte) keys {
	out := keys{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return out
	}
	for dec.More() && len(out) < maxHeadLines {
		name, err := dec.Token()
		if err != nil {
			return out
		}
		s, _ := name.(string)
		out[s] = true
		if !passValue(dec) {
			return out
		}
	}
	return out
}

// maxNesting is how deep values may be nested, as in encoding/json.
const maxNesting = 10_000

// passValue passes over one value.
func passValue(dec *json.Decoder) bool {
	for depth := 0; ; {
		t, err := dec.Token()
		if err != nil {
			return false
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return true
		}
		if depth > maxNesting {
			return false
		}
	}
}
