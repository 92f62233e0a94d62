package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/bridge"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"

	"github.com/golang-jwt/jwt/v5"
)

// asking has a root that asks twice, and once more behind a second message; its child in
// the background goes on beside.
const asking = `agentsim: 1
name: asks
provider: {model: claude-sonnet-5-5, latency: {profile: steady}}
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Write., system: {tokens: 3_000}, tools: [Bash, Agent, Read]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: a b c, prompt: p, subagent_type: general-purpose, run_in_background: true}}, {name: Bash, input: {command: "echo one > x"}}]
        - {run: "echo two > y"}
        - {say: Both are written.}
        - {say: Noted., until: idle}
        - {run: "echo three > z"}
        - {say: That too.}
    - {agent: main/*, turns: [{read: a.go}, {read: a.go}, {say: seen}]}
lab: {permissions: {mode: default}}
`

func specOf(t *testing.T, text string) *sim.Spec {
	t.Helper()
	f, err := scenarios.Parse("asks.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective("", nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func said(text string) []byte {
	return (&bridge.Line{Type: bridge.User, Message: &bridge.Message{Role: "user", Content: bridge.Content{{Type: "text", Text: text}}}}).Text()
}

func answer(id string, d bridge.Decision) []byte {
	return (&bridge.Line{Type: bridge.ControlResponse, Response: &bridge.Reply{Subtype: "success", RequestID: id, Response: &d}}).Text()
}

// take gives a session a line; the answer's last line is a state, which it returns.
func take(t *testing.T, s *Session, line []byte, waited vtime.Duration) ([]bridge.Line, string) {
	t.Helper()
	if waited > 0 {
		l, err := bridge.ParseLine(line)
		if err != nil {
			t.Fatal(err)
		}
		l.At = s.since.Add(waited)
		line = l.Text()
	}
	out, err := s.Take(line)
	if err != nil {
		t.Fatal(err)
	}
	last := out[len(out)-1]
	if last.Subtype != bridge.Rests {
		t.Fatalf("the last line is %s", last.Text())
	}
	return out[:len(out)-1], last.State
}

// answers counts the instants of the root's and the child's answers in events.
type answers struct{ at []string }

func (a *answers) Emit(e *transcript.Event) {
	if b, ok := e.Body.(*transcript.Response); ok {
		a.at = append(a.at, fmt.Sprintf("%d %d", e.At, b.Resp.Usage.Prompt()))
	}
}

func TestSession(t *testing.T) {
	t.Run("BRG-02 BRG-04 what a session told line by line is the run of all that its user said and answered", func(t *testing.T) {
		s, err := New(specOf(t, asking), "s", "")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		asked := 0
		line, waited := said("Write."), vtime.Duration(0)
		for step := 0; step < 20; step++ {
			out, state := take(t, s, line, waited)
			question := ""
			for _, l := range out {
				if l.Type == bridge.Assistant {
					u := l.Message.Usage
					got = append(got, fmt.Sprintf("%d %d", l.At, u.Input+u.Write+u.Read))
				}
				if l.Type == bridge.ControlRequest {
					question = l.RequestID
				}
			}
			if state == bridge.Asks {
				asked++
				line, waited = answer(question, bridge.Decision{Behavior: "allow"}), vtime.Duration(asked)*vtime.Minute
				continue
			}
			if asked == 3 {
				break
			}
			line, waited = said("And a third."), 2*vtime.Minute
		}
		sc := *s.spec.Scenario
		main := *sc.Main
		main.Then, sc.Permissions.Answers, sc.Main = s.messages[1:], s.answers, &main
		spec := s.spec
		spec.Scenario = &sc
		want := &answers{}
		if res, err := sim.Run(&spec, sim.Options{Sinks: []transcript.Sink{want}}); err != nil || res.Outcome != sim.Completed {
			t.Fatal(err, res)
		} else if err := res.Audit.Err(); err != nil {
			t.Fatal(err)
		}
		if asked != 3 || strings.Join(got, "\n") != strings.Join(want.at, "\n") {
			t.Errorf("asked %d times; told\n%s\nrun\n%s", asked, strings.Join(got, "\n"), strings.Join(want.at, "\n"))
		}
	})
	t.Run("BRG-04 an answer that no session can take is refused by name, and the question stays", func(t *testing.T) {
		s, err := New(specOf(t, asking), "s", "")
		if err != nil {
			t.Fatal(err)
		}
		take(t, s, said("Write."), 0)
		id := s.asked
		for _, c := range []struct {
			line []byte
			want string
		}{
			{answer("ask-other", bridge.Decision{Behavior: "allow"}), "nobody waits for this answer"},
			{answer(id, bridge.Decision{Behavior: "maybe"}), "an answer allows or denies"},
			{answer(id, bridge.Decision{Behavior: "allow", UpdatedInput: json.RawMessage(`5`)}), "updatedInput is an object"},
			{answer(id, bridge.Decision{Behavior: "allow", UpdatedPermissions: []bridge.Update{{Type: "setMode"}}}), "of updates of permissions a session takes rules that allow, for itself"},
			{answer(id, bridge.Decision{Behavior: "allow", UpdatedPermissions: []bridge.Update{{Type: "addRules", Behavior: "allow", Destination: "session", Rules: []bridge.UpdateRule{{Tool: "("}}}}}), "rule"},
			{[]byte(`{"type":"control_response","response":{"subtype":"error","request_id":"` + id + `","error":"no"}}`), "an answer has subtype success and a response"},
			{[]byte(`{"type":"control_response"}`), "nobody waits for this answer"},
			{append(append([]byte(`{"type":"user","x":"`), make([]byte, bridge.MaxLine)...), `"}`...), "a line of 16777238 bytes; 16777216 is the most"},
		} {
			out, state := take(t, s, c.line, 0)
			if len(out) != 1 || out[0].Subtype != bridge.Refused || !strings.Contains(out[0].Error, c.want) || state != bridge.Asks {
				t.Errorf("%.80s: state %s, %+v; want %s", c.line, state, out, c.want)
			}
		}
		if out, state := take(t, s, answer(id, bridge.Decision{Behavior: "deny", Message: "use two"}), 0); state != bridge.Asks || s.asked == id || !strings.Contains(string(out[0].Text()), "the user refused and said: use two") {
			t.Errorf("the answer at last leads to %s of %s: %s", state, s.asked, out[0].Text())
		}
		if out, _ := take(t, s, answer(id, bridge.Decision{Behavior: "allow"}), 0); out[0].Subtype != bridge.Refused {
			t.Errorf("the second answer to one question is %s", out[0].Text())
		}
	})
	t.Run("BRG-07 BRG-03 a request waits where the token has ended, and goes out with the one that comes", func(t *testing.T) {
		s, err := New(specOf(t, asking), "s", token(1))
		if err != nil {
			t.Fatal(err)
		}
		if out, state := take(t, s, said("Write."), 0); state != bridge.Asks {
			t.Fatalf("%s after %+v", state, out)
		}
		line := answer(s.asked, bridge.Decision{Behavior: "allow"})
		if out, state := take(t, s, line, vtime.Second); state != bridge.Expired || len(out) != 0 {
			t.Fatalf("%s after %d lines", state, len(out))
		}
		stale := (&bridge.Line{Type: bridge.Environment, Variables: map[string]string{bridge.TokenVariable: token(2)}}).Text()
		if out, state := take(t, s, stale, vtime.Second); state != bridge.Expired || len(out) != 0 {
			t.Fatalf("%s after %d lines", state, len(out))
		}
		fresh := (&bridge.Line{Type: bridge.Environment, Variables: map[string]string{bridge.TokenVariable: token(5000)}}).Text()
		out, state := take(t, s, fresh, vtime.Hour)
		if state != bridge.Asks || len(out) == 0 || out[len(out)-1].At < vtime.Instant(vtime.Hour) {
			t.Fatalf("%s after %+v", state, out)
		}
	})
}

// token ends some seconds after the beginning.
func token(seconds int) string {
	claims := jwt.RegisteredClaims{ExpiresAt: &jwt.NumericDate{Time: time.Unix(int64(seconds), 0)}}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte("key"))
	if err != nil {
		panic(err) // of a number
	}
	return bridge.TokenPrefix + text
}
