package tokens

import (
	"bufio"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording/recordingtest"
)

// step is the growth of one thread's prompt from a request to the next: the
// tokens that usage says and the measure of the blocks that came in between.
type step struct {
	tokens  int64
	measure llm.Measure
}

// usage, block, message and line are what is read of a recorded line.
type (
	usage struct {
		Input   int64 `json:"input_tokens"`
		Written int64 `json:"cache_creation_input_tokens"`
		Read    int64 `json:"cache_read_input_tokens"`
	}
	block struct {
		Type, Text, Name, ID string
		ToolUseID            string `json:"tool_use_id"`
		Input, Content       json.RawMessage
	}
	message struct {
		ID, Model string
		Usage     usage
		Content   json.RawMessage
	}
	line struct {
		Type, Subtype string
		Message       message
	}
)

func (u usage) prompt() int64 { return u.Input + u.Written + u.Read }

// request is one answered request and what followed it up to the next.
type request struct {
	message
	measure llm.Measure
	uses    map[string]string // id to tool, as long as no result was seen
	results int
	unclean bool // something stands in between whose bytes are not known
}

// sessionSteps reads the clean steps of a transcript: consecutive requests of
// one model, the first without thinking and with tool uses, of which each has a
// result of text, and nothing else in between.
func sessionSteps(t *testing.T, path string) []step {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []*request
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var l line
		if json.Unmarshal(sc.Bytes(), &l) != nil {
			continue
		}
		var last *request
		if len(all) > 0 {
			last = all[len(all)-1]
		}
		switch l.Type {
		case "assistant":
			if last == nil || last.ID != l.Message.ID {
				last = &request{message: l.Message, uses: map[string]string{}}
				all = append(all, last)
			}
			last.answer(l.Message.Content)
		case "user":
			if last != nil {
				last.followUp(l.Message.Content)
			}
		case "attachment", "system":
			if last != nil && (l.Type == "attachment" || strings.HasSuffix(l.Subtype, "boundary")) {
				last.unclean = true
			}
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return cleanSteps(all)
}

func cleanSteps(all []*request) []step {
	var out []step
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if a.unclean || len(a.uses) > 0 || a.results == 0 || a.Model != b.Model || a.Model == "<synthetic>" {
			continue
		}
		out = append(out, step{b.Usage.prompt() - a.Usage.prompt(), a.measure})
	}
	return out
}

func (r *request) add(b llm.Block) { r.measure = r.measure.Plus(b.Measure()) }

func (r *request) answer(content json.RawMessage) {
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		r.unclean = true
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			r.add(llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, b.Text)})
		case "tool_use":
			r.uses[b.ID] = b.Name
			r.add(llm.Block{Kind: llm.ToolUse, Name: b.Name, Content: llm.NewJSON(string(b.Input))})
		default:
			r.unclean = true
		}
	}
}

func (r *request) followUp(content json.RawMessage) {
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		r.unclean = true
	}
	for _, b := range blocks {
		name, ok := r.uses[b.ToolUseID]
		text, isText := resultText(b.Content)
		if b.Type != "tool_result" || !ok || !isText {
			r.unclean = true
			continue
		}
		delete(r.uses, b.ToolUseID)
		r.results++
		class := llm.Code
		if slices.Contains([]string{"Task", "Agent", "WebFetch", "WebSearch"}, name) {
			class = llm.Prose
		}
		r.add(llm.Block{Kind: llm.ToolResult, Content: llm.NewText(class, text)})
	}
}

// resultText is a tool_result's content: nothing, a string or text blocks.
func resultText(content json.RawMessage) (string, bool) {
	var s string
	if len(content) == 0 || json.Unmarshal(content, &s) == nil {
		return s, true
	}
	var blocks []block
	if json.Unmarshal(content, &blocks) != nil {
		return "", false
	}
	for _, b := range blocks {
		if b.Type != "text" {
			return "", false
		}
		s += b.Text
	}
	return s, true
}

// sessions is the folder of recordings.
func sessions(t *testing.T) string {
	t.Helper()
	return recordingtest.Path(t, "sessions")
}

// transcripts lists the .jsonl files below a folder of the recordings, sorted.
func transcripts(t *testing.T, dir string) []string {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			found[path] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

// deviation is how far a counter is off over steps, in per mille: the median of
// the relative errors, the one nine in ten stay within, and counted to recorded
// tokens in sum.
type deviation struct{ n, median, p90, sum int }

func deviationOf(c Counter, steps []step) deviation {
	var rel []float64
	var counted, recorded int64
	for _, s := range steps {
		got := c.Tokens(s.measure)
		counted += got
		recorded += s.tokens
		rel = append(rel, math.Abs(float64(got-s.tokens))/float64(max(s.tokens, 1)))
	}
	slices.Sort(rel)
	permille := func(f float64) int { return int(math.Round(f * 1000)) }
	n := len(rel)
	return deviation{n, permille(rel[n/2]), permille(rel[n*9/10]), permille(float64(counted) / float64(recorded))}
}
