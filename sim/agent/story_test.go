package agent_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/audit"
	"agentsim/sim/coordinator"
	"agentsim/sim/fork"
	"agentsim/sim/gate"
	"agentsim/sim/handoff"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/minimal"
	"agentsim/sim/permission"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// story is one text story: a world, what its models answer, and what came out.
// The commands are documented at TestStories.
type story struct {
	t      *testing.T
	cfg    agent.Config
	limits kernel.Limits
	policy string
	seed   uint64
	// schedule seeds the policy alone, so that everything else stays the same
	schedule   uint64
	files      map[string]string
	gates      map[string]string
	roots      []root
	handoffs   []handoff.Rule
	least      *minimal.Options // of the minimal stack
	scratchpad string
	model      *fakeModel
	text       strings.Builder
	kinds      map[string][]string // of the text, by kind of event
	read       int                 // bytes of the text in them
	audit      *audit.Auditor
	world      *agent.World
	offered    []string     // tools beside those of a default pool
	servers    []*tool.Tool // tools of MCP servers, in coordinator mode
	events     []event
	err        error
	outcome    string
	end        vtime.Instant
	forget     bool // leave the dead dead
	binds      bool // thinking belongs to what stood before it
	onEnd      func(a *agent.Agent)
	revive     []func()
}

// event is something that happens to the world at an instant.
type event struct {
	at vtime.Duration
	do func(*agent.World) error
}

// fakeModel answers from scripts by lineage and call, in fixed times.
type fakeModel struct {
	scripts  map[string][]string // lineage → turns
	builder  *llm.Builder
	first    vtime.Duration
	last     vtime.Duration
	heads    map[string]*llm.Node
	marks    map[string][]int32
	settings map[string]llm.Settings
	models   map[string]string
	expects  map[string]*llm.Node // ends of the requests whose prefix they may read
	broken   []string             // requests that are not well-formed
	billed   llm.Usage
	proc     func(lineage string) *kernel.Proc
	// gen, if set, answers in place of the scripts.
	gen func(req *llm.Request) string
}

func newFakeModel() *fakeModel {
	return &fakeModel{scripts: map[string][]string{}, first: 400 * vtime.Millisecond, last: 600 * vtime.Millisecond,
		heads: map[string]*llm.Node{}, marks: map[string][]int32{},
		settings: map[string]llm.Settings{}, models: map[string]string{}, expects: map[string]*llm.Node{}}
}

// fakeCall is a call of a model that is none.
type fakeCall struct {
	ends    vtime.Instant
	end     func() error
	abandon func(now vtime.Instant)
	begin   func(now vtime.Instant)
	begins  kernel.Timer
}

func (c *fakeCall) Fire(now vtime.Instant) { c.begin(now) }

func (c *fakeCall) Ends() vtime.Instant { return c.ends }

func (c *fakeCall) End() error { return c.end() }

func (c *fakeCall) Abandon(now vtime.Instant) {
	c.begins.Cancel()
	if c.abandon != nil {
		c.abandon(now)
	}
}

// Begin plays turn n of the lineage's script; a lineage without one says so.
func (m *fakeModel) Begin(k *kernel.Kernel, req *llm.Request, resp *llm.Response) (llm.Call, error) {
	name := req.Stream.Lineage + " " + strconv.Itoa(req.Stream.Call+1)
	m.heads[name], m.settings[name], m.models[name] = req.Head, req.Settings, req.Model
	if req.Expect != nil {
		m.expects[name] = req.Expect.Head
	}
	var at []int32
	for _, b := range req.Breakpoints {
		at = append(at, b.Node.Pos)
	}
	m.marks[name] = at
	if err := llm.WellFormedSince(req.Head, nil); err != nil {
		m.broken = append(m.broken, name+": "+err.Error())
	}
	turn := m.turn(req)
	*resp = llm.Response{Started: k.Now()}
	if err, done := m.fault(k, &turn, req, resp); done {
		return nil, err
	}
	clings := m.clings(&turn)
	first, last := m.times(&turn)
	c := &fakeCall{ends: k.Now().Add(first + last)}
	c.begin = func(now vtime.Instant) {
		resp.Began = now
		if req.OnBegin != nil {
			req.OnBegin.Began(now)
		}
		resp.Usage = llm.Usage{Input: int64(req.Head.Pos), Output: 1}
	}
	c.begins = k.At(k.Now().Add(first), c)
	c.abandon = func(vtime.Instant) {
		if resp.Began > 0 {
			m.billed = m.billed.Plus(resp.Usage)
		} else if p := m.proc(req.Stream.Lineage); clings > 0 {
			_ = p.Shield(clings, func() error { return p.Sleep(clings) })
		}
	}
	c.end = func() error {
		if strings.HasPrefix(turn, "drop; ") {
			m.billed = m.billed.Plus(resp.Usage)
			e := &llm.APIError{Type: "stream_dropped", Message: "scripted", Usage: resp.Usage, Started: resp.Started, Began: resp.Began}
			resp.Usage = llm.Usage{}
			return e
		}
		m.answer(turn, req, resp)
		m.billed = m.billed.Plus(resp.Usage)
		resp.Ended = c.ends
		return nil
	}
	return c, nil
}

