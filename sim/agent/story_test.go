package agent_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/fork"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// story is one text story: a world, what its models answer, and what came out.
// The commands are documented at TestStories.
type story struct {
	t       *testing.T
	cfg     agent.Config
	limits  kernel.Limits
	policy  string
	seed    uint64
	files   map[string]string
	gates   map[string]string
	roots   []agent.RootSpec
	model   *fakeModel
	text    strings.Builder
	world   *agent.World
	flips   []flip
	outcome string
}

type flip struct {
	at          vtime.Duration
	name, value string
}

// fakeModel answers from scripts by lineage and call, in fixed times.
type fakeModel struct {
	scripts  map[string][]string // lineage → turns
	builder  *llm.Builder
	first    vtime.Duration
	last     vtime.Duration
	requests map[string][]byte // "lineage call" → flat bytes
	heads    map[string]*llm.Node
	marks    map[string][]int32
	settings map[string]llm.Settings
	models   map[string]string
}

func newFakeModel() *fakeModel {
	return &fakeModel{scripts: map[string][]string{}, first: 400 * vtime.Millisecond, last: 600 * vtime.Millisecond,
		requests: map[string][]byte{}, heads: map[string]*llm.Node{}, marks: map[string][]int32{},
		settings: map[string]llm.Settings{}, models: map[string]string{}}
}

// Complete plays turn n of the lineage's script; a lineage without one says so.
func (m *fakeModel) Complete(p *kernel.Proc, req *llm.Request, resp *llm.Response) error {
	name := req.Stream.Lineage + " " + strconv.Itoa(req.Stream.Call+1)
	m.requests[name] = llm.AppendRequest(nil, req.Head)
	m.heads[name], m.settings[name], m.models[name] = req.Head, req.Settings, req.Model
	var at []int32
	for _, b := range req.Breakpoints {
		at = append(at, b.Node.Pos)
	}
	m.marks[name] = at
	turn := "text no script for " + req.Stream.Lineage
	if s := m.scripts[req.Stream.Lineage]; req.Stream.Call < len(s) {
		turn = s[req.Stream.Call]
	}
	resp.Started = p.Now()
	if err, done := m.fault(p, &turn, req, resp); done {
		return err
	}
	if err := p.Sleep(m.first); err != nil {
		return err
	}
	resp.Began = p.Now()
	if req.OnBegin != nil {
		req.OnBegin.Began(p.Now())
	}
	if err := p.Sleep(m.last); err != nil {
		return err
	}
	m.answer(turn, req, resp)
	resp.Ended = p.Now()
	return nil
}

// fault plays `fail 529; fail 429 2s; then…`: attempt n takes the nth one.
func (m *fakeModel) fault(p *kernel.Proc, turn *string, req *llm.Request, resp *llm.Response) (error, bool) {
	parts := strings.Split(*turn, "; ")
	for i, part := range parts {
		rest, ok := strings.CutPrefix(part, "fail ")
		if !ok {
			*turn = strings.Join(parts[i:], "; ")
			return nil, false
		}
		if i < req.Stream.Attempt {
			continue
		}
		f := strings.Fields(rest)
		status, _ := strconv.Atoi(f[0])
		e := &llm.APIError{Status: status, Type: "scripted_error", Message: "scripted", Started: resp.Started}
		if len(f) > 1 {
			e.RetryAfter, _ = vtime.ParseDuration(f[1])
		}
		return e, true
	}
	return nil, false
}

// answer parses `think …; text …; use Name {json}; …`.
func (m *fakeModel) answer(turn string, req *llm.Request, resp *llm.Response) {
	resp.Blocks, resp.Stop, resp.Causes = nil, llm.EndTurn, nil
	for _, part := range strings.Split(turn, "; ") {
		verb, rest, _ := strings.Cut(part, " ")
		switch verb {
		case "think":
			resp.Blocks = append(resp.Blocks, llm.Block{Kind: llm.Thinking, Content: llm.NewText(llm.Prose, rest)})
		case "text":
			resp.Blocks = append(resp.Blocks, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, rest)})
		case "use":
			name, input, _ := strings.Cut(rest, " ")
			id := llm.NewToolUseID(req.Stream.Key.Sub("use").At(uint64(req.Stream.Call)).At(uint64(len(resp.Blocks))))
			resp.Blocks = append(resp.Blocks, llm.Block{Kind: llm.ToolUse, ID: id, Name: name, Content: llm.NewJSON(m.expand(input, req))})
			resp.Stop = llm.StopToolUse
		}
	}
	resp.Usage = llm.Usage{Input: int64(req.Head.Pos), Output: int64(len(resp.Blocks)) * 10}
}

