package cachemodel_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/cachemodel"
	"agentsim/cachemodel/laws"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// TestConformance runs the stories in testdata. Their commands:
//
//	engine [crosses=false] [late=1s] [provider=deepseek|sglang|vllm] [capacity=n] [store_prompts]   start over; more options at engineOptions
//	model ID [on=PLATFORM]       whose minimum, tail and hidden tokens hold from here on
//	chain NAME [from=OTHER] [at=POS] [same=OTHER [edit=POS]] [settings]   its lines are appended:
//	    WHO [KIND] TOKENS[xN] [LETTER]   N blocks of so many tokens, whose bytes depend on the letter
//	send REQ CHAIN at=T [marks=(POS,…)] [ttl=1h | ttls=(1h,5m)] [auto[=1h]] [expect=REQ] [err=N] [hidden] [max_tokens=0]
//	    [batches=(1,1,0)] [lineage=NAME]; a WHO may be operator as well, the kinds are those of package llm
//	pass REQ CHAIN at=T          one more pass of a server tool's loop
//	begin REQ at=T; end REQ at=T how=ENDING [output=N] [head=CHAIN]
//	call …                       send, begin and end at one instant
//	options; entries at=T; price MODEL usage…
//
// from shares the other chain's nodes; same makes its bytes again with another
// builder. One byte of content is one token.
func TestConformance(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories in testdata: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s := newStory(t)
			datadriven.RunTest(t, path, s.run)
		})
	}
}

type story struct {
	t        *testing.T
	engine   cachemodel.Engine
	profile  *cachemodel.Profile
	chains   map[string]*chain
	requests map[string]*request
}

type chain struct {
	builder  *llm.Builder
	head     *llm.Node
	scope    llm.Scope
	settings llm.Settings
	salts    llm.Salts
	edit     int // position at which a copy says something else
}

type request struct {
	req   cachemodel.Request
	adm   cachemodel.Admission
	chain *chain
	usage llm.Usage
}

func newStory(t *testing.T) *story {
	s := &story{t: t}
	s.start(cachemodel.NewAnthropic(cachemodel.DefaultAnthropicOptions()))
	s.model("claude-sonnet-4-6")
	return s
}

func (s *story) start(e cachemodel.Engine) {
	s.engine, s.chains, s.requests = e, map[string]*chain{}, map[string]*request{}
}

func (s *story) model(id string) {
	p, err := cachemodel.Lookup(id)
	if err != nil {
		s.t.Fatal(err)
	}
	s.profile = p
}

