package importer

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// A small valid session: parallel tools, a sub-agent with a file and one without,
// a compaction and its fork. The ids are far from one another, so that no small
// change turns one into another.
const (
	ccLawMain = `user user-one at=1 string=go
assistant first-1 from=user-one at=4 id=msg_alpha in=3 w5=10 out=1 use=toolu_lima:Task:'{"subagent_type":"Explore","prompt":"look"}'
assistant first-2 from=first-1 at=5 id=msg_alpha in=3 w5=10 out=1 use=toolu_mike:Bash
user inline-1 at=6 string=look progress=agentkilo:toolu_lima
assistant inline-2 at=7 id=msg_bravo in=1 w5=7 out=1 say=looking progress=agentkilo:toolu_lima
user result-1 from=first-2 at=8 for=toolu_mike:built
user result-2 from=first-1 at=9 for=toolu_lima:found result='{"status":"completed","agentId":"agentkilo"}'
assistant second from=result-2 at=10 id=msg_charlie in=3 w5=10 read=10 out=1 stop=end_turn say=well
attachment note from=second at=10 say=psst
system compacted at=20 subtype=compact_boundary logical=second
user summary from=compacted at=21 summary string="what was said"
assistant third from=summary at=22 id=msg_delta in=3 w5=20 read=5 out=1 use=toolu_november:Agent
user result-3 from=third at=23 for=toolu_november:x result='{"isAsync":true,"agentId":"agentzulu"}'
assistant fourth from=result-3 at=24 id=msg_echo in=3 w5=20 read=25 out=1 say=end
`
	ccLawAgent = `user agent-1 at=23 agent=agentzulu string=deeper
assistant agent-2 from=agent-1 at=24 agent=agentzulu id=msg_foxtrot in=1 w5=7 out=1 say=deep
`
	ccLawFork = `user fork-1 from=note at=11 agent=acompact-tango string="sum up"
assistant fork-2 from=fork-1 at=19 agent=acompact-tango id=msg_golf in=1 w5=2 read=20 out=1 say=summary
`
)

// ccLawful says what holds of whatever was read.
func ccLawful(s *recording.Session) error {
	for i, t := range s.Threads {
		if int(t.Parent) >= i || t.Parent < -1 || int(t.SpawnedBy) >= len(s.Requests) || plain(t.Name, &skips{}, "", 0) != t.Name {
			return fmt.Errorf("thread %d: %+v", i, t)
		}
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		switch {
		case int(r.Pred) >= i || r.Pred < -1 || r.Thread < 0 || int(r.Thread) >= len(s.Threads):
			return fmt.Errorf("request %d: predecessor %d, thread %d", i, r.Pred, r.Thread)
		case r.Start > r.First || r.First > r.Last || i > 0 && r.Start < s.Requests[i-1].Start:
			return fmt.Errorf("request %d: times %d, %d, %d", i, r.Start, r.First, r.Last)
		case min(r.Usage.Input, r.Usage.Read, r.Usage.Write5m, r.Usage.Write1h, r.Usage.Output) < 0:
			return fmt.Errorf("request %d: usage %+v", i, r.Usage)
		case plain(r.ID, &skips{}, "", 0) != r.ID:
			return fmt.Errorf("request %d: id %q", i, r.ID)
		}
		for _, u := range r.Tools {
			if int(u.Spawned) >= len(s.Threads) || u.Bytes < 0 || u.Took < 0 {
				return fmt.Errorf("request %d: tool %+v", i, u)
			}
		}
	}
	return nil
}

// ccReadTexts reads files that are given as texts.
func ccReadTexts(opt Options, texts ...string) (*recording.Session, *skips, error) {
	names := []string{"main.jsonl", "agent-agentzulu.jsonl", "agent-acompact-tango.jsonl"}
	var files []source
	for i, text := range texts {
		files = append(files, ccSource(names[i], text))
	}
	sk := &skips{}
	s, err := claudeCodeSession(files, &opt, sk)
	return s, sk, err
}

// ccMutate changes a line in one place.
func ccMutate(t *rapid.T, line string) string {
	at := rapid.IntRange(0, len(line)).Draw(t, "at")
	to := rapid.IntRange(at, len(line)).Draw(t, "to")
	with := rapid.OneOf(
		rapid.Just(""),
		rapid.StringN(0, 8, 16),
		rapid.SampledFrom([]string{"\x00", "\xff\xfe", `"`, "{", "}", "]", "[", ":", ",", "null", "-1", "1e999", `\u0000`, `\ud800`, "../../x",
			`"uuid":"fourth"`, `,"isSidechain":true`, strings.Repeat("[", 20_000), strings.Repeat("x", 5000)}),
	).Draw(t, "with")
	return strings.ReplaceAll(line[:at]+with+line[to:], "\n", " ")
}