// expand replaces $TASK by the id of the last launched task in the request.
func (m *fakeModel) expand(input string, req *llm.Request) string {
	if !strings.Contains(input, "$TASK") {
		return input
	}
	flat := string(llm.AppendRequest(nil, req.Head))
	i := strings.LastIndex(flat, `agentId\":\"`)
	if i < 0 {
		return strings.ReplaceAll(input, "$TASK", "a0000000000000000")
	}
	return strings.ReplaceAll(input, "$TASK", flat[i+len(`agentId\":\"`):][:17])
}

func newStory(t *testing.T) *story {
	return &story{t: t, model: newFakeModel(), files: map[string]string{}, gates: map[string]string{}, policy: "fifo", seed: 1,
		cfg: agent.Config{
			Root: "/work/project", Interactive: true, Organisation: "org",
			Aliases: map[string]string{"haiku": "claude-haiku-4-5-20251001", "sonnet": "claude-sonnet-4-5-20250929", "opus": "claude-opus-4-5-20251101"},
			Rules:   func(string) llm.SaltRules { return llm.SaltRules{ThinkingRenderedFirst: true} },
			Retry:   agent.DefaultRetry(), Mode: permission.AcceptEdits, MaxTokens: 8192,
			Limits:        agent.Limits{Depth: 5, Turns: 50},
			UserContext:   []agent.Part{{Name: agent.PartClaudeMd, Text: "Run the linter."}, {Name: "currentDate", Text: "2026-01-01"}},
			SystemContext: []agent.Part{{Name: agent.PartGitStatus, Text: "On branch main"}},
		}}
}

// run builds the world and runs it.
func (s *story) run() {
	key := rng.Root(s.seed)
	pol, err := kernel.PolicyNamed(s.policy, key.Sub("policy"))
	if err != nil {
		s.t.Fatal(err)
	}
	k := kernel.New(kernel.Options{Policy: pol, Limits: s.limits})
	defer k.Close()
	snap, err := workspace.NewSnapshot(s.files)
	if err != nil {
		s.t.Fatal(err)
	}
	c := s.cfg
	c.Kernel, c.Builder, c.Model, c.FS, c.Key = k, &llm.Builder{}, s.model, snap.Open(), key
	c.Marks, c.Forker, c.Sink = mark.NewKey("story", s.seed), fork.NewMaker(), transcript.NewText(&s.text)
	if c.Offered, err = tool.Offered(tool.Catalogue(), nil); err != nil {
		s.t.Fatal(err)
	}
	c.Gates = agent.DefaultGates()
	for n, v := range s.gates {
		if err := c.Gates.Set(n, v); err != nil {
			s.t.Fatal(err)
		}
	}
	if c.Definitions == nil {
		c.Definitions = agent.BuiltIns(&c.Gates)
	}
	s.model.builder = c.Builder
	s.world = agent.NewWorld(c)
	for _, f := range s.flips {
		k.Spawn("flip of "+f.name, func(p *kernel.Proc) error {
			if err := p.Sleep(f.at); err != nil {
				return err
			}
			return s.world.FlipGate(f.name, f.value)
		})
	}
	for _, r := range s.roots {
		r.Offered = c.Offered
		s.world.Start(r)
	}
	s.outcome = "completed"
	if err := k.Run(); err != nil {
		s.outcome = err.Error()
	}
}

// lines are the transcript's lines of the named kinds, without sequence numbers.
func (s *story) lines(kinds []string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(s.text.String()), "\n") {
		f := strings.SplitN(line, " ", 5)
		for _, k := range kinds {
			if len(f) >= 4 && f[3] == k || len(f) >= 5 && strings.HasPrefix(f[4], k) {
				fmt.Fprintln(&b, strings.Join(f[1:], " "))
				break
			}
		}
	}
	return b.String()
}