func (m *fakeModel) turn(req *llm.Request) string {
	if m.gen != nil {
		return m.gen(req)
	}
	if s := m.scripts[req.Stream.Lineage]; req.Stream.Call < len(s) {
		return s[req.Stream.Call]
	}
	return "text no script for " + req.Stream.Lineage
}

// times reads `take 3s; …`: how long the call takes, 2/5 of it to the first byte.
func (m *fakeModel) times(turn *string) (first, last vtime.Duration) {
	d, ok := lasting(turn, "take ")
	if !ok {
		return m.first, m.last
	}
	return d / 5 * 2, d - d/5*2
}

// clings reads `cling 3s; …`: how much later than it came an abort before the
// first byte is heard.
func (m *fakeModel) clings(turn *string) vtime.Duration {
	d, _ := lasting(turn, "cling ")
	return d
}

// lasting cuts a verb and its duration off a turn.
func lasting(turn *string, verb string) (vtime.Duration, bool) {
	rest, ok := strings.CutPrefix(*turn, verb)
	if !ok {
		return 0, false
	}
	word, rest, _ := strings.Cut(rest, "; ")
	*turn = rest
	d, err := vtime.ParseDuration(word)
	if err != nil {
		panic(err)
	}
	return d, true
}

// fault plays `fail 529; fail 429 2s; then…`: attempt n takes the nth one.
func (m *fakeModel) fault(k *kernel.Kernel, turn *string, req *llm.Request, resp *llm.Response) (error, bool) {
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
		if status == 0 { // a stream that broke had begun and has been billed
			e.Began = k.Now()
			e.Usage = llm.Usage{Input: int64(req.Head.Pos), Output: 1}
			m.billed = m.billed.Plus(e.Usage)
		}
		if len(f) > 1 {
			e.RetryAfter, _ = vtime.ParseDuration(f[1])
		}
		return e, true
	}
	return nil, false
}

// answer parses `think …; text …; use Name {json}; stop refusal; size 900; again;
// copy; …`. The size is the prompt's, else its number of blocks.
func (m *fakeModel) answer(turn string, req *llm.Request, resp *llm.Response) {
	size := int64(req.Head.Pos)
	resp.Blocks, resp.Stop, resp.Causes = nil, llm.EndTurn, nil
	for _, part := range strings.Split(turn, "; ") {
		verb, rest, _ := strings.Cut(part, " ")
		switch verb {
		case "think":
			b := llm.Block{Kind: llm.Thinking, Content: llm.NewText(llm.Prose, rest)}
			if len(resp.Blocks) == 0 {
				b.Bind(req.Head.Said) // as a model does that binds its thinking
			}
			resp.Blocks = append(resp.Blocks, b)
		case "stop":
			defer func() { resp.Stop = stopOf(rest) }()
		case "size":
			fmt.Sscan(rest, &size)
		case "again":
			resp.Again = 1
		case "copy":
			resp.Copy = &llm.APIError{Type: "duplicate_request", Message: "scripted", Usage: llm.Usage{Input: int64(req.Head.Pos), Output: 1}, Started: resp.Started, Began: resp.Began}
			m.billed = m.billed.Plus(resp.Copy.Usage)
		case "text":
			resp.Blocks = append(resp.Blocks, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, rest)})
		case "use":
			name, input, _ := strings.Cut(rest, " ")
			id := llm.NewToolUseID(req.Stream.Key.Sub("use").At(uint64(req.Stream.Call)).At(uint64(len(resp.Blocks))))
			resp.Blocks = append(resp.Blocks, llm.Block{Kind: llm.ToolUse, ID: id, Name: name, Content: llm.NewJSON(m.expand(input, req))})
			resp.Stop = llm.StopToolUse
		}
	}
	resp.Usage = llm.Usage{Input: size, Output: int64(len(resp.Blocks)) * 10}
}