func TestClaudeCodeLaws(t *testing.T) {
	main, agent, fork := ccFile(t, ccLawMain, false), ccFile(t, ccLawAgent, false), ccFile(t, ccLawFork, false)
	whole, sk, err := ccReadTexts(Options{}, main, agent, fork)
	if err != nil || len(sk.list) > 0 || len(whole.Requests) != 7 {
		t.Fatalf("the session is not whole: %v, %+v, %d requests", err, sk.list, len(whole.Requests))
	}
	usages := map[string]llm.Usage{}
	for _, r := range whole.Requests {
		usages[r.ID] = r.Usage
	}
	t.Run("IMP-10 whatever stands in a few lines, no request of another line is lost or changed", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			lines := strings.SplitAfter(main, "\n")
			hit := map[string]bool{}
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				i := rapid.IntRange(0, len(lines)-2).Draw(t, "line")
				for id := range usages {
					if strings.Contains(lines[i], id) {
						hit[id] = true
					}
				}
				lines[i] = ccMutate(t, strings.TrimSuffix(lines[i], "\n")) + "\n"
			}
			opt := Options{Content: rapid.Bool().Draw(t, "content"), MaxLine: 1 << 16}
			s, _, err := ccReadTexts(opt, strings.Join(lines, ""), agent, fork)
			if err != nil {
				t.Fatal(err)
			}
			if err := ccLawful(s); err != nil {
				t.Fatal(err)
			}
			found := map[string]llm.Usage{}
			for _, r := range s.Requests {
				found[r.ID] = r.Usage
			}
			for id, want := range usages {
				if got, ok := found[id]; !hit[id] && (!ok || got != want) {
					t.Fatalf("%s is %+v (%t), want %+v", id, got, ok, want)
				}
			}
		})
	})
	t.Run("IMP-10 a file that breaks off anywhere keeps every request before the break", func(t *testing.T) {
		for n := range main {
			s, _, err := ccReadTexts(Options{}, main[:n])
			if err != nil {
				t.Fatal(err)
			}
			if err := ccLawful(s); err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			for _, r := range s.Requests {
				found[r.ID] = true
			}
			for line := range strings.Lines(main[:n]) {
				for id := range usages {
					if strings.HasSuffix(line, "\n") && strings.Contains(line, `"`+id+`"`) && !found[id] {
						t.Fatalf("%s is lost when the file ends at byte %d", id, n)
					}
				}
			}
		}
	})
	t.Run("IMP-01 the order in which the files of a session are found changes nothing", func(t *testing.T) {
		files := []source{ccSource("m.jsonl", main), ccSource("agent-acompact-tango.jsonl", fork), ccSource("agent-agentzulu.jsonl", agent)}
		s, err := claudeCodeSession(files, &Options{}, &skips{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Requests {
			if got, want := s.Requests[i].ID, whole.Requests[i].ID; got != want {
				t.Errorf("request %d is %s, want %s", i, got, want)
			}
		}
	})
	t.Run("IMP-10 a session has a most of records, and what is past it is counted", func(t *testing.T) {
		c := newClaudeCode(&Options{}, &skips{})
		c.records = maxRecords - 4 // room for u1, first-1 and its tool use, first-2
		if err := c.readAll([]source{ccSource("main.jsonl", main)}); err != nil {
			t.Fatal(err)
		}
		s := c.session("main.jsonl")
		if len(s.Requests) != 1 || len(s.Requests[0].Tools) != 1 {
			t.Errorf("%d requests, want the first with one of its two tool uses", len(s.Requests))
		}
		for _, k := range c.skips.list {
			if strings.HasPrefix(k.What, "line past") && k.Count == 11 && k.Line == 4 {
				return
			}
		}
		t.Errorf("the other lines are not counted: %+v", c.skips.list)
	})
}

func TestClaudeCodeIDs(t *testing.T) {
	t.Run("IMP-10 of an endless id a hash is kept, and its lines are still one request", func(t *testing.T) {
		long := strings.Repeat("x", 1<<20)
		c := newClaudeCode(&Options{}, &skips{})
		text := ccFile(t, "user u1 at=1 string=hi\nassistant a1 from=u1 at=2 id="+long+" in=1 out=1 use="+long+":Bash\n"+
			"assistant a2 from=a1 at=3 id="+long+" in=1 out=2 say=a\nuser r1 from=a1 at=4 for="+long+":ok\n", false)
		if err := c.readAll([]source{ccSource("main.jsonl", text)}); err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, r := range c.requests {
			kept += len(r.ID) + len(r.Tools[0].ID)
		}
		for id := range c.byID {
			kept += len(id)
		}
		for id := range c.uses {
			kept += len(id)
		}
		if len(c.requests) != 1 || c.requests[0].AnswerBlocks != 2 || !c.requests[0].Tools[0].Done || kept > 1000 {
			t.Errorf("%d requests, %d bytes of ids", len(c.requests), kept)
		}
	})
}

// FuzzClaudeCode reads anything as a session.
func FuzzClaudeCode(f *testing.F) {
	main, agent := ccFile(f, ccLawMain, false), ccFile(f, ccLawAgent, false)
	f.Add(main, agent)
	f.Add(main[:len(main)/2], main)
	f.Add("", "\n\n")
	f.Add(strings.Repeat(`{"a":`, 200), "\xff\xfe{}")
	f.Add(`{"type":"assistant","uuid":"a","message":{"id":"\u0000","usage":{"input_tokens":9223372036854775807}}}`, `{"type":"progress","uuid":"p","data":{"type":"agent_progress","agentId":"x","message":{}}}`)
	f.Fuzz(func(t *testing.T, main, agent string) {
		s, _, err := ccReadTexts(Options{Content: true, MaxLine: 1 << 16, MaxContent: 1 << 12}, main, agent)
		if err != nil {
			t.Fatal(err)
		}
		if err := ccLawful(s); err != nil {
			t.Fatal(err)
		}
	})
}
