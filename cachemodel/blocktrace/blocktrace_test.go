package blocktrace

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/sim/recording/recordingtest"
)

// all reads a trace to its end; what it gives is copied.
func all(name string, in io.Reader, opt Options) (out []Request, r *Reader, err error) {
	r = Open(name, in, opt)
	for err == nil {
		var req *Request
		if req, err = r.Next(); err == nil {
			c := *req
			c.IDs = slices.Clone(c.IDs)
			out = append(out, c)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return out, r, err
}

// published are the hit rates of Mooncake's paper (FAST'25, Figure 9) in
// ten-thousandths, by the tokens that fit; 0 is unbounded.
var published = []struct{ tokens, rate int }{
	{10_000, 3}, {100_000, 117}, {1_000_000, 1461}, {2_000_000, 2345}, {4_000_000, 3805},
	{5_000_000, 4352}, {8_000_000, 5447}, {10_000_000, 5886}, {50_000_000, 6582}, {0, 6582},
}

func TestPublished(t *testing.T) {
	raw := recordingtest.Read(t, "mooncake", "synthetic_trace.jsonl")
	t.Run("CACHE-V1 a plain LRU reaches the ten published hit rates of Mooncake's trace within 0.005", func(t *testing.T) {
		requests, _, err := all("synthetic_trace.jsonl", bytes.NewReader(raw), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range published {
			e := cachemodel.ServeLRU{Cache: cachemodel.NewBlockCache(p.tokens / MooncakeBlock)}
			hits, full := 0, 0
			for i := range requests {
				hits += e.Serve(&requests[i].BlockRequest)
				full += requests[i].Full
			}
			off := hits*10_000 - p.rate*full // in ten-thousandths of a block
			t.Logf("%9d tokens: %d of %d full blocks, %d ten-thousandths off", p.tokens, hits, full, off/full)
			if max(off, -off) > 50*full {
				t.Errorf("with %d tokens %d of %d full blocks are hit, published %d in 10,000", p.tokens, hits, full, p.rate)
			}
		}
	})
	t.Run("CACHE-V1 with room for all, the three engines differ only by the last block of a prompt that is cached as a whole", func(t *testing.T) {
		requests, _, err := all("synthetic_trace.jsonl", bytes.NewReader(raw), Options{})
		if err != nil {
			t.Fatal(err)
		}
		lru := cachemodel.ServeLRU{Cache: cachemodel.NewBlockCache(cachemodel.Unbounded)}
		vllm := cachemodel.ServeVLLM(cachemodel.VLLMOptions{BlockTokens: MooncakeBlock})
		tree := cachemodel.ServeSGLang(cachemodel.Unbounded, MooncakeBlock, cachemodel.SGLangLRU)
		for i := range requests {
			r := &requests[i].BlockRequest
			want := lru.Serve(r)
			want = min(want, int((r.Tokens-1)/MooncakeBlock))
			if v, s := vllm.Serve(r), tree.Serve(r); v != want || s != want {
				t.Fatalf("request %d hits %d blocks in vLLM and %d in SGLang, want %d", i, v, s, want)
			}
		}
	})
}

func TestRead(t *testing.T) {
	t.Run("CACHE-V1 ids of one trace never meet those of another", func(t *testing.T) {
		line := `{"timestamp":0,"input_length":5,"output_length":1,"hash_ids":[9]}`
		x, _, _ := all("x", strings.NewReader(line), Options{Scope: 1})
		y, _, _ := all("x", strings.NewReader("\ufeff"+line), Options{Scope: 2})
		if x[0].IDs[0] == y[0].IDs[0] {
			t.Error("two traces share an id")
		}
	})
	t.Run("CACHE-V1 a line of Mooncake's gives milliseconds, tokens and a last block that may not be full", func(t *testing.T) {
		in := `{"timestamp":3,"input_length":1025,"output_length":7,"hash_ids":[4,5,6]}` + "\n" + `{"hash_ids":[4,5],"timestamp":3,"input_length":1024,"output_length":0}` + "\n"
		got, r, err := all("x", strings.NewReader(in), Options{})
		if err != nil || len(got) != 2 || r.BlockTokens() != 512 {
			t.Fatal(got, err)
		}
		if q := got[0]; q.At != 3_000_000 || q.Full != 2 || len(q.IDs) != 3 || q.Output != 7 || q.Line != 1 || got[1].Full != 2 || got[1].Line != 2 {
			t.Errorf("%+v", got)
		}
		if got, _, err := all("x", strings.NewReader(`{"timestamp":3,"input_length":17,"output_length":7,"hash_ids":[4,5]}`), Options{Block: 16}); err != nil || got[0].Full != 1 {
			t.Error(got, err)
		}
	})
}

func TestRefused(t *testing.T) {
	const row = `{"timestamp":5,"input_length":513,"output_length":1,"hash_ids":[1,2]}` + "\n"
	for name, c := range map[string]struct{ in, want string }{
		"an empty first line":      {"\n" + row, "x:1: an empty line: write one request a line"},
		"a list":                   {"[]", "x:1: a array where an object belongs"},
		"another object":           {`{"name":1}`, `x:1: unknown field "name"`},
		"a broken line":            {row + row + `{"timestamp":`, "x:3: not JSON: "},
		"an empty line":            {row + "\n" + row, "x:2: an empty line: "},
		"two requests in a line":   {row + strings.TrimSpace(row) + row, "x:2: something stands behind the request"},
		"a missing field":          {row + `{"timestamp":5,"output_length":1,"hash_ids":[1]}`, "x:2: a request has the fields "},
		"no ids":                   {row + `{"timestamp":5,"input_length":1,"output_length":1}`, "x:2: a request has the fields "},
		"an unknown field":         {row + strings.Replace(row, "timestamp", "time", 1), `x:2: unknown field "time"`},
		"a fraction of a token":    {strings.Replace(row, "513", "513.5", 1), "x:1: input_length is a number 513.5; write a whole number"},
		"a negative id":            {strings.Replace(row, "[1", "[-1", 1), "x:1: hash_ids is a number -1; write a whole number from 0 on"},
		"a text for an id":         {strings.Replace(row, "[1", `["1"`, 1), "x:1: hash_ids is a string; write a whole number from 0 on"},
		"a list for a request":     {row + "[]", "x:2: a array where an object belongs"},
		"too few ids":              {strings.Replace(row, "1,2", "1", 1), "x:1: 1 hash_ids for 513 tokens: want 2, one for each 512 tokens begun"},
		"too many ids":             {strings.Replace(row, "1,2", "1,2,3", 1), "x:1: 3 hash_ids for 513 tokens: want 2"},
		"no tokens":                {strings.Replace(row, "513", "0", 1), "x:1: input_length is at least 1"},
		"time that goes backwards": {row + strings.Replace(row, ":5", ":4", 1), "x:2: timestamp 4 comes after 5"},
		"time without end":         {strings.Replace(row, ":5", ":9000000000000", 1), "x:1: timestamp 9000000000000: milliseconds"},
	} {
		t.Run("CACHE-V1 refused, with the line: "+name, func(t *testing.T) {
			_, _, err := all("x", strings.NewReader(c.in), Options{})
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s…", err, c.want)
			}
		})
	}
	t.Run("CACHE-V1 an entry longer than the limit is refused before it fills the memory", func(t *testing.T) {
		long := func(head string) io.Reader {
			return io.MultiReader(strings.NewReader(head), io.LimitReader(blanks{}, 4*MaxEntry))
		}
		_, _, err := all("x", long(row+`{"timestamp":`), Options{})
		if err == nil || !strings.Contains(err.Error(), "longer than 67108864 bytes") {
			t.Errorf("%v", err)
		}
	})
	t.Run("CACHE-V1 an error of the file is told as such", func(t *testing.T) {
		broken := errors.New("broken disk")
		_, _, err := all("x", io.MultiReader(strings.NewReader(row), iotest.ErrReader(broken)), Options{})
		if !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	})
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestRoundTrip(t *testing.T) {
	t.Run("CACHE-V1 whatever is cut off or changed in a trace, reading ends in an error or in requests that hold together", func(t *testing.T) {
		rows := strings.Repeat(`{"timestamp":5,"input_length":513,"output_length":1,"hash_ids":[1,2]}`+"\n", 3)
		rapid.Check(t, func(t *rapid.T) {
			text := []byte(rows)
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				text[rapid.IntRange(0, len(text)-1).Draw(t, "where")] = rapid.SampledFrom([]byte("0-9.e,:[]{}\"\n ")).Draw(t, "what")
			}
			got, _, err := all("x", bytes.NewReader(text[:rapid.IntRange(0, len(text)).Draw(t, "length")]), Options{})
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%v has no place", err)
			}
			for _, q := range got {
				if q.At < 0 || q.Full > len(q.IDs) || q.Full < len(q.IDs)-1 || q.Tokens < 0 || q.Line < 1 {
					t.Fatalf("%+v", q)
				}
			}
		})
	})
}
