package lint

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/vtime"

	"github.com/cockroachdb/datadriven"
)

var storyMarks = mark.NewKey(1)

// story is a run told in lines:
//
//	agent NAME root|worker|fork|… [of=NAME use=ID,ID id=ID tools=A,B place=N] FROM-TO [FROM-TO …]
//	item ID KIND [needs=A,B] [files=A,B] [after=A,B]
//	fact NAME [FILE]
//	tests COMMAND
//	call NAME FROM-TO [user]
//	  said text|result[:ID[:error]]|unknown TEXT
//	  answer text|unknown TEXT
//	  answer use:ID:TOOL[:FROM-TO][:error] INPUT
//	  answer uses:ID:TOOL         (known to have been used, its input is not)
//
// In texts \n is a new line and [[do x]] a mark.
type story struct {
	t    *testing.T
	d    *datadriven.TestData
	run  *Run
	pos  map[int32]int32 // by agent: blocks so far
	call *Call
}

func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, name string) {
		s := &story{}
		datadriven.RunTest(t, name, func(t *testing.T, d *datadriven.TestData) string {
			s.t, s.d = t, d
			switch d.Cmd {
			case "run":
				return s.read()
			case "lint":
				return s.lint()
			}
			t.Fatalf("%s: no command %q", d.Pos, d.Cmd)
			return ""
		})
	})
}

func (s *story) read() string {
	s.run, s.pos, s.call = &Run{}, map[int32]int32{}, nil
	for _, line := range strings.Split(strings.TrimRight(s.d.Input, "\n"), "\n") {
		w := strings.Fields(line)
		if len(w) < 2 {
			s.t.Fatalf("%s: %q says nothing", s.d.Pos, line)
		}
		args := map[string]string{}
		for _, kv := range w {
			if k, v, ok := strings.Cut(kv, "="); ok {
				args[k] = v
			}
		}
		switch w[0] {
		case "agent":
			s.agent(w, args)
		case "item":
			s.work().Items = append(s.work().Items, Item{w[1], w[2], list(args["needs"]), list(args["files"]), list(args["after"])})
		case "fact":
			s.work().Facts = append(s.work().Facts, Fact{w[1], strings.Join(w[2:], "")})
		case "tests":
			s.work().Tests = append(s.work().Tests, strings.Join(w[1:], " "))
		case "call":
			agent := s.named(w[1])
			s.run.Calls = append(s.run.Calls, Call{N: int64(len(s.run.Calls) + 1), Agent: agent, Call: s.calls(agent), Span: s.span(w[2]),
				User: len(w) > 3 && w[3] == "user"})
			s.call = &s.run.Calls[len(s.run.Calls)-1]
		case "said", "answer":
			s.block(w[0], w[1], rest(line, w[1]))
		default:
			s.t.Fatalf("%s: no word %q", s.d.Pos, w[0])
		}
	}
	return ""
}

func rest(line, word string) string {
	_, text, _ := strings.Cut(line, word)
	if strings.HasPrefix(word, "use:") {
		return strings.TrimPrefix(text, " ")
	}
	return strings.ReplaceAll(strings.TrimPrefix(text, " "), `\n`, "\n")
}

func list(words string) []string {
	if words == "" {
		return nil
	}
	return strings.Split(words, ",")
}

func (s *story) work() *Work {
	if s.run.Work == nil {
		s.run.Work = &Work{Marks: storyMarks}
	}
	return s.run.Work
}

func (s *story) agent(w []string, args map[string]string) {
	a := Agent{Lineage: w[1], ID: args["id"], Type: w[2], Structure: "subagent", Parent: -1, Tools: list(args["tools"])}
	if n, err := strconv.Atoi(args["place"]); err == nil {
		a.Place = int32(n)
	}
	switch {
	case w[2] == "root" || w[2] == "fork":
		a.Structure = w[2]
	}
	if args["of"] != "" {
		a.Parent = s.named(args["of"])
	}
	for _, word := range w[3:] {
		if !strings.Contains(word, "=") {
			a.Spans = append(a.Spans, Activation{s.span(word), ""})
		}
	}
	for i, use := range list(args["use"]) {
		a.Spans[i].ToolUse = use
	}
	s.run.Agents = append(s.run.Agents, a)
}

