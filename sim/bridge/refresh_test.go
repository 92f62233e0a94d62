package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/kernel"
	"agentsim/sim/vtime"
)

func TestTokens(t *testing.T) {
	hour := vtime.Instant(vtime.Hour)
	t.Run("BRG-03 a token is decoded for its end, with and without its prefix, whoever signed it; one without exp has none", func(t *testing.T) {
		good := newToken("s", hour)
		unsigned := strings.TrimSuffix(good, "c2ln")
		for _, c := range []struct{ token, want string }{
			{good, "1h0m0s"}, {strings.TrimPrefix(good, TokenPrefix), "1h0m0s"}, {unsigned, "1h0m0s"},
			{"sk-ant-si-eyJhbGciOiJub25lLW9mLXVzIn0.eyJleHAiOjM2MDB9.c2ln", "1h0m0s"}, // alg none-of-us
			{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzIn0.c2ln", "the token has no exp"},
			{"eyJhbGciOiJIUzI1NiJ9.bnVsbA.c2ln", "the token has no exp"},
			{"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOiJzb29uIn0.c2ln", "cannot decode the token"},
			{"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjFlMzB9.c2ln", "is no time"},
			{"eyJhbGciOiJIUzI1NiJ9.eyJleHAiOi01fQ.c2ln", "is no time"},
			{"sk-ant-si-nonsense", "cannot decode the token"}, {"", "cannot decode the token"}, {"a.b.c", "cannot decode the token"},
		} {
			got, err := Ends(c.token)
			text := vtime.Duration(got).String()
			if err != nil {
				text = err.Error()
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("%s: %s, not %s", c.token, text, c.want)
			}
		}
	})
	t.Run("BRG-03 schedule and cancel both begin a generation, and what comes of an old one is dropped", func(t *testing.T) {
		for _, between := range []string{"", "schedule", "cancel"} {
			k := kernel.New(kernel.Options{})
			var got []string
			r := &refresher{k: k, name: "s"}
			r.tell = func(format string, args ...any) { got = append(got, k.Now().String()+" "+fmt.Sprintf(format, args...)) }
			r.deliver = func(string) { got = append(got, k.Now().String()+" delivered") }
			calls := 0
			r.fetch = func(p *kernel.Proc) (string, error) {
				if calls++; calls > 1 {
					return "", errors.New("no more")
				}
				return newToken("s", 2*hour), p.Sleep(vtime.Minute)
			}
			k.Spawn("test", func(p *kernel.Proc) error {
				r.schedule(newToken("s", hour), 0)
				before := r.generation
				if err := p.SleepUntil(hour - vtime.Instant(5*vtime.Minute) + vtime.Instant(vtime.Second)); err != nil {
					return err
				}
				switch between {
				case "schedule":
					r.schedule(newToken("s", 3*hour), 0)
				case "cancel":
					r.cancel()
				}
				if between != "" && r.generation == before {
					t.Errorf("%s began no generation", between)
				}
				return p.Sleep(4 * vtime.Hour)
			})
			if err := k.Run(); err != nil {
				t.Fatal(err)
			}
			k.Close()
			want := map[string]string{
				"":         "3360.000000000s delivered, 6900.000000000s s: refresh failed, 1 of 3: no more, 6960.000000000s s: refresh failed, 2 of 3: no more, 7020.000000000s s: refresh failed, 3 of 3: no more",
				"schedule": "3360.000000000s s: a token of generation 1 dropped, 10500.000000000s s: refresh failed, 1 of 3: no more, 10560.000000000s s: refresh failed, 2 of 3: no more, 10620.000000000s s: refresh failed, 3 of 3: no more",
				"cancel":   "3360.000000000s s: a token of generation 1 dropped",
			}[between]
			if strings.Join(got, ", ") != want {
				t.Errorf("%s: %s", between, strings.Join(got, ", "))
			}
		}
	})
	t.Run("BRG-03 a first token without an end is not refreshed, one that comes without is a failure, and one that has ended is asked for again no sooner than in a minute", func(t *testing.T) {
		k := kernel.New(kernel.Options{})
		defer k.Close()
		var got []string
		endless := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzIn0.c2ln"
		answers := []string{endless, newToken("s", 0), endless, endless, endless}
		r := &refresher{k: k, name: "s", deliver: func(string) { got = append(got, k.Now().String()+" delivered") }}
		r.tell = func(format string, args ...any) { got = append(got, k.Now().String()+" "+fmt.Sprintf(format, args...)) }
		r.fetch = func(*kernel.Proc) (string, error) {
			next := answers[0]
			answers = answers[1:]
			return next, nil
		}
		k.Spawn("test", func(p *kernel.Proc) error {
			r.schedule(endless, 0)
			r.schedule(newToken("s", 0), 0)
			return p.Sleep(vtime.Hour)
		})
		if err := k.Run(); err != nil {
			t.Fatal(err)
		}
		no := "the token has no exp"
		want := "0.000000000s s: no refresh: " + no + ", 0.000000000s s: refresh failed, 1 of 3: " + no + ", 60.000000000s delivered, 120.000000000s s: refresh failed, 1 of 3: " + no +
			", 180.000000000s s: refresh failed, 2 of 3: " + no + ", 240.000000000s s: refresh failed, 3 of 3: " + no
		if strings.Join(got, ", ") != want {
			t.Errorf("%s", strings.Join(got, ", "))
		}
	})
}

func TestLines(t *testing.T) {
	t.Run("BRG-02 activities are tools with what they are about, texts and results, from a line of any process", func(t *testing.T) {
		for _, c := range []struct{ line, want string }{
			{`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I look.\nThen"},{"type":"tool_use","name":"Read","input":{"file_path":"a.go"}},{"type":"tool_use","name":"Bash","input":{"command":"go test"}},{"type":"tool_use","name":"X","input":[1]}]}}`,
				"[{text I look.…} {tool Read a.go} {tool Bash go test} {tool X}]"},
			{`{"type":"assistant","message":{"content":"short"}}`, "[{text short}]"},
			{`{"type":"result","result":"done","total_cost_usd":0.1}`, "[{result done}]"},
			{`{"type":"result","is_error":true,"error":"limit"}`, "[{error limit}]"},
			{`{"type":"user","message":{"content":"x"}}`, "[]"}, {`{"type":"assistant"}`, "[]"},
		} {
			l, err := ParseLine([]byte(c.line))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(Activities(l)); got != c.want {
				t.Errorf("%s: %s", c.line, got)
			}
		}
	})
}