func (s *story) run(t *testing.T, d *datadriven.TestData) string {
	s.t = t
	switch d.Cmd {
	case "engine":
		s.start(newEngine(t, d))
		return "ok"
	case "model":
		s.model(d.CmdArgs[0].Key)
		s.platform(d)
		return fmt.Sprintf("minimum=%d tail=%d hidden=%d/%d", s.profile.Minimum, s.profile.Tail, s.profile.HiddenAuto, s.profile.HiddenForced)
	case "chain":
		return s.chain(d)
	case "send", "call":
		return s.send(d)
	case "begin":
		r := s.requests[d.CmdArgs[0].Key]
		s.engine.Begin(at(t, d), &r.adm)
		return "ok"
	case "end":
		return s.end(d)
	case "pass":
		return s.pass(d)
	case "options":
		return strings.Join(s.engine.Options(), "\n")
	case "entries":
		return s.entries(at(t, d))
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

func newEngine(t *testing.T, d *datadriven.TestData) cachemodel.Engine {
	opt := cachemodel.DefaultAnthropicOptions()
	var late, provider string
	var capacity int
	d.MaybeScanArgs(t, "crosses", &opt.LookbackCrossesLevels)
	d.MaybeScanArgs(t, "capacity", &capacity)
	d.MaybeScanArgs(t, "provider", &provider)
	if d.MaybeScanArgs(t, "late", &late) {
		opt.LateExpiry = duration(t, late)
	}
	engineOptions(t, d, &opt)
	switch provider {
	case "deepseek":
		return cachemodel.NewDeepSeek()
	case "sglang":
		return cachemodel.NewSGLang(cachemodel.SGLangOptions{Capacity: capacity, StorePrompts: d.HasArg("store_prompts")})
	case "vllm":
		return cachemodel.NewVLLM(cachemodel.VLLMOptions{Blocks: capacity})
	}
	return cachemodel.NewAnthropic(opt)
}

// entries asks with a request that neither reads nor writes, which sweeps.
func (s *story) entries(now vtime.Instant) string {
	var b llm.Builder
	var a cachemodel.Admission
	req := cachemodel.Request{Request: &llm.Request{Head: b.Root(llm.Scope{}, llm.Salts{}), MaxTokens: 1}, Profile: s.profile, Counts: counts{}}
	if err := s.engine.Admit(now, &req, &a); err != nil {
		s.t.Fatal(err)
	}
	s.engine.End(now, &a, cachemodel.Aborted, nil, 0)
	return strconv.Itoa(s.engine.(*cachemodel.Anthropic).Entries())
}

func duration(t *testing.T, text string) vtime.Duration {
	v, err := vtime.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func at(t *testing.T, d *datadriven.TestData) vtime.Instant {
	var text string
	d.ScanArgs(t, "at", &text)
	return vtime.Instant(0).Add(duration(t, text))
}

// counts is one token to a byte, and hidden tokens where asked for.
type counts struct {
	profile *cachemodel.Profile
	hidden  bool
	forced  bool
	err     int64
}

func (c counts) At(n *llm.Node) int64 {
	if c.hidden {
		return n.Cum.Total() + hidden(c.profile, n, c.forced)
	}
	return n.Cum.Total()
}

func (c counts) Err(*llm.Node) int64 { return c.err }

func (s *story) chain(d *datadriven.TestData) string {
	c := s.newChain(d)
	for _, line := range strings.Split(d.Input, "\n") {
		if strings.TrimSpace(line) != "" {
			c.extend(s.t, strings.Fields(line))
		}
	}
	s.chains[d.CmdArgs[0].Key] = c
	return fmt.Sprintf("%d blocks, %d tokens", c.head.Pos, c.head.Cum.Total())
}

func (s *story) newChain(d *datadriven.TestData) *chain {
	var other string
	if d.MaybeScanArgs(s.t, "from", &other) {
		c := *s.chains[other]
		pos := int(c.head.Pos)
		d.MaybeScanArgs(s.t, "at", &pos)
		c.head = nodeAt(s.t, c.head, pos)
		return &c
	}
	c := &chain{builder: &llm.Builder{}, scope: llm.Scope{Organisation: "o", Workspace: s.profile.Platform.Workspace("w"), Model: s.profile.ID}}
	d.MaybeScanArgs(s.t, "organisation", &c.scope.Organisation)
	if d.MaybeScanArgs(s.t, "workspace", &c.scope.Workspace) {
		c.scope.Workspace = s.profile.Platform.Workspace(c.scope.Workspace)
	}
	d.MaybeScanArgs(s.t, "effort", &c.settings.Effort)
	d.MaybeScanArgs(s.t, "tool_choice", &c.settings.ToolChoice)
	d.MaybeScanArgs(s.t, "speed", &c.settings.Speed)
	if d.MaybeScanArgs(s.t, "thinking", &c.settings.ThinkingBudget) {
		c.settings.Thinking = llm.ThinkingEnabled
	}
	c.settings.Images, c.settings.Citations = d.HasArg("images"), d.HasArg("citations")
	c.settings.WebSearch, c.settings.DisableParallel = d.HasArg("web"), d.HasArg("one_at_a_time")
	c.settings.ToolsInline, c.builder.Binds = d.HasArg("inline"), s.profile.BindsThinking
	rules := s.profile.Salts
	rules.ThinkingRenderedFirst = !d.HasArg("rendered_last")
	c.salts = c.settings.Salts(rules)
	c.head = c.builder.Root(c.scope, c.salts)
	if d.MaybeScanArgs(s.t, "same", &other) {
		d.MaybeScanArgs(s.t, "edit", &c.edit)
		c.copy(s.chains[other].head)
	}
	return c
}

// copy makes the blocks of another chain again.
func (c *chain) copy(n *llm.Node) {
	if n.Parent != nil {
		c.copy(n.Parent)
	}
	if !n.IsBorder() {
		b := *n.Block
		if int(n.Pos) == c.edit {
			b.Content = llm.NewText(llm.Prose, "edited "+b.Content.Raw())
		}
		c.add(n.Level, n.Role, &b)
	}
}

func (c *chain) add(level llm.Level, role llm.Role, b *llm.Block) {
	for c.head.Level < level {
		c.head = c.builder.Border(c.head, c.head.Level+1, c.salts)
	}
	c.head = c.builder.Append(c.head, role, b)
}

var kinds = map[string]llm.Kind{"text": llm.Text, "thinking": llm.Thinking, "tool_use": llm.ToolUse,
	"tool_result": llm.ToolResult, "image": llm.Image, "document": llm.Document,
	"server_tool_use": llm.ServerToolUse, "server_tool_result": llm.ServerToolResult, "tool_addition": llm.ToolAddition,
	"tool_removal": llm.ToolRemoval, "tool_reference": llm.ToolReference, "effort": llm.EffortChange, "passing_text": llm.Passing}

// extend appends the blocks of one line.
func (c *chain) extend(t *testing.T, f []string) {
	level, role, kind := llm.Messages, llm.User, llm.Text
	switch f[0] {
	case "tool":
		level, role, kind = llm.Tools, llm.NoRole, llm.ToolDef
	case "system":
		level, role = llm.System, llm.NoRole
	case "assistant":
		role = llm.Assistant
	case "operator":
		role = llm.Operator
	case "user":
	default:
		t.Fatalf("who is %q? tool, system, user or assistant", f[0])
	}
	f = f[1:]
	if k, ok := kinds[f[0]]; ok {
		kind, f = k, f[1:]
	}
	size, times, _ := strings.Cut(f[0], "x")
	n, err := strconv.Atoi(size)
	if err != nil {
		t.Fatal(err)
	}
	letter, reps := "x", 1
	if times != "" {
		reps, _ = strconv.Atoi(times)
	}
	if len(f) > 1 {
		letter = f[1]
	}
	for range reps {
		b := &llm.Block{Kind: kind, Content: content(kind, n, letter)}
		if kind == llm.Thinking {
			b.Bind(c.head.Said)
		}
		c.add(level, role, b)
	}
}

func content(kind llm.Kind, n int, letter string) *llm.Payload {
	switch kind {
	case llm.ToolDef, llm.ToolUse, llm.Image, llm.Document, llm.ServerToolUse, llm.ServerToolResult, llm.ToolAddition,
		llm.ToolRemoval, llm.ToolReference:
		if len(letter) > 1 {
			return llm.NewJSON(letter)
		}
		return llm.NewJSON(`"` + strings.Repeat(letter, n-2) + `"`)
	}
	return llm.NewText(llm.Prose, strings.Repeat(letter, n))
}

func nodeAt(t *testing.T, n *llm.Node, pos int) *llm.Node {
	for ; n != nil; n = n.Parent {
		if !n.IsBorder() && int(n.Pos) == pos {
			return n
		}
	}
	t.Fatalf("no position %d", pos)
	return nil
}

// send admits a request, and for a call lets it begin and end too.
func (s *story) send(d *datadriven.TestData) string {
	name, c := d.CmdArgs[0].Key, s.chains[d.CmdArgs[1].Key]
	if c == nil {
		s.t.Fatalf("%s: no such chain", d.Pos)
	}
	r := &request{chain: c}
	s.requests[name] = r
	ct := counts{profile: s.profile, hidden: d.HasArg("hidden"), forced: c.settings.ForcesTool()}
	d.MaybeScanArgs(s.t, "err", &ct.err)
	r.req = cachemodel.Request{Request: s.request(d, c), Profile: s.profile, Counts: ct}
	now := at(s.t, d)
	if err := s.engine.Admit(now, &r.req, &r.adm); err != nil {
		e := err.(*llm.APIError)
		return fmt.Sprintf("%d %s: %s", e.Status, e.Type, e.Message)
	}
	out := describe(&r.adm)
	if err := laws.Check(&r.adm); err != nil {
		if _, ok := s.engine.(*cachemodel.Anthropic); ok {
			out += "\n" + err.Error()
		}
	}
	if d.Cmd == "call" {
		var output int64
		d.MaybeScanArgs(s.t, "output", &output)
		s.engine.Begin(now, &r.adm)
		r.usage = s.engine.End(now, &r.adm, cachemodel.Completed, s.answered(d), output)
	}
	return out
}

func (s *story) request(d *datadriven.TestData, c *chain) *llm.Request {
	req := &llm.Request{Model: c.scope.Model, Head: c.head, Settings: c.settings, Salts: c.salts, MaxTokens: 1000}
	d.MaybeScanArgs(s.t, "max_tokens", &req.MaxTokens)
	if d.MaybeScanArgs(s.t, "lineage", &req.Stream.Lineage) {
		req.Stream.Key = rng.Root(1).Sub(req.Stream.Lineage)
	}
	ttl, expect := "5m", ""
	d.MaybeScanArgs(s.t, "ttl", &ttl)
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "marks":
			for _, v := range a.Vals {
				pos, _ := strconv.Atoi(v)
				req.Breakpoints = append(req.Breakpoints, llm.Breakpoint{Node: nodeAt(s.t, c.head, pos), TTL: lifetime(ttl)})
			}
		case "ttls":
			for i, v := range a.Vals {
				req.Breakpoints[i].TTL = lifetime(v)
			}
		case "batches":
			for i, v := range a.Vals {
				n, _ := strconv.Atoi(v)
				req.Breakpoints[i].Batch = uint8(n)
			}
		case "auto":
			req.Automatic, req.AutoTTL = true, lifetime(ttl)
			if len(a.Vals) > 0 {
				req.AutoTTL = lifetime(a.Vals[0])
			}
		}
	}
	if d.MaybeScanArgs(s.t, "expect", &expect) {
		req.Expect = s.expectation(s.requests[expect])
	}
	return req
}

func lifetime(s string) llm.TTL {
	if s == "1h" {
		return llm.TTL1h
	}
	return llm.TTL5m
}

func (s *story) expectation(r *request) *llm.Expectation {
	x := &llm.Expectation{Head: r.chain.head, Start: r.adm.Start, Salts: r.chain.salts, Model: r.chain.scope.Model}
	if m := r.adm.Marks(); len(m) > 0 {
		x.Mark, x.TTL = m[len(m)-1].Node, m[len(m)-1].TTL
	}
	return x
}

func (s *story) answered(d *datadriven.TestData) *llm.Node {
	var head string
	if d.MaybeScanArgs(s.t, "head", &head) {
		return s.chains[head].head
	}
	return nil
}

func (s *story) end(d *datadriven.TestData) string {
	var how string
	var output int64
	d.ScanArgs(s.t, "how", &how)
	d.MaybeScanArgs(s.t, "output", &output)
	r := s.requests[d.CmdArgs[0].Key]
	for e := cachemodel.Completed; e <= cachemodel.Rejected; e++ {
		if e.String() != how {
			continue
		}
		r.usage = s.engine.End(at(s.t, d), &r.adm, e, s.answered(d), output)
		if err := laws.Billed(&r.adm, r.usage); err != nil {
			return err.Error()
		}
		return fmt.Sprintf("billed input=%d write=%d read=%d output=%d", r.usage.Input, r.usage.Written(), r.usage.Read, r.usage.Output)
	}
	s.t.Fatalf("%s: how is %q", d.Pos, how)
	return ""
}

// describe prints what a request does to the cache.
func describe(a *cachemodel.Admission) string {
	var b strings.Builder
	u := a.Usage
	fmt.Fprintf(&b, "input=%d write=%d", u.Input, u.Written())
	if u.Write1h > 0 {
		fmt.Fprintf(&b, " (1h %d)", u.Write1h)
	}
	fmt.Fprintf(&b, " read=%d", u.Read)
	if n := a.Report.ReadTo; n != nil {
		fmt.Fprintf(&b, " hits=%d", n.Pos)
	}
	if n := a.Report.WrittenTo; n != nil {
		fmt.Fprintf(&b, " writes=%d", n.Pos)
	}
	if r := &a.Report; r.Life > 0 && r.Left <= r.Life/10 {
		fmt.Fprintf(&b, " left=%s of %s", r.Left, r.Life)
	}
	if a.Report.Undecided > 0 {
		fmt.Fprintf(&b, " undecided=%d", a.Report.Undecided)
	}
	if m := a.Report.Miss; m.Reason != llm.NotMissed {
		fmt.Fprintf(&b, " miss=%v lost=%d of %d position=%d byte=%d", m.Reason, m.Lost, m.Expected, m.Pos, m.Byte)
	}
	return b.String()
}

// hidden is how many tokens the API adds, unseen, to the prefix that ends with
// n: for a request with tools the automatic count from its first tool on, and
// what a forced tool costs more from the messages border on (CACHE-45).
func hidden(p *cachemodel.Profile, n *llm.Node, forced bool) int64 {
	switch {
	case !n.HasTools && (n.Level != llm.Tools || n.Pos == 0):
		return 0
	case forced && n.Level == llm.Messages:
		return p.HiddenForced
	}
	return p.HiddenAuto
}