func (s *story) named(name string) int32 {
	for i, a := range s.run.Agents {
		if a.Lineage == name {
			return int32(i)
		}
	}
	s.t.Fatalf("%s: no agent %q", s.d.Pos, name)
	return -1
}

func (s *story) calls(agent int32) (n int) {
	for _, c := range s.run.Calls {
		if c.Agent == agent {
			n++
		}
	}
	return n
}

func (s *story) span(text string) Span {
	from, to, _ := strings.Cut(text, "-")
	a, err := vtime.ParseDuration(from)
	b, err2 := vtime.ParseDuration(to)
	if err != nil || err2 != nil {
		s.t.Fatalf("%s: %q is no span", s.d.Pos, text)
	}
	return Span{vtime.Instant(a), vtime.Instant(b)}
}

var markText = regexp.MustCompile(`\[\[(\w+) ([^\]]*)\]\]`)

func (s *story) block(where, what, text string) {
	text = markText.ReplaceAllStringFunc(text, func(m string) string {
		p := markText.FindStringSubmatch(m)
		return storyMarks.Text(mark.Verb(p[1]), strings.Fields(p[2])...)
	})
	p := strings.Split(what, ":")
	if p[0] == "uses" {
		s.call.Tools = append(s.call.Tools, ToolUse{ID: p[1], Name: p[2], Span: Span{s.call.To, s.call.To}, Done: true})
		return
	}
	s.pos[s.call.Agent]++
	b := Block{Pos: s.pos[s.call.Agent], Role: map[string]string{"said": "user", "answer": "assistant"}[where], Text: text}
	switch p[0] {
	case "text":
		b.Kind = llm.Text.String()
	case "unknown":
		b.Kind, b.Unknown = llm.Text.String(), true
	case "result":
		b.Kind, b.ToolUse, b.IsError = llm.ToolResult.String(), p[1], p[len(p)-1] == "error"
	case "use":
		b.Kind, b.ToolUse, b.Name = llm.ToolUse.String(), p[1], p[2]
		u := ToolUse{ID: p[1], Name: p[2], Span: Span{s.call.To, s.call.To}, Done: true, IsError: p[len(p)-1] == "error"}
		if len(p) > 3 && strings.Contains(p[3], "-") {
			u.Span = s.span(p[3])
		}
		s.call.Tools = append(s.call.Tools, u)
	default:
		s.t.Fatalf("%s: no block %q", s.d.Pos, what)
	}
	if where == "said" {
		s.call.Said = append(s.call.Said, b)
	} else {
		s.call.Answer = append(s.call.Answer, b)
	}
}

// lint prints what was found and not judged; with rule=ID of that rule alone,
// and how much it judged.
func (s *story) lint() string {
	var rule, silence string
	s.d.MaybeScanArgs(s.t, "rule", &rule)
	s.d.MaybeScanArgs(s.t, "silence", &silence)
	opt := Options{}
	if silence != "" {
		d, err := vtime.ParseDuration(silence)
		if err != nil {
			s.t.Fatal(err)
		}
		opt.Silence = d
	}
	r := Check(s.run, opt)
	var out strings.Builder
	for _, f := range r.Findings {
		if rule == "" || f.Rule == rule {
			fmt.Fprintf(&out, "%s: %s call %d (request %d) block %d at %s → %s: %s\n", f.Rule, f.Agent, f.Own, f.Call, f.Block, clock(f.At), f.With, f.What)
			if f.Excerpt != "" {
				fmt.Fprintf(&out, "  | %s\n", f.Excerpt)
			}
		}
	}
	for _, u := range r.Unjudged {
		if rule == "" || u.Rule == rule {
			fmt.Fprintf(&out, "%s not judged: %s call %d: %s\n", u.Rule, u.Agent, u.Own, u.Why)
		}
	}
	for _, sum := range r.Sums {
		if sum.Rule.ID == rule {
			fmt.Fprintf(&out, "%d judged, %d found, %d not judged\n", sum.Judged, sum.Found, sum.NotJudged)
		}
	}
	if out.Len() == 0 {
		return "nothing\n"
	}
	return out.String()
}