// sent is the request of a lineage's call, such as "main 3"; "" where there was none.
func (m *fakeModel) sent(name string) string {
	head := m.heads[name]
	if head == nil {
		return ""
	}
	return string(llm.AppendRequest(nil, head))
}

// stopOf reads a stop reason.
func stopOf(name string) llm.StopReason {
	for r := llm.EndTurn; r <= llm.PauseTurn; r++ {
		if r.String() == name {
			return r
		}
	}
	panic("no stop reason " + name)
}

// expand replaces $TASK1 by the id of the first launched task in the request, and
// so on.
func (m *fakeModel) expand(input string, req *llm.Request) string {
	if strings.Contains(input, "$T1") || strings.Contains(input, "$T2") {
		for i, at := range strings.Split(string(llm.AppendRequest(nil, req.Head)), `,\"taskId\":\"`)[1:] {
			input = strings.ReplaceAll(input, "$T"+strconv.Itoa(i+1), at[:17]) // of teammates
		}
	}
	if !strings.Contains(input, "$TASK") {
		return input
	}
	const before = `async_launched\",\"agentId\":\"`
	parts := strings.Split(string(llm.AppendRequest(nil, req.Head)), before)
	for i := 1; i < 10; i++ {
		id := "a0000000000000000"
		if i < len(parts) {
			id = parts[i][:17]
		}
		input = strings.ReplaceAll(input, "$TASK"+strconv.Itoa(i), id)
	}
	return input
}

// catalogue is every tool, as no story changes one.
var catalogue = tool.Catalogue()

// root is a root conversation with the steps of its user.
type root struct {
	agent.RootSpec
	Steps []user.Step
}

func newStory(t *testing.T) *story {
	return &story{t: t, model: newFakeModel(), files: map[string]string{}, gates: map[string]string{}, policy: "fifo", seed: 1,
		cfg: agent.Config{
			Root: "/work/project", Interactive: true, Organisation: "org",
			Aliases: map[string]string{"haiku": "claude-haiku-4-5-20251001", "sonnet": "claude-sonnet-4-5-20250929", "opus": "claude-opus-4-5-20251101"},
			Rules:   func(string) llm.SaltRules { return llm.SaltRules{ThinkingRenderedFirst: true} },
			Retry:   llm.DefaultRetry(), Mode: permission.AcceptEdits, MaxTokens: 8192,
			Permissions:   agent.Permissions{TimeOut: agent.DefaultTimeOut},
			Limits:        agent.Limits{Depth: 5, Turns: 1000},
			UserContext:   []agent.Part{{Name: agent.PartClaudeMd, Text: "Run the linter."}, {Name: "currentDate", Text: "2026-01-01"}},
			SystemContext: []agent.Part{{Name: agent.PartGitStatus, Text: "On branch main"}},
		}}
}

