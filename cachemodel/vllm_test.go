package cachemodel_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording/recordingtest"
)

// TestVLLMPool runs the stories in testdata/vllm. Each letter is a token:
//
//	pool blocks=N block=TOKENS [unhashed=head] [logprobs]   start over
//	start NAME LETTERS [lora=X] [salt=X] [image=(FIRST,TOKENS,HASH)] [logprobs] [behind=N]
//	extend NAME LETTERS; finish NAME; cancel NAME
//
// Each prints the request's blocks and the queue of free ones, in which a star
// marks a block that can still be found.
func TestVLLMPool(t *testing.T) {
	stories(t, "vllm", func(t *testing.T) func(*testing.T, *datadriven.TestData) string {
		return (&poolStory{}).run
	})
}

// stories runs those of a folder of testdata, each with a runner of its own.
func stories(t *testing.T, folder string, runner func(*testing.T) func(*testing.T, *datadriven.TestData) string) {
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories in testdata/%s: %v", folder, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { datadriven.RunTest(t, path, runner(t)) })
	}
}

type poolStory struct {
	pool      *cachemodel.VLLMPool
	sequences map[string]*cachemodel.VLLMSequence
}

func letters(s string) (out []cachemodel.Token) {
	for _, r := range s {
		out = append(out, cachemodel.Token(r))
	}
	return out
}

