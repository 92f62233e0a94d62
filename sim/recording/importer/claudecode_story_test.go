package importer

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// TestClaudeCodeStories runs the stories of the Claude Code reader. Commands:
//
//	file NAME [cut]     adds a file; each line of the block is one of its lines (see ccLineOf)
//	read [content] [max-content=N] [max-line=N]
//	                    reads all files as one session and prints it
func TestClaudeCodeStories(t *testing.T) {
	datadriven.Walk(t, "testdata/claudecode", func(t *testing.T, name string) {
		var files []source
		datadriven.RunTest(t, name, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "file":
				files = append(files, ccSource(d.CmdArgs[0].Key, ccFile(t, d.Input, d.HasArg("cut"))))
				return ""
			case "read":
				opt := &Options{Content: d.HasArg("content")}
				d.MaybeScanArgs(t, "max-content", &opt.MaxContent)
				d.MaybeScanArgs(t, "max-line", &opt.MaxLine)
				sk := &skips{}
				s, err := claudeCodeSession(files, opt, sk)
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				s.Skipped = sk.sorted()
				return ccTell(s)
			}
			d.Fatalf(t, "no command %q", d.Cmd)
			return ""
		})
	})
}

// ccSource is a file that holds text.
func ccSource(name, text string) source {
	return identified(source{name: name, size: int64(len(text)), open: func() (*opened, error) {
		return openSource(io.NopCloser(strings.NewReader(text)), func(int64) {})
	}})
}

// identified is a source with what its head says.
func identified(src source) source {
	if id, ok, err := identify(src, &Options{}, &skips{}); ok && err == nil {
		src.identity = id
	}
	return src
}

// ccFile makes a recorded file of a story's lines. One that is cut ends in the
// middle of its last line.
func ccFile(t testing.TB, story string, cut bool) string {
	var b strings.Builder
	for line := range strings.Lines(story) {
		b.WriteString(ccLineOf(t, strings.TrimSpace(line)))
		b.WriteByte('\n')
	}
	if cut {
		return b.String()[:b.Len()-20]
	}
	return b.String()
}

