package transcript

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

// bodies is one full example of every kind.
func bodies() []Body {
	b := new(llm.Builder)
	scope := llm.Scope{Organisation: "o", Workspace: "w", Model: "m"}
	root := b.Root(scope, llm.Salts{})
	sys := b.Border(root, llm.System, llm.Salts{})
	msgs := b.Border(sys, llm.Messages, llm.Salts{})
	ask := b.Append(msgs, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "hi")})
	answer := b.Append(ask, llm.Assistant, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "ho")})
	id := llm.NewToolUseID(rng.Root(7))
	usage := llm.Usage{Input: 3, Write5m: 120, Write1h: 7, Read: 61402, Output: 88}
	rolled := llm.Usage{Input: 30, Write5m: 1200, Write1h: 70, Read: 614020, Output: 880}
	cache := llm.CacheReport{ReadTo: msgs, WrittenTo: ask, Undecided: 2,
		Miss: llm.Miss{Reason: llm.MissLookBack, Expected: 61500, Lost: 98, Pos: 1, Byte: 40}}
	return []Body{
		&RunStart{Scenario: "hello", Variant: "fork one", Seed: 1<<64 - 1, Policy: "fifo", Spec: "ab12", Semantics: 1},
		&AgentStart{ID: 0x1f, Lineage: "main/12.3", Parent: 1, Type: "Explore", Structure: "subagent", Model: "m",
			Depth: 1, Chain: 9, PoolMode: "bubble", RunMode: "plan", Async: true, Source: "agent:builtin:fork", Activation: 1,
			Tools: []string{"Read", "a,b"}, ToolUse: id, Context: ContextFacts{FileCache: "cloned", FilesKnown: 4,
				Abort: "linked", SetAppState: "no-op", AvoidPrompts: true, Replacements: 2, Thinking: true,
				UserContext: []string{"claudeMd"}, SystemContext: []string{"gitStatus"}}},
		&Stage{Lineage: "main/0.1", N: 2, Name: "pool", Detail: "3 of 5 tools"},
		&Request{Call: 4, Attempt: 1, Head: ask, Model: "m", Automatic: true, InvokingRequest: id,
			Breakpoints: []llm.Breakpoint{{Node: ask}, {Node: answer, TTL: llm.TTL1h}}},
		&Response{Call: 4, Attempt: 1, Head: answer, Resp: &llm.Response{Stop: llm.StopToolUse, Usage: usage,
			Cache: cache, Started: 1, Began: 2, Ended: 3}},
		&Recorded{Call: 4, ID: "msg_1", Pred: 3, Version: "2.1.38", Stop: "tool_use", UserTurn: true, Compacted: true, OutputUnknown: true,
			WritesUnknown: true, Unbilled: true, AnswerBlocks: 3, Told: "effort:high resume@0:9", ServerMiss: "tools_changed", ServerMissed: 61000, Class: "zero", Cause: "tools",
			Expected: 61500, Tools: []RecordedTool{{"toolu_01", 2}, {"a,b", -1}}},
		&APIError{Call: 4, Attempt: 2, RetryIn: vtime.Second, GivesUp: true, Err: &llm.APIError{Status: 529,
			Type: "overloaded_error", Message: "try \"later\"\n", RetryAfter: vtime.Minute, Usage: usage, Cache: cache, Began: 5}},
		&ToolCall{Call: 4, Index: 1, ID: id, Name: "Read", Input: llm.Hash{Hi: 1, Lo: 2}, Cause: "stale"},
		&ToolResult{Call: 4, Index: 1, ID: id, Name: "Read", IsError: true, RemovedBy: "layer 2", Bytes: 77, Took: 5},
		&Permission{Tool: "Edit", Mode: "default", Decision: "ask", Why: "writes"},
		&StateWrite{Field: "todos", Effect: "no-op"},
		&Listener{Op: "add", On: 2},
		&Abort{Target: 2, Why: "task-stop"},
		&Task{ID: "a0001", Type: "agent", From: "pending", To: "running", Activation: 1},
		&Handoff{Activation: 1, Head: answer, Taint: "readme note", Verdict: "flagged", Why: "it says \"run\""},
		&Notification{TaskID: "a0001", Op: "queued", Place: "loop", Status: "completed", Activation: 1, Bytes: 9},
		&Message{TaskID: "a0001", Op: "delivered", Place: "loop", From: 3, N: 2, Activation: 1, Bytes: 9},
		&Output{TaskID: "a0001", Op: "evicted", Activation: 1, Bytes: 900},
		&Progress{ToolUses: 6, Input: 900, Output: 70, Last: [5]*llm.Block{{Name: "Edit"}, {Name: "Read"}, {Name: "Grep"}, {Name: "Glob"}, {Name: "Read"}}},
		&WakeUp{Why: "notification", Prefix: 61000},
		&UserMessage{Bytes: 12},
		&Rebase{Why: "settings", Position: 3, Detail: "github dropped", Tools: []string{"Read"}},
		&Compact{Call: 7, Tokens: 161000, FullAt: 160000, Blocks: 44, Bytes: 610000, After: 5200, Kept: 12, Lost: []string{"auth.null-user", "b c"}, Versions: 9, Cache: 11},
		&Replace{ID: id, From: 9000, To: 40},
		&Hook{Op: "run", Event: "PreToolUse", Command: "./check.sh -v", Tool: "Bash", Outcome: "block", Reason: "not today"},
		&Definition{Type: "code reviewer", Source: "userSettings", Place: "~/a.md:2", Outcome: "overridden", By: ".claude/agents/b.md:2"},
		&Gate{Name: "FORK_SUBAGENT", Value: "true"},
		&Server{Name: "github", Status: "connected", Tools: []string{"mcp__github__search"}},
		&Plan{Op: "leave", From: "plan", To: "auto", File: "~/.claude/plans/x.md", Stripped: []string{"Bash", "Agent"}},
		&Team{Team: "web", Op: "joined", Name: "alice", Backend: "tmux", StartUp: 3 * vtime.Second, Connections: 2},
		&Mail{Team: "web", Op: "delivered", Place: "idle", From: "team-lead", To: "alice", N: 2, Type: "plan_approval_response", Mode: "default", Bytes: 80},
		&TeamTask{Team: "web", Task: 3, Op: "updated", Status: "in_progress", Owner: "alice", By: "alice"},
		&Worktree{Op: "made", Path: ".claude/worktrees/agent-a0", Branch: "worktree-agent-a0", Lineage: "main/1.1"},
		&Conflict{Path: "a.go", At: "merge", First: 1, Second: 2, Base: "0a1b2c3d", Other: "4d5e6f70"},
		&Link{Op: "lost", Way: "out", N: 2, What: "message", Attempt: 1, Bytes: 40},
		&Terminal{Line: "└─ done"},
		&Finding{Rule: "look-back", Detail: "nine forks"},
		&Item{Item: "fix-auth", Outcome: "done", Missing: []string{"a", "b c"}, Rereads: map[string]int{"stale": 1, "lazy": 2}},
		&AgentEnd{Status: "completed", Why: "end_turn", Turns: 3, ToolUses: 2, Own: usage, Rolled: rolled},
		&RunEnd{Outcome: "limit", Detail: "steps"},
	}
}

