package importer

import (
	"fmt"
	"strings"
	"testing"
)

// growing are the messages of a conversation: a question, and turns each of a tool use
// and its result.
func growing(first string, turns int, id func(int) string) (out []string) {
	out = append(out, first)
	for i := range turns {
		out = append(out, says(use(id(i))), fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"what %d holds"}]}`, id(i), i))
	}
	return out
}

func use(id string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Read","input":{}}`, id)
}

// TestEdited: a conversation whose earlier messages the client changed is that
// conversation, and the byte is named.
func TestEdited(t *testing.T) {
	id := func(i int) string { return fmt.Sprintf("toolu_%d", i) }
	const dated = `{"role":"user","content":[{"type":"text","text":"Today is %s."},{"type":"text","text":"Go."}]}`
	monday := fmt.Sprintf(dated, "Monday")
	for _, c := range []struct {
		name string
		edit func([]string)
		want string
	}{
		{"an old tool's result is cleared", func(m []string) { m[2] = strings.Replace(m[2], "what 0 holds", "[cleared]", 1) }, "history: byte 57 of block 5 (user tool_result)"},
		{"the date in the first block is another one", func(m []string) { m[0] = fmt.Sprintf(dated, "Tuesday") }, "history: byte 32 of block 2 (user text)"},
		{"a block is put first", func(m []string) {
			m[0] = strings.Replace(m[0], "[", `[{"type":"text","text":"Remember."},`, 1)
		}, "history: byte 23 of block 2 (user text)"},
		{"the question is put otherwise", func(m []string) { m[0] = strings.Replace(m[0], "Go.", "Stop.", 1) }, "history: byte 23 of block 3 (user text)"},
	} {
		for _, agent := range []string{"", mainSource} {
			t.Run(fmt.Sprintf("WIRE-66 %s, agent %q", c.name, agent), func(t *testing.T) {
				d := newDump()
				d.agent = agent
				for i := range 5 {
					d.pair(body("s", growing(monday, i, id)...), use(id(i)))
				}
				m := growing(monday, 5, id)
				c.edit(m)
				d.pair(body("s", m...), use(id(5)))
				s, skipped := d.read(t)
				if r := s.Requests[5]; len(s.Threads) != 1 || r.Pred != 4 || unplaced(r.Changed) != c.want {
					t.Errorf("%s%v", plan(s), skipped)
				}
			})
		}
	}
	const text = `{"type":"text","text":"yes"}`
	t.Run("WIRE-66 WIRE-46 a main conversation that begins again is that conversation where the client names it, and else it is said that it cannot be told", func(t *testing.T) {
		for _, agent := range []string{mainSource, ""} {
			d := newDump()
			d.agent = agent
			d.pair(body("s", user("go")), text)
			d.pair(body("s", user("a summary"), says(`{"type":"text","text":"as before"}`), user("on")), text)
			s, skipped := d.read(t)
			want, told := "msg_2 main main 0 \"history: byte 1 of block 2 (user text)\"", "main conversation that repeats nothing of the one before"
			if agent == "" {
				want, told = `msg_2 thread-2 subagent -1 ""`, "what it goes on from cannot be told"
			}
			if !strings.Contains(plan(s), want) || !strings.Contains(fmt.Sprint(skipped), told) {
				t.Errorf("%q: %s%v", agent, plan(s), skipped)
			}
		}
	})
	t.Run("WIRE-46 an agent that goes on from another one's request is a fork, and the other one goes on", func(t *testing.T) {
		d := newDump()
		d.agent = mainSource
		d.pair(body("s", user("go")), text)
		d.agent = "agent:fork"
		d.pair(body("s", user("go"), says(text), user("look")), text)
		d.agent = mainSource + ":outputStyle:Learning"
		d.pair(body("s", user("go"), says(text), user("on")), text)
		s, _ := d.read(t)
		if got, want := plan(s), "msg_1 main main -1 \"\"\nmsg_2 thread-2 fork 0 \"\"\nmsg_3 main main 0 \"\"\n"; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
	t.Run("WIRE-66 a block that no block takes the place of is gone, and a string's bytes count from its quote", func(t *testing.T) {
		two := func(system string) string {
			return strings.Replace(body("", user("go")), `"system":""`, `"system":`+system, 1)
		}
		d := newDump()
		d.pair(two(`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`), text)
		d.pair(two(`[{"type":"text","text":"a"}]`), text)
		d.pair(two(`"ab"`), text)
		s, _ := d.read(t)
		if a, b := unplaced(s.Requests[1].Changed), unplaced(s.Requests[2].Changed); a != "system: block 2 (text) is gone" || b != "system: byte 2 of block 1 (text)" {
			t.Errorf("%q, %q", a, b)
		}
	})
	t.Run("WIRE-66 what is skipped has a place", func(t *testing.T) {
		d := newDump()
		d.pair(body("s", user("go")), text)
		d.pair(body("s", user("go"), says(text), user("one")), text)
		d.pair(body("s", user("go"), says(text), user("two")), text)
		_, skipped := d.read(t)
		if len(skipped) != 1 || !strings.Contains(skipped[0].What, "taken for a fork") || skipped[0].File != "b/3.request.json" {
			t.Errorf("%+v", skipped)
		}
	})
}
