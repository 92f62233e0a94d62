// Package cachereplay is the command that plays traces of block ids through engines
// of a given capacity.
package cachereplay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cachemodel/blocktrace"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"

	"github.com/spf13/cobra"
)

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	return ui.NewGroup("cache", "replay traces of cached blocks", newReplay(s))
}

// options are the flags.
type options struct {
	capacities  []string
	blockTokens int
	engine      string
	output      string
}

func newReplay(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "replay TRACE…",
		Short: "replay block traces through a cache of several sizes, and count the hits",
		Long: `Replays traces that tell prompts as ids of blocks, one request after the other, through one cache for each capacity, and
prints which part of the full blocks it held. A trace has Mooncake's format: a JSON line a request, blocks of 512 tokens.
Several traces go through the same caches in the order given; ids of different files are different blocks. TRACE - is
standard input.

A capacity is a number of tokens, with k, M or G for thousands, millions or thousands of millions, or "unbounded"; what is
left over beside whole blocks is not used. Without --capacity they are those of Mooncake's published figure, and where the
trace is the published one, which its SHA-256 tells, the published hit rate is printed beside ours.

Engines:
  lru     plain LRU over blocks, touched first to last; a last block that is not full takes its place but is not counted
  vllm    vLLM's block pool: only full blocks, read up to the first miss, and never the last token of a prompt
  sglang  SGLang's radix tree with one block to a page: whole leaves are evicted, the one used longest ago first`,
		Example: `  agentsim lab cache replay synthetic_trace.jsonl
  agentsim lab cache replay synthetic_trace.jsonl --capacity 500k,1M,2.5M,unbounded --engine vllm
  agentsim lab cache replay traces/*.jsonl --capacity unbounded -o json`,
		Args: ui.AtLeastOne("a trace"),
		RunE: func(_ *cobra.Command, args []string) error { return run(s, o, args) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.capacities, "capacity", published, "`tokens` that the cache holds, such as 500k, 2.5M or unbounded; a list makes a row each")
	f.IntVar(&o.blockTokens, "block-tokens", 512, "`tokens` of a block")
	ui.ChoiceFlag(f, &o.engine, "engine", "", "what serves the requests", "lru", "vllm", "sglang")
	ui.OutputFlag(f, &o.output)
	return cmd
}

// engines makes each engine with room for so many blocks of so many tokens.
var engines = map[string]func(blocks, tokens int) cachemodel.BlockEngine{
	"lru": func(blocks, _ int) cachemodel.BlockEngine {
		return cachemodel.ServeLRU{Cache: cachemodel.NewBlockCache(blocks)}
	},
	"vllm": func(blocks, tokens int) cachemodel.BlockEngine {
		return cachemodel.ServeVLLM(cachemodel.VLLMOptions{Blocks: blocks, BlockTokens: tokens})
	},
	"sglang": func(blocks, tokens int) cachemodel.BlockEngine {
		return cachemodel.ServeSGLang(blocks, tokens, cachemodel.SGLangLRU)
	},
}

// row is one capacity and what it came to.
type row struct {
	capacity int64 // tokens; 0 is unbounded
	blocks   int
	engine   cachemodel.BlockEngine
	hits     int64 // full blocks found
}

// trace is one trace and what it held.
type trace struct {
	path     string
	sum      string // SHA-256 in hex
	requests int64
}

// replayed is a whole replay.
type replayed struct {
	engine      string
	blockTokens int
	traces      []trace
	rows        []*row
	requests    int64
	full        int64 // full blocks asked for
}

func run(s *ui.Env, o *options, traces []string) error {
	if o.blockTokens < 1 || o.blockTokens > 1<<30 {
		return ui.Failf(ui.Usage, "--block-tokens %d: write a whole number from 1 on", o.blockTokens)
	}
	capacities, err := parseCapacities(o.capacities)
	if err != nil {
		return err
	}
	r := &replayed{engine: o.engine}
	for _, c := range capacities {
		r.rows = append(r.rows, &row{capacity: c})
	}
	stop := harness.Listen(s)
	defer stop.Stop()
	for i, path := range traces {
		if err := replayTrace(s, r, o, uint64(i), path, stop); err != nil {
			return err
		}
	}
	if r.requests == 0 {
		return ui.Failf(ui.Operating, "there is no request in the %s", ui.Plural(len(r.traces), "trace"))
	}
	return s.Print(o.output, r.document())
}

// replayTrace serves one trace's requests by every row's engine.
func replayTrace(s *ui.Env, r *replayed, o *options, scope uint64, path string, stop *harness.Interrupt) error {
	in, err := openTrace(s, path)
	if err != nil {
		return err
	}
	defer in.Close()
	hash := sha256.New()
	trace := trace{path: path}
	reader := blocktrace.Open(path, io.TeeReader(in, hash), blocktrace.Options{Scope: scope, Block: o.blockTokens})
	if err := r.fit(reader.BlockTokens()); err != nil {
		return err
	}
	for {
		var req *blocktrace.Request
		if req, err = reader.Next(); err != nil {
			break
		}
		trace.requests++
		r.serve(&req.BlockRequest)
		if trace.requests%256 == 0 && stop.Has() {
			return ui.Failf(ui.Interrupted, "interrupted after %d requests of %s; nothing is printed of a part", trace.requests, path)
		}
	}
	var wrong *blocktrace.Error
	switch {
	case errors.As(err, &wrong):
		return ui.Failf(ui.Operating, "%w", err)
	case err != io.EOF:
		return ui.Failf(ui.Operating, "%s: cannot read the trace: %w", path, err)
	}
	trace.sum = hex.EncodeToString(hash.Sum(nil))
	r.traces = append(r.traces, trace)
	return nil
}

// openTrace opens a file, or standard input for -.
func openTrace(s *ui.Env, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(s.Stdin), nil
	}
	f, err := hostdir.Machine{}.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ui.Failf(ui.Operating, "%s: there is no such file; a trace is a file of Mooncake's format", path)
	case err != nil:
		return nil, ui.Failf(ui.Operating, "%s: cannot read the trace: %w", path, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, ui.Failf(ui.Operating, "%s: a directory; name its files, such as %s/*.jsonl", path, strings.TrimRight(path, "/"))
	}
	return f, nil
}

// maxBlocks bounds a capacity, since a pool is made whole.
const maxBlocks = 1 << 26

// fit makes the caches once the first trace has said how large a block is, and
// holds every other trace to it.
func (r *replayed) fit(tokens int) error {
	if r.blockTokens != 0 {
		return nil
	}
	r.blockTokens = tokens
	for _, row := range r.rows {
		blocks := row.capacity / int64(tokens)
		switch {
		case row.capacity != 0 && blocks == 0:
			return ui.Failf(ui.Usage, "--capacity %d: less than one block of %d tokens", row.capacity, tokens)
		case blocks > maxBlocks:
			return ui.Failf(ui.Usage, "--capacity %d: more than %d blocks of %d tokens; write unbounded", row.capacity, maxBlocks, tokens)
		}
		row.blocks = int(blocks)
		row.engine = engines[r.engine](row.blocks, tokens)
	}
	return nil
}

func (r *replayed) serve(req *cachemodel.BlockRequest) {
	r.requests++
	r.full += int64(req.Full)
	for _, row := range r.rows {
		row.hits += int64(row.engine.Serve(req))
	}
}