// ccLineOf makes one recorded line. It is given as it stands, behind the word raw,
// or in words: type, uuid, then any of
//
//	from=UUID at=SECONDS side agent=ID meta summary session=ID logical=UUID subtype=TYPE
//	id=MESSAGE model=NAME in= w5= w1= w= read= out= stop=REASON miss=REASON:TOKENS iterations=N failed
//	say="text" think="text" use=ID:NAME[:INPUT] for=ID:"result" error image result={json}
//	progress=AGENT:USE (the line stands inside a progress line of the parent's thread)
func ccLineOf(t testing.TB, line string) string {
	if raw, ok := strings.CutPrefix(line, "raw "); ok {
		return raw
	}
	w := ccWords(line)
	l := map[string]any{"type": w[0], "uuid": w[1], "parentUuid": nil, "sessionId": "s1", "version": "2.1.0", "isSidechain": false}
	m := map[string]any{"role": w[0], "content": []any{}}
	usage := map[string]any{}
	var progress string
	for _, word := range w[2:] {
		k, v, _ := strings.Cut(word, "=")
		switch k {
		case "progress":
			progress = v
		case "in", "w", "read", "out", "w5", "w1", "iterations":
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			ccSetUsage(usage, k, n)
			m["usage"] = usage
		default:
			if !ccSetMessage(l, m, k, v) && !ccSetLine(l, k, v) {
				t.Fatalf("%s: what is %q?", line, k)
			}
		}
	}
	switch w[0] {
	case "assistant", "user":
		l["message"] = m
	case "attachment":
		if l["attachment"] == nil {
			l["attachment"] = map[string]any{"type": "queued_command", "prompt": m["content"]}
		}
	}
	if agent, use, ok := strings.Cut(progress, ":"); ok {
		l = map[string]any{
			"type": "progress", "uuid": "p-" + w[1], "sessionId": "s1", "timestamp": "1970-01-01T01:00:00Z", "parentToolUseID": use, "version": "2.1.0",
			"data": map[string]any{"type": "agent_progress", "agentId": agent, "message": l},
		}
	}
	out, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func ccSetUsage(usage map[string]any, k string, n int64) {
	switch k {
	case "in":
		usage["input_tokens"] = n
	case "w":
		usage["cache_creation_input_tokens"] = n
	case "read":
		usage["cache_read_input_tokens"] = n
	case "out":
		usage["output_tokens"] = n
	case "iterations":
		usage["iterations"] = make([]map[string]any, n)
	default:
		usage["cache_creation_input_tokens"] = n
		usage["cache_creation"] = map[string]any{map[string]string{"w5": "ephemeral_5m_input_tokens", "w1": "ephemeral_1h_input_tokens"}[k]: n}
	}
}

func ccSetLine(l map[string]any, k, v string) bool {
	switch k {
	case "from":
		l["parentUuid"] = v
	case "at":
		at, frac, _ := strings.Cut(v, ".")
		n, err := strconv.Atoi(at)
		if err != nil {
			l["timestamp"] = v
			break
		}
		l["timestamp"] = fmt.Sprintf("1970-01-01T%02d:%02d:%02d.%sZ", n/3600, n/60%60, n%60, (frac + "000")[:3])
	case "side":
		l["isSidechain"] = true
	case "agent":
		l["agentId"], l["isSidechain"] = v, true
	case "meta":
		l["isMeta"] = true
	case "summary":
		l["isCompactSummary"] = true
	case "failed":
		l["isApiErrorMessage"] = true
	case "session":
		l["sessionId"] = v
	case "logical":
		l["logicalParentUuid"] = v
	case "subtype":
		l["subtype"] = v
	case "typed":
		l["thinkingMetadata"] = map[string]any{}
	case "effort":
		l["effort"] = v
	case "skill":
		l["attributionSkill"] = v
	case "permission":
		l["permissionMode"] = v
	case "version":
		l["version"] = v
	case "attach":
		l["attachment"] = map[string]any{"type": v}
	case "hook":
		l["attachment"] = map[string]any{"type": "hook_success", "hookName": v}
	case "ran":
		l["content"] = v
	case "result":
		l["toolUseResult"] = json.RawMessage(v)
	default:
		return false
	}
	return true
}

func ccSetMessage(l, m map[string]any, k, v string) bool {
	blocks, _ := m["content"].([]any)
	add := func(b map[string]any) { m["content"] = append(blocks, b) }
	switch k {
	case "id", "model":
		m[k] = v
	case "speed":
		m["usage"].(map[string]any)["speed"] = v
	case "stop":
		m["stop_reason"] = v
	case "miss":
		reason, n, _ := strings.Cut(v, ":")
		m["diagnostics"] = map[string]any{"cache_miss_reason": map[string]any{"type": reason, "cache_missed_input_tokens": json.Number(n)}}
	case "string":
		m["content"] = v
	case "say":
		add(map[string]any{"type": "text", "text": v})
	case "think":
		add(map[string]any{"type": "thinking", "thinking": v})
	case "image":
		add(map[string]any{"type": "image", "source": map[string]any{"type": "base64", "data": "AA=="}})
	case "block":
		add(map[string]any{"type": v})
	case "use":
		f := strings.SplitN(v, ":", 3)
		input := "{}"
		if len(f) == 3 {
			input = f[2]
		}
		add(map[string]any{"type": "tool_use", "id": f[0], "name": f[1], "input": json.RawMessage(input)})
	case "for":
		id, text, _ := strings.Cut(v, ":")
		add(map[string]any{"type": "tool_result", "tool_use_id": id, "content": text})
	case "error":
		blocks[len(blocks)-1].(map[string]any)["is_error"] = true
	default:
		return false
	}
	return true
}

// ccWords splits a line at spaces that stand outside of quotes, and takes the
// quotes away: either kind, so that JSON may stand in single ones.
func ccWords(line string) (out []string) {
	var word strings.Builder
	quote := rune(0)
	for _, r := range line + " " {
		switch {
		case quote == 0 && (r == '"' || r == '\'') || r == quote:
			quote = r - quote
		case r == ' ' && quote == 0:
			if word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return out
}

// ccTell prints a session: its threads, its requests, what was skipped.
func ccTell(s *recording.Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "session %s of %s\n", s.ID, s.Client)
	for i, t := range s.Threads {
		fmt.Fprintf(&b, "thread %d %s %v", i, t.Name, t.Kind)
		ccGiven(&b, " type=", t.Type)
		if t.Parent >= 0 {
			fmt.Fprintf(&b, " parent=%d", t.Parent)
		}
		if t.SpawnedBy >= 0 {
			fmt.Fprintf(&b, " by=%d", t.SpawnedBy)
		}
		ccGiven(&b, " use=", t.ToolUse)
		ccGiven(&b, " workflow=", t.Workflow)
		ccFlag(&b, t.Async, " async")
		if t.CopiedHead > 0 {
			fmt.Fprintf(&b, " copied=%d", t.CopiedHead)
		}
		b.WriteByte('\n')
	}
	for i := range s.Requests {
		ccTellRequest(&b, i, &s.Requests[i])
	}
	for _, k := range s.Skipped {
		fmt.Fprintf(&b, "skipped %d: %s (%s:%d)\n", k.Count, k.What, path.Base(k.File), k.Line)
	}
	return b.String()
}

func ccTellRequest(b *strings.Builder, i int, r *recording.Request) {
	fmt.Fprintf(b, "%d %s thread=%d pred=%d", i, r.ID, r.Thread, r.Pred)
	ccGiven(b, " model=", r.Model)
	fmt.Fprintf(b, " at=%s..%s..%s", ccClock(r.Start), ccClock(r.First), ccClock(r.Last))
	if u := r.Usage; r.Billed {
		fmt.Fprintf(b, " in=%d 5m=%d 1h=%d read=%d out=%d", u.Input, u.Write5m, u.Write1h, u.Read, u.Output)
		ccFlag(b, !r.OutputKnown, "?")
	} else {
		b.WriteString(" not-billed")
	}
	ccFlag(b, r.UserTurn, " turn")
	ccFlag(b, r.Compacted, " compacted")
	ccFlag(b, r.Orphan, " orphan")
	ccGiven(b, " stop=", r.Stop)
	if r.ServerMiss != "" {
		fmt.Fprintf(b, " miss=%s:%d", r.ServerMiss, r.ServerMissed)
	}
	b.WriteByte('\n')
	if len(r.Told) > 0 {
		fmt.Fprintf(b, "  told of %+v:", r.Settings)
		for _, t := range r.Told {
			fmt.Fprintf(b, " %v@%d", t.What, t.Line)
		}
		b.WriteByte('\n')
	}
	for _, m := range r.Said {
		fmt.Fprintf(b, "  said by %v\n", m.Role)
		ccTellBlocks(b, m.Blocks)
	}
	if r.Answer != nil {
		b.WriteString("  answered\n")
		ccTellBlocks(b, r.Answer)
	}
	for _, u := range r.Tools {
		fmt.Fprintf(b, "  tool %s %s", u.ID, u.Name)
		ccFlag(b, !u.Done, " open")
		ccFlag(b, u.IsError, " error")
		if u.Done {
			fmt.Fprintf(b, " %d bytes in %v", u.Bytes, u.Took)
		}
		if u.Spawned >= 0 {
			fmt.Fprintf(b, " spawned=%d", u.Spawned)
		}
		b.WriteByte('\n')
	}
}

func ccTellBlocks(b *strings.Builder, blocks []llm.Block) {
	for _, k := range blocks {
		fmt.Fprintf(b, "    %v", k.Kind)
		if k.ID != (llm.ToolUseID{}) {
			fmt.Fprintf(b, " %v", k.ID)
		}
		ccGiven(b, " ", k.Name)
		ccFlag(b, k.IsError, " error")
		fmt.Fprintf(b, " %s\n", k.Content.Raw())
	}
}

func ccGiven(b *strings.Builder, label, s string) {
	if s != "" {
		b.WriteString(label + s)
	}
}

func ccFlag(b *strings.Builder, on bool, s string) {
	if on {
		b.WriteString(s)
	}
}

// ccClock is an instant in seconds without what is zero.
func ccClock(t vtime.Instant) string { return strings.TrimSuffix(vtime.Duration(t).String(), "s") }