// run builds the world and runs it.
func (s *story) run() {
	key := rng.Root(s.seed)
	pol, err := kernel.PolicyNamed(s.policy, key.Sub("policy").At(s.schedule))
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
	c.Kernel, c.Builder, c.Model, c.FS, c.Key = k, &llm.Builder{Binds: s.binds}, s.model, snap.Open(), key
	c.Marks, c.Sink = mark.NewKey(s.seed), transcript.Tee(transcript.NewText(&s.text), s, s.auditor())
	if c.Forker == nil {
		c.Forker = fork.NewMaker()
	}
	if c.Offered, err = tool.Offered(catalogue, s.offered); err != nil {
		s.t.Fatal(err)
	}
	c.Catalogue = catalogue
	c.Gates = gate.Default()
	for n, v := range s.gates {
		if err := c.Gates.Set(n, v); err != nil {
			s.t.Fatal(err)
		}
	}
	listed := slices.DeleteFunc(agent.BuiltIns(&c.Gates), func(d *agent.Definition) bool { // a policy's stands in its place
		return slices.ContainsFunc(c.Definitions, func(by *agent.Definition) bool { return by.Source == agent.FromPolicy && by.Type == d.Type })
	})
	c.Definitions = append(listed, c.Definitions...)
	c.Coordinator, c.Classifier = coordinator.New(c.Root, s.scratchpad), handoff.New(s.handoffs, c.Marks)
	s.coordinate(&c)
	s.minimal(&c)
	s.model.builder = c.Builder
	s.world = agent.NewWorld(c)
	if !s.forget {
		s.world.KeepLives()
	}
	s.model.proc = func(lineage string) *kernel.Proc {
		all := s.world.Agents()
		return all[slices.IndexFunc(all, func(a *agent.Agent) bool { return a.Lineage() == lineage })].Proc()
	}
	for _, e := range s.events {
		k.Spawn("event", func(p *kernel.Proc) error {
			if err := p.Sleep(e.at); err != nil {
				return err
			}
			if err := e.do(s.world); err != nil {
				s.t.Error(err)
			}
			return nil
		})
	}
	for _, r := range s.roots {
		if r.Offered == nil {
			r.Offered = c.Offered
		}
		r.User = user.New(r.Steps)
		s.world.Start(r.RootSpec)
	}
	s.outcome = "completed"
	if s.err = k.Run(); s.err != nil {
		s.outcome = s.err.Error()
	}
	s.end = k.Now()
	for _, f := range s.revive {
		f()
	}
}

// Emit sees every event and keeps what an agent that ends lets go, for what
// tests ask after the run.
func (s *story) Emit(e *transcript.Event) {
	if _, ok := e.Body.(*transcript.AgentEnd); !ok {
		return
	}
	a := s.world.Agents()[e.Agent]
	if s.onEnd != nil {
		s.onEnd(a)
	}
	if life := a.Life(); !s.forget {
		s.revive = append(s.revive, func() { a.Revive(life) })
	}
}

// at makes something happen at an instant.
func (s *story) at(d vtime.Duration, do func(*agent.World) error) {
	s.events = append(s.events, event{d, do})
}

// script gives a lineage its turns.
func (s *story) script(lineage string, turns ...string) { s.model.scripts[lineage] = turns }

// root adds a root conversation with the plan agent.
func (s *story) root(first string, steps ...user.Step) *root {
	s.roots = append(s.roots, root{Steps: steps, RootSpec: agent.RootSpec{Lineage: "main", Model: "claude-sonnet-4-6", Plan: &agent.Plan{Name: agent.PlanAgent},
		First: text(first)}})
	return &s.roots[len(s.roots)-1]
}

// agent is the agent of a lineage.
func (s *story) agent(lineage string) *agent.Agent {
	for _, a := range s.world.Agents() {
		if a.Lineage() == lineage {
			return a
		}
	}
	s.t.Fatalf("there is no agent %s in\n%s", lineage, s.text.String())
	return nil
}

// flat is a request's bytes.
func (s *story) flat(lineage string, call int) string {
	flat := s.model.sent(lineage + " " + strconv.Itoa(call))
	if flat == "" {
		s.t.Fatalf("%s never sent its call %d:\n%s", lineage, call, s.text.String())
	}
	return flat
}

// block is block number pos of a request, or from the end when negative.
func (s *story) block(lineage string, call, pos int) *llm.Node {
	s.flat(lineage, call)
	n := s.model.heads[lineage+" "+strconv.Itoa(call)]
	if pos < 0 {
		pos += int(n.Pos) + 1
	}
	for int(n.Pos) != pos || n.IsBorder() {
		n = n.Parent
	}
	return n
}

// lines are the transcript's lines of the named kinds, without sequence numbers.
func (s *story) lines(kinds []string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(s.text.String()), "\n") {
		f := strings.SplitN(line, " ", 6)
		for _, k := range kinds {
			if len(f) > 4 && f[4] == k {
				fmt.Fprintln(&b, strings.Join(f[1:], " "))
				break
			}
		}
	}
	return b.String()
}