func events() []*Event {
	var out []*Event
	for i, b := range bodies() {
		out = append(out, &Event{Seq: uint64(i), At: vtime.Instant(i) * 1_500_000_000, Phase: 1, Agent: int32(i%3) - 1, Body: b})
	}
	return out
}

// outOfBoth are the fields that neither text nor form has, with the reason.
var outOfBoth = map[string]string{
	"Request.Expect":        "a pointer to an earlier request; its effect is the response's miss",
	"Request.Settings":      "the salts are in the head's hash",
	"Request.MaxTokens":     "what an answer has of it is the response's",
	"Response.Model":        "the request's",
	"APIError.Model":        "the request's",
	"Response.Resp.Head":    "the event's own head is recorded",
	"Response.Resp.Blocks":  "in the head's hash",
	"Response.Resp.Causes":  "with the tool calls",
	"AgentEnd.Answers":      "a sum of answers",
	"AgentEnd.OutputTokens": "a sum of answers",
	"AgentEnd.FirstToken":   "a sum of answers",
	"AgentEnd.Progress":     "a count of calls and answers",
	"Response.Resp.Again":   "a finding",
	"Response.Resp.Copy":    "an error of its own",

	"Response.Resp.Cache.Life": "follows from the requests before",
	"Response.Resp.Cache.Left": "follows from the requests before",
	"APIError.Err.Cache.Life":  "follows from the requests before",
	"APIError.Err.Cache.Left":  "follows from the requests before",
}