func (p *poolStory) run(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd == "pool" {
		var opt cachemodel.VLLMOptions
		var unhashed string
		d.MaybeScanArgs(t, "blocks", &opt.Blocks)
		d.MaybeScanArgs(t, "block", &opt.BlockTokens)
		d.MaybeScanArgs(t, "unhashed", &unhashed)
		opt.UnhashedFirst, opt.PromptLogprobs = unhashed == "head", d.HasArg("logprobs")
		p.pool, p.sequences = cachemodel.NewVLLMPool(opt), map[string]*cachemodel.VLLMSequence{}
		return "queue" + p.queue()
	}
	name := d.CmdArgs[0].Key
	s := p.sequences[name]
	switch d.Cmd {
	case "start":
		s = &cachemodel.VLLMSequence{PromptLogprobs: d.HasArg("logprobs")}
		p.sequences[name] = s
		d.MaybeScanArgs(t, "lora", &s.LoRA)
		d.MaybeScanArgs(t, "salt", &s.Salt)
		d.MaybeScanArgs(t, "behind", &s.Behind)
		for _, a := range d.CmdArgs {
			if a.Key == "image" {
				hash, _ := strconv.ParseUint(a.Vals[2], 10, 64)
				first, _ := strconv.Atoi(a.Vals[0])
				tokens, _ := strconv.Atoi(a.Vals[1])
				s.Media = append(s.Media, cachemodel.VLLMMedia{First: first, Tokens: tokens, Hash: hash})
			}
		}
		read, held := p.pool.Start(s, letters(d.CmdArgs[1].Key))
		return fmt.Sprintf("read=%d held=%d blocks %v queue%s", read, held, s.Blocks(), p.queue())
	case "extend":
		held := p.pool.Extend(s, letters(d.CmdArgs[1].Key))
		return fmt.Sprintf("held=%d blocks %v queue%s", held, s.Blocks(), p.queue())
	case "finish":
		p.pool.Finish(s)
		return "queue" + p.queue()
	case "cancel":
		p.pool.Cancel(s)
		return "queue" + p.queue()
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

func (p *poolStory) queue() string {
	var b strings.Builder
	for _, n := range p.pool.FreeBlocks() {
		fmt.Fprintf(&b, " %d", n)
		if p.pool.Cached(n) {
			b.WriteByte('*')
		}
	}
	return b.String()
}

func TestGoldenV1(t *testing.T) {
	var g struct {
		V1 struct {
			Block      int
			PoolBlocks int     `json:"pool_blocks"`
			Before     []int32 `json:"free_queue_before_req2"`
			Touched    []int32
			After      []int32 `json:"free_queue_after_touch"`
			Prompt     int     `json:"req2_prompt_tokens"`
			Shared     int     `json:"req2_shared_tokens"`
			Blocks     []int32 `json:"req2_blocks"`
			Req1       struct {
				Prompt int
				Shared int `json:"shared_with_req0"`
				Blocks int `json:"hit_blocks"`
				Tokens int `json:"hit_tokens"`
			}
		} `json:"GOLD-V1_vllm"`
	}
	if err := json.Unmarshal(recordingtest.Read(t, "golden", "golden.json"), &g); err != nil {
		t.Fatal(err)
	}
	v := g.V1
	tokens := func(n, shared int, other cachemodel.Token) (out []cachemodel.Token) {
		for i := range n {
			if i >= shared {
				out = append(out, other+cachemodel.Token(i))
			} else {
				out = append(out, cachemodel.Token(i))
			}
		}
		return out
	}
	t.Run("CACHE-82 CACHE-83 GOLD-V1 the ten-block walk-through, queue by queue", func(t *testing.T) {
		p := cachemodel.NewVLLMPool(cachemodel.VLLMOptions{Blocks: v.PoolBlocks, BlockTokens: v.Block})
		var s [3]cachemodel.VLLMSequence
		// Request 0 has 15 tokens and makes two more: block 3 is full, block 4 begun.
		p.Start(&s[0], tokens(15, 15, 0))
		p.Extend(&s[0], tokens(17, 17, 0)[15:])
		read, _ := p.Start(&s[1], tokens(v.Req1.Prompt, v.Req1.Shared, 100))
		if read != v.Req1.Tokens || read != v.Req1.Blocks*v.Block {
			t.Errorf("request 1 reads %d tokens, documented %d", read, v.Req1.Tokens)
		}
		p.Finish(&s[0])
		p.Finish(&s[1])
		if got := p.FreeBlocks(); !slices.Equal(got, v.Before) {
			t.Errorf("the queue is %v, documented %v", got, v.Before)
		}
		// A request of the shared blocks alone is nothing but their touch. Its last
		// token is behind them.
		touch := cachemodel.VLLMSequence{Behind: 1}
		p.Start(&touch, tokens(v.Shared, v.Shared, 0))
		if got := p.FreeBlocks(); !slices.Equal(touch.Blocks(), v.Touched) || !slices.Equal(got, v.After) {
			t.Errorf("touched %v, the queue is %v; documented %v and %v", touch.Blocks(), got, v.Touched, v.After)
		}
		read, held := p.Start(&s[2], tokens(v.Prompt, v.Shared, 200))
		if got := s[2].Blocks(); !slices.Equal(got, v.Blocks) || read != v.Shared || held != v.Prompt {
			t.Errorf("request 2 reads %d, holds %d in blocks %v; documented %d, %d, %v", read, held, got, v.Shared, v.Prompt, v.Blocks)
		}
	})
}

// growing draws a conversation of one level, whose texts are told apart by
// their length in tokens, and which often begins as another does.
func growing(t *rapid.T, others [][]int) []int {
	var sizes []int
	if len(others) > 0 && rapid.IntRange(0, 3).Draw(t, "from another") > 0 {
		from := others[rapid.IntRange(0, len(others)-1).Draw(t, "which")]
		sizes = slices.Clone(from[:rapid.IntRange(0, len(from)).Draw(t, "shared")])
	}
	return append(sizes, rapid.SliceOfN(rapid.IntRange(1, 40), 1, 4).Draw(t, "sizes")...)
}

// conversationOf makes its nodes anew.
func conversationOf(sizes []int) *llm.Node {
	c := talk(llm.Settings{}, llm.SaltRules{})
	for _, n := range sizes {
		c.add(llm.Messages, llm.User, text(int64(n), "x"))
	}
	return c.head
}

// sharedTokens is how many tokens two conversations have in common in whole
// blocks.
func sharedTokens(a, b []int) (n int) {
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		n += a[i]
	}
	return n
}

func TestSelfHosted(t *testing.T) {
	for name, c := range map[string]struct {
		page int
		make func() cachemodel.Engine
	}{
		"CACHE-81 vLLM with room for all reads the longest prefix of any earlier request, in whole blocks": {16,
			func() cachemodel.Engine { return cachemodel.NewVLLM(cachemodel.VLLMOptions{}) }},
		"CACHE-85 SGLang with room for all reads the longest prefix of any earlier request": {1,
			func() cachemodel.Engine { return cachemodel.NewSGLang(cachemodel.SGLangOptions{}) }},
		"CACHE-85 SGLang with pages reads that in whole pages": {8,
			func() cachemodel.Engine {
				return cachemodel.NewSGLang(cachemodel.SGLangOptions{Page: 8, StorePrompts: true})
			}},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				engine := c.make()
				tail := rapid.IntRange(0, 3).Draw(t, "tail")
				model := &cachemodel.Profile{ID: "test", Tail: int64(tail)}
				var said [][]int
				for range rapid.IntRange(1, 12).Draw(t, "requests") {
					sizes := growing(t, said)
					prompt := sizes[:rapid.IntRange(1, len(sizes)).Draw(t, "prompt")]
					want := 0
					for _, other := range said {
						want = max(want, sharedTokens(prompt, other))
					}
					head := conversationOf(prompt)
					all := int(head.Cum.Total())
					want = min(want, all+tail-1)
					if got := callOnce(t, engine, model, head, conversationOf(sizes)); got.Read != int64(want-want%c.page) || got.Prompt() != int64(all+tail) {
						t.Fatalf("%v after %v: %+v, want a read of %d of %d", prompt, said, got, want-want%c.page, all+tail)
					}
					said = append(said, sizes)
				}
			})
		})
	}
}

// callOnce is one whole call, whose answer makes head of the prompt.
func callOnce(t interface{ Fatal(...any) }, e cachemodel.Engine, model *cachemodel.Profile, prompt, head *llm.Node) llm.Usage {
	var a cachemodel.Admission
	req := cachemodel.Request{Request: &llm.Request{Head: prompt, MaxTokens: 1}, Profile: model, Counts: counts{}}
	if err := e.Admit(0, &req, &a); err != nil {
		t.Fatal(err)
	}
	e.Begin(0, &a)
	return e.End(0, &a, cachemodel.Completed, head, 0)
}
