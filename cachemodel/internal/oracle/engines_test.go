package oracle

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
)

// someTokens draws tokens that often begin as others do.
func someTokens(t *rapid.T, most int) []cachemodel.Token {
	return rapid.SliceOfN(rapid.SampledFrom([]cachemodel.Token{1, 1, 1, 2}), 0, most).Draw(t, "tokens")
}

// vrun is one request in the pool and in its
type vrun struct {
	real *cachemodel.VLLMSequence
	slow *VSequence
}

func drawSequence(t *rapid.T) *cachemodel.VLLMSequence {
	s := &cachemodel.VLLMSequence{
		LoRA:           rapid.SampledFrom([]string{"", "", "a"}).Draw(t, "lora"),
		Salt:           rapid.SampledFrom([]string{"", "", "a"}).Draw(t, "salt"),
		PromptLogprobs: rapid.IntRange(0, 5).Draw(t, "logprobs") == 0,
		Behind:         rapid.IntRange(0, 2).Draw(t, "behind"),
	}
	if rapid.IntRange(0, 3).Draw(t, "image") == 0 {
		s.Media = []cachemodel.VLLMMedia{{First: rapid.IntRange(0, 6).Draw(t, "first"), Tokens: rapid.IntRange(1, 5).Draw(t, "length"), Hash: rapid.Uint64Range(1, 2).Draw(t, "hash")}}
	}
	return s
}

func TestVLLM(t *testing.T) {
	t.Run("CACHE-80 CACHE-81 CACHE-82 CACHE-83 CACHE-84 the pool does what a list of blocks does, on random requests", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			opt := cachemodel.VLLMOptions{Blocks: rapid.SampledFrom([]int{0, 1, 3, 8, 20}).Draw(t, "blocks"),
				BlockTokens: rapid.IntRange(1, 3).Draw(t, "block"), UnhashedFirst: rapid.Bool().Draw(t, "unhashed first"),
				PromptLogprobs: rapid.IntRange(0, 9).Draw(t, "logprobs") == 0}
			fast, slow := cachemodel.NewVLLMPool(opt), NewVLLM(opt)
			var running []vrun
			for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
				running = vstep(t, step, fast, slow, running)
				if got, want := fmt.Sprint(fast.FreeBlocks()), fmt.Sprint(slow.Free()); got != want {
					t.Fatalf("step %d: the queue is %s, want %s", step, got, want)
				}
			}
		})
	})
}

// vstep starts, extends or ends a request in both.
func vstep(t *rapid.T, step int, fast *cachemodel.VLLMPool, slow *VLLM, running []vrun) []vrun {
	what := rapid.IntRange(0, 4).Draw(t, "what")
	if what < 2 || len(running) == 0 {
		s := drawSequence(t)
		r := vrun{s, &VSequence{Like: s, Tokens: someTokens(t, 10)}}
		read, held := fast.Start(s, r.slow.Tokens)
		if sread, sheld := slow.Start(r.slow); read != sread || held != sheld {
			t.Fatalf("step %d: reads %d and holds %d, want %d and %d", step, read, held, sread, sheld)
		}
		same(t, step, r)
		return append(running, r)
	}
	i := rapid.IntRange(0, len(running)-1).Draw(t, "which")
	r := running[i]
	switch what {
	case 2:
		more := someTokens(t, 5)
		r.slow.Tokens = append(r.slow.Tokens, more...)
		if got, want := fast.Extend(r.real, more), slow.Fill(r.slow); got != want {
			t.Fatalf("step %d: holds %d, want %d", step, got, want)
		}
		same(t, step, r)
		return running
	case 3:
		fast.Finish(r.real)
		slow.Finish(r.slow, false)
	case 4:
		fast.Cancel(r.real)
		slow.Finish(r.slow, true)
	}
	return slices.Delete(running, i, i+1)
}

func same(t *rapid.T, step int, r vrun) {
	if got, want := fmt.Sprint(r.real.Blocks()), fmt.Sprint(r.slow.Table); got != want {
		t.Fatalf("step %d: the table is %s, want %s", step, got, want)
	}
}

func TestSGLang(t *testing.T) {
	t.Run("CACHE-85 CACHE-86 CACHE-87 the tree does what a list of prefixes does, on random requests", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			page := rapid.IntRange(1, 3).Draw(t, "page")
			policy := cachemodel.SGLangPolicy(rapid.IntRange(0, int(cachemodel.SGLangPriority)).Draw(t, "policy"))
			w := &sworld{fast: cachemodel.NewSGLangTree(page, policy), slow: &SGLang{Page: page, Policy: policy}}
			for step := range rapid.IntRange(1, 60).Draw(t, "steps") {
				w.step(t)
				if got, want := w.fast.String(), w.slow.String(); got != want {
					t.Fatalf("step %d: the tree is\n%swant\n%s", step, got, want)
				}
			}
		})
	})
}

// sworld is a tree, its oracle, and what is locked in both.
type sworld struct {
	fast   *cachemodel.SGLangTree
	slow   *SGLang
	locked []slock
}

type slock struct {
	real cachemodel.SGLangMatch
	slow *SNode
}

func (w *sworld) step(t *rapid.T) {
	extra := rapid.SampledFrom([]string{"", "", "x"}).Draw(t, "extra")
	switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
	case what < 2:
		tokens, priority := someTokens(t, 10), rapid.Int64Range(0, 2).Draw(t, "priority")
		if got, want := w.fast.Insert(extra, tokens, priority), w.slow.Insert(extra, tokens, priority); got != want {
			t.Fatalf("of %v %d were stored, want %d", tokens, got, want)
		}
	case what < 4:
		tokens := someTokens(t, 10)
		m := w.fast.Match(extra, tokens)
		n, last := w.slow.Match(extra, tokens)
		if m.Tokens != n {
			t.Fatalf("%v matches %d, want %d", tokens, m.Tokens, n)
		}
		if what == 3 {
			w.fast.Lock(m)
			w.slow.Lock(last, 1)
			w.locked = append(w.locked, slock{m, last})
		}
	case what == 4 && len(w.locked) > 0:
		i := rapid.IntRange(0, len(w.locked)-1).Draw(t, "which")
		w.fast.Unlock(w.locked[i].real)
		w.slow.Lock(w.locked[i].slow, -1)
		w.locked = slices.Delete(w.locked, i, i+1)
	default:
		n := rapid.IntRange(0, 12).Draw(t, "evict")
		if got, want := w.fast.Evict(n), w.slow.Evict(n); got != want {
			t.Fatalf("asked for %d tokens, %d went, want %d", n, got, want)
		}
	}
}