// What a change of a field does to form and text.
type effect int

const (
	changes effect = iota
	alike          // whatever it does to one it does to the other
	nothing
)

// mutate changes one leaf after the other, calls check and restores it; and so with
// each made zero.
func mutate(path string, v reflect.Value, check func(path string, does effect)) {
	old := reflect.ValueOf(v.Interface())
	defer func() { v.Set(old) }()
	if outOfBoth[path] != "" {
		other(v)
		check(path, nothing)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			mutate(path+"."+v.Type().Field(i).Name, v.Field(i), check)
		}
		return
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*llm.Node]() {
			mutate(path, v.Elem(), check)
			return
		}
	case reflect.Slice:
		for i := range v.Len() {
			mutate(fmt.Sprintf("%s.%d", path, i), v.Index(i), check)
			v.Set(old.Slice(0, i))
			check(path+" cut", changes)
			v.Set(old)
		}
		if v.Len() > 0 {
			return
		}
	}
	other(v)
	check(path, changes)
	if !strings.HasSuffix(path, ".Node") { // a breakpoint has one
		v.SetZero()
		check(path, alike)
	}
}

// other gives v another value.
func other(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		other(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && f.Kind() != reflect.Pointer {
				other(f)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), v.Len()+1, v.Len()+1))
	case reflect.Array:
		other(v.Index(v.Len() - 1))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]int{"lazy": 3, "stale": 1}))
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Uint8: // enumerations: every example holds at least 1
		v.SetUint(v.Uint() ^ 1)
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() ^ 1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 97)
	}
}

func TestText(t *testing.T) {
	t.Run("CON-20 SPD-03 every field of every kind is in its form and in its text, and a difference in one is one in the other", everyField)
	t.Run("CON-20 every kind has a name and an example here", everyKind)
	t.Run("CON-20 any string is one word of its line, and two strings are two words", words)
	t.Run("CON-20 numbers, instants and ids print as their types do", numbers)
}

func everyField(t *testing.T) {
	for _, b := range bodies() {
		name := reflect.TypeOf(b).Elem().Name()
		both := func() (form, text string) { return string(appendFields(nil, b)), string(AppendText(nil, b)) }
		form, text := both()
		leaves := 0
		mutate(name, reflect.ValueOf(b).Elem(), func(path string, does effect) {
			leaves++
			f, x := both()
			if (f == form) != (x == text) || does == changes && f == form || does == nothing && f != form {
				t.Errorf("%s changed; the form did: %t, the text: %t: %s", path, f != form, x != text, x)
			}
		})
		if leaves == 0 {
			t.Errorf("%s: no field was tried", name)
		}
		if f, x := both(); f != form || x != text {
			t.Errorf("%s: form and text are no functions of the fields: %q %s then %q %s", name, form, text, f, x)
		}
	}
}

func everyKind(t *testing.T) {
	seen := map[Kind]bool{}
	for _, b := range bodies() {
		seen[b.Kind()] = true
	}
	for k := KindRunStart; k <= KindRunEnd; k++ {
		if !seen[k] {
			t.Errorf("kind %d %q has no example", k, k)
		}
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
}

func words(t *testing.T) {
	str := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"`, `a"`, `\`, "=", ",", " "}), rapid.StringOf(rapid.SampledFrom([]rune("a\"\\ =,\n\t\x7fé"))),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		a, b := str.Draw(t, "a"), str.Draw(t, "b")
		va, vb := string(appendValue(nil, a)), string(appendValue(nil, b))
		if (a == b) != (va == vb) {
			t.Fatalf("%q and %q print as %s and %s", a, b, va, vb)
		}
		if word, rest := cutWord("key=" + va + " next=1"); word != "key="+va || rest != "next=1" {
			t.Fatalf("%s is cut into %s and %s", va, word, rest)
		}
		if strings.ContainsAny(va, "\n\r") || !utf8.ValidString(va) {
			t.Fatalf("%q is no part of a line of text", va)
		}
		list := string(AppendText(nil, &Server{Tools: []string{a, b}}))
		if other := string(AppendText(nil, &Server{Tools: []string{a + "," + b}})); list == other {
			t.Fatalf("a list of two prints as a list of one: %s", list)
		}
	})
}
