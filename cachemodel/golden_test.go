package cachemodel_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording/recordingtest"
	"agentsim/sim/vtime"
)

type goldenCall struct {
	Arm                        string
	Effort                     string
	Input, Output, Write, Read int64
}

type golden struct {
	A1 struct{ Calls []goldenCall } `json:"GOLD-A1_cookbook_multi_turn"`
	A2 struct{ Calls []goldenCall } `json:"GOLD-A2_single_turn"`
	A3 struct{ Calls []goldenCall } `json:"GOLD-A3_effort_change"`
	A5 struct {
		Turns []struct {
			Blocks      int
			Breakpoints []int
			HitBlock    int32 `json:"hit_block"`
			Writes      []int32
			Alternative int `json:"alternative_to"`
		}
	} `json:"GOLD-A5_lookback"`
	A6 struct{ Usage map[string]int64 } `json:"GOLD-A6_usage_ttl_split"`
	A8 struct {
		Model string
		Cases []struct {
			Input, Read, Output int64
			USD                 float64 `json:"token_cost_usd"`
		}
	} `json:"GOLD-A8_cost"`
}

func testGolden(t *testing.T) {
	var g golden
	if err := json.Unmarshal(recordingtest.Read(t, "golden", "golden.json"), &g); err != nil {
		t.Fatal(err)
	}
	t.Run("CACHE-39 GOLD-A1 both arms in one store", func(t *testing.T) { goldenA1(t, g.A1.Calls) })
	t.Run("CACHE-37 GOLD-A2 without a marker, write, hit", func(t *testing.T) { goldenA2(t, g.A2.Calls) })
	t.Run("CACHE-32 GOLD-A3 effort", func(t *testing.T) { goldenA3(t, g.A3.Calls) })
	t.Run("CACHE-14 GOLD-A5 look-back", func(t *testing.T) { goldenA5(t, &g) })
	t.Run("CACHE-37 GOLD-A6 the two lifetimes add up", func(t *testing.T) { goldenA6(t, g.A6.Usage) })
	t.Run("CACHE-41 GOLD-A8 cost", func(t *testing.T) { goldenA8(t, &g) })
}

// driver sends requests, one second apart, through one store.
type driver struct {
	t      *testing.T
	engine *cachemodel.Anthropic
	model  *cachemodel.Profile
	now    vtime.Instant
}

func newDriver(t *testing.T, model string) *driver {
	return &driver{t: t, engine: cachemodel.NewAnthropic(cachemodel.DefaultAnthropicOptions()), model: lookup(t, model)}
}

func (d *driver) call(req *llm.Request, output int64) (llm.Usage, llm.CacheReport) {
	req.MaxTokens = 1000
	var a cachemodel.Admission
	if err := d.engine.Admit(d.now, &cachemodel.Request{Request: req, Profile: d.model, Counts: counts{}}, &a); err != nil {
		d.t.Fatal(err)
	}
	d.engine.Begin(d.now, &a)
	d.now = d.now.Add(vtime.Second)
	return d.engine.End(d.now, &a, cachemodel.Completed, nil, output), a.Report
}

func talk(settings llm.Settings, rules llm.SaltRules) *chain {
	c := &chain{builder: &llm.Builder{}, scope: llm.Scope{Model: "m"}, settings: settings, salts: settings.Salts(rules)}
	c.head = c.builder.Root(c.scope, c.salts)
	return c
}

func text(n int64, letter string) *llm.Block {
	return &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, strings.Repeat(letter, int(n)))}
}

func same(t *testing.T, name string, got llm.Usage, want goldenCall) {
	t.Helper()
	if got.Input != want.Input || got.Written() != want.Write || got.Read != want.Read || got.Output != want.Output {
		t.Errorf("%s: %+v, recorded %+v", name, got, want)
	}
}

func goldenA1(t *testing.T, calls []goldenCall) {
	d := newDriver(t, "claude-sonnet-4-6")
	var c *chain
	var length int64
	for i, want := range calls {
		prompt := want.Read + want.Write
		if i == 0 || want.Arm != calls[i-1].Arm {
			c, length = talk(llm.Settings{}, llm.SaltRules{}), 0
		} else {
			before := calls[i-1]
			// Answers of equal length are equal up to the arms' parting, which is the second answer.
			letter := "a"
			if before.Output == 283 {
				letter = "e"
			}
			c.add(llm.Messages, llm.Assistant, text(before.Output, letter))
			length += before.Output
		}
		c.add(llm.Messages, llm.User, text(prompt-length, "u"))
		length = prompt
		req := &llm.Request{Head: c.head}
		if want.Arm == "auto" {
			req.Automatic = true
		} else {
			req.Breakpoints = []llm.Breakpoint{{Node: c.head}}
		}
		got, _ := d.call(req, want.Output)
		same(t, want.Arm, got, want)
	}
}

