package whatif

import (
	"errors"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

const (
	opus45 = "claude-opus-4-5-20251101"
	opus46 = "claude-opus-4-6"
	opus48 = "claude-opus-4-8"
	sonnet = "claude-sonnet-4-5-20250929"
)

// told is one request of a test's session: instants in milliseconds, sizes in
// tokens, three of plain input behind what is read and written.
type told struct {
	thread      int32
	pred        int32
	model       string
	at          int64 // milliseconds
	read, write int64
	hour        bool // it asks for the longer lifetime
	output      int64
	placeholder bool // its output is not known
	user        bool
	compacted   bool
	blocks      int
	tools       int
}

// answerTime is from a request to its answer's first line, and from there to its
// last.
const answerTime = vtime.Second

func session(threads []recording.Thread, reqs ...told) *recording.Session {
	s := &recording.Session{Format: "rows", Client: "claude-code", Origin: "o", ID: "s", Threads: threads}
	for _, t := range reqs {
		start := ms(t.at)
		r := recording.Request{Thread: t.thread, Pred: t.pred, Model: t.model, AnswerBlocks: t.blocks, Start: start, First: start.Add(answerTime),
			Last: start.Add(2 * answerTime), Usage: llm.Usage{Input: 3, Read: t.read, Write5m: t.write, Output: t.output},
			OutputKnown: !t.placeholder, WritesKnown: true, Billed: true, UserTurn: t.user, Compacted: t.compacted, Tools: make([]recording.ToolUse, t.tools)}
		if r.Model == "" {
			r.Model = opus45
		}
		if t.hour {
			r.Usage.Write5m, r.Usage.Write1h = 0, t.write
		}
		s.Requests = append(s.Requests, r)
	}
	return s
}

func ms(n int64) vtime.Instant { return vtime.Instant(0).Add(vtime.Duration(n) * vtime.Millisecond) }

func main1() recording.Thread {
	return recording.Thread{Name: "main", Parent: -1, SpawnedBy: -1}
}

func agent(name string, by int32) recording.Thread {
	return recording.Thread{Name: name, Kind: recording.SubAgent, Type: "Explore", SpawnedBy: by}
}

// tokenizers tells models apart as sim/llm/tokens does, as far as tests need.
func tokenizers(model string) string {
	if strings.HasPrefix(model, opus48) || strings.HasPrefix(model, "claude-opus-4-7") {
		return "new"
	}
	return "old"
}

var plainly = Options{Tokenizer: tokenizers}

func ask(t *testing.T, s *recording.Session, q *Question) *Answer {
	t.Helper()
	a, err := Ask(s, q, plainly)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// refused checks that a question has no answer and why.
func refused(t *testing.T, s *recording.Session, q *Question, why string) {
	t.Helper()
	_, err := Ask(s, q, plainly)
	var r *Refusal
	if !errors.As(err, &r) || !strings.Contains(r.Error(), why) {
		t.Errorf("%v, want a refusal with %q", err, why)
	}
}

// assumes checks that an answer lists an assumption.
func assumes(t *testing.T, a *Answer, text string) {
	t.Helper()
	for _, line := range a.Assumed {
		if strings.Contains(line, text) {
			return
		}
	}
	t.Errorf("nothing assumed says %q: %q", text, a.Assumed)
}

func usage(t *testing.T, what string, got llm.Usage, want llm.Usage) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func allKinds(ttl llm.TTL) (l [Kinds]Lifetime) {
	for k := range l {
		l[k] = Lifetime{true, ttl}
	}
	return l
}

func allModels(id string) (m [Kinds]string) {
	for k := range m {
		m[k] = id
	}
	return m
}

// at is what tokens cost at a rate in thousandths of a dollar per million.
func at(milli, tokens int64) cachemodel.Picodollars {
	return cachemodel.Picodollars(milli * 1000 * tokens)
}