func goldenA2(t *testing.T, calls []goldenCall) {
	d := newDriver(t, "claude-sonnet-4-6")
	c := talk(llm.Settings{}, llm.SaltRules{})
	c.add(llm.Messages, llm.User, text(calls[1].Write, "u"))
	for i, want := range calls {
		got, _ := d.call(&llm.Request{Head: c.head, Automatic: i > 0}, 0)
		same(t, want.Arm, got, want)
	}
}

func goldenA3(t *testing.T, calls []goldenCall) {
	d := newDriver(t, "claude-opus-5")
	var blocks []int64
	for i, want := range calls {
		c := talk(llm.Settings{Effort: want.Effort}, d.model.Salts)
		var marked *llm.Node
		rest := want.Input - d.model.Tail
		for _, n := range blocks[min(1, len(blocks)):] {
			rest -= n
		}
		if i == 0 {
			blocks = []int64{want.Write}
		}
		blocks = append(blocks, rest)
		for k, n := range blocks {
			c.add(llm.Messages, llm.User, text(n, "u"))
			if k == 0 {
				marked = c.head
			}
		}
		got, _ := d.call(&llm.Request{Head: c.head, Settings: c.settings, Salts: c.salts, Breakpoints: []llm.Breakpoint{{Node: marked}}}, want.Output)
		same(t, want.Effort, got, want)
	}
}

func goldenA5(t *testing.T, g *golden) {
	d := newDriver(t, "claude-sonnet-4-6")
	for i, turn := range g.A5.Turns {
		if turn.Alternative > 0 {
			// In a world that has seen the turns before the one it takes the place of.
			d = newDriver(t, "claude-sonnet-4-6")
			for k := range turn.Alternative - 1 {
				d.turn(g.A5.Turns[k].Blocks, g.A5.Turns[k].Breakpoints)
			}
		}
		r := d.turn(turn.Blocks, turn.Breakpoints)
		var hit int32
		if r.ReadTo != nil {
			hit = r.ReadTo.Pos
		}
		if hit != turn.HitBlock || r.WrittenTo.Pos != turn.Writes[len(turn.Writes)-1] {
			t.Errorf("turn %d: hits %d and writes %d, documented %d and %v", i+1, hit, r.WrittenTo.Pos, turn.HitBlock, turn.Writes)
		}
	}
}

func (d *driver) turn(blocks int, marks []int) llm.CacheReport {
	c := talk(llm.Settings{}, llm.SaltRules{})
	for range blocks {
		c.add(llm.Messages, llm.User, text(200, "u"))
	}
	req := &llm.Request{Head: c.head}
	for _, m := range marks {
		req.Breakpoints = append(req.Breakpoints, llm.Breakpoint{Node: nodeAt(d.t, c.head, m)})
	}
	_, r := d.call(req, 0)
	return r
}

func goldenA6(t *testing.T, want map[string]int64) {
	d := newDriver(t, "claude-sonnet-4-6")
	c := talk(llm.Settings{}, llm.SaltRules{})
	c.add(llm.Messages, llm.User, text(1800, "u"))
	first := c.head
	d.call(&llm.Request{Head: first, Automatic: true}, 0)
	c.add(llm.Messages, llm.User, text(want["ephemeral_1h_input_tokens"], "u"))
	long := c.head
	c.add(llm.Messages, llm.User, text(want["ephemeral_5m_input_tokens"], "u"))
	got, _ := d.call(&llm.Request{Head: c.head, Breakpoints: []llm.Breakpoint{{Node: long, TTL: llm.TTL1h}, {Node: c.head}}}, 0)
	if got.Written() != want["cache_creation_input_tokens"] || got.Write5m != want["ephemeral_5m_input_tokens"] || got.Read != 1800 {
		t.Errorf("%+v, documented %v", got, want)
	}
}

func goldenA8(t *testing.T, g *golden) {
	p := lookup(t, g.A8.Model)
	for _, c := range g.A8.Cases {
		got := p.Cost(llm.Usage{Input: c.Input, Read: c.Read, Output: c.Output})
		if want := cachemodel.Picodollars(math.Round(c.USD * 1e12)); got != want {
			t.Errorf("%+v costs %d, documented %d", c, got, want)
		}
	}
}
