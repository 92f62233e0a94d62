package importer

import (
	"fmt"
	"strings"
	"testing"
)

// marked is a question, and turns each of an answer and another question, the last
// of which bears a mark of a lifetime; "" for none.
func marked(turns int, ttl string) (out []string) {
	for i := range turns {
		out = append(out, user(fmt.Sprint("question ", i)), says(fmt.Sprintf(`{"type":"text","text":"answer %d"}`, i)))
	}
	last := fmt.Sprintf(`{"type":"text","text":"question %d"%s}`, turns, control(ttl))
	return append(out, `{"role":"user","content":[`+last+`]}`)
}

func control(ttl string) string {
	if ttl == "" {
		return ""
	}
	return fmt.Sprintf(`,"cache_control":{"type":"ephemeral","ttl":%q}`, ttl)
}

// prefixed is a body with a system prompt that bears a mark; "" for none.
func prefixed(ttl string, messages ...string) string {
	return strings.Replace(body("s", messages...), `"system":"s"`, fmt.Sprintf(`"system":[{"type":"text","text":"s"%s}]`, control(ttl)), 1)
}

func automatic(request string) string {
	return strings.Replace(request, "{", `{"cache_control":{"type":"ephemeral"},`, 1)
}

// TestMarks: what a request asks to be cached, and for how long, is compared with
// what the one before had asked for.
func TestMarks(t *testing.T) {
	for _, c := range []struct{ name, second, third, want string }{
		{"marks that move along are no change", prefixed("5m", marked(1, "5m")...), prefixed("5m", marked(2, "5m")...), ""},
		{"a mark that stays where the one before ended reads all of it", prefixed("5m", marked(1, "5m")...), prefixed("5m", append(marked(1, "5m"), says(`{"type":"text","text":"answer 1"}`), user("question 2"))...), ""},
		{"all marks are gone", prefixed("5m", marked(1, "5m")...), prefixed("", marked(2, "")...), "marks: none from block 4 (user text) on"},
		{"the message's mark is gone", prefixed("5m", marked(1, "5m")...), prefixed("5m", marked(2, "")...), "marks: none from block 4 (user text) on"},
		{"the automatic mark is gone", automatic(prefixed("5m", marked(1, "")...)), prefixed("5m", marked(2, "")...), "marks: none from block 4 (user text) on"},
		{"an automatic mark takes the place of one on a block", prefixed("5m", marked(1, "5m")...), automatic(prefixed("5m", marked(2, "")...)), ""},
		{"there were none before", prefixed("", marked(1, "")...), prefixed("", marked(2, "")...), ""},
		{"the message's mark is gone and an earlier message is another one", prefixed("5m", marked(1, "5m")...),
			strings.Replace(prefixed("5m", marked(2, "")...), "answer 0", "answer X", 1), "marks: none from block 2 (user text) on; history: byte 30 of block 3 (assistant text)"},
		{"a byte that differs in front of all marks alone counts", prefixed("5m", marked(1, "5m")...),
			strings.Replace(prefixed("", marked(2, "")...), `"text":"s"`, `"text":"z"`, 1), "system: byte 23 of block 1 (text)"},
		{"a setting that differs is told before a mark's", prefixed("5m", marked(1, "5m")...),
			strings.Replace(prefixed("5m", marked(2, "")...), "{", `{"thinking":{"type":"adaptive"},`, 1), "settings: thinking; marks: none from block 4 (user text) on"},
		{"the last mark asks for another lifetime", prefixed("1h", marked(1, "5m")...), prefixed("1h", marked(2, "1h")...), "ttl: block 6 (user text), 1h after 5m"},
		{"a mark on one block asks for another lifetime", prefixed("5m", marked(1, "5m")...), prefixed("1h", marked(2, "5m")...), "ttl: block 1 (text), 1h after 5m"},
		{"no lifetime is that of five minutes", prefixed("5m", marked(1, "5m")...), strings.ReplaceAll(prefixed("5m", marked(2, "5m")...), `,"ttl":"5m"`, ""), ""},
	} {
		t.Run("WIRE-13 WIRE-66 "+c.name, func(t *testing.T) {
			d := newDump()
			const yes = `{"type":"text","text":"answer %d"}`
			d.pair(prefixed("5m", marked(0, "5m")...), fmt.Sprintf(yes, 0))
			d.pair(c.second, fmt.Sprintf(yes, 1))
			d.pair(c.third, fmt.Sprintf(yes, 2))
			s, skipped := d.read(t)
			r := s.Requests[2]
			if len(s.Threads) != 1 || r.Pred != 1 || unplaced(r.Changed) != c.want {
				t.Errorf("%s%v, want %q", plan(s), skipped, c.want)
			}
			if bytes := strings.Contains(c.want, "byte") || strings.Contains(c.want, "settings"); r.Continues() == bytes {
				t.Errorf("%q continues: %v", r.Changed, r.Continues())
			}
		})
	}
	t.Run("WIRE-66 the content of a request whose marks alone changed is what it gained", func(t *testing.T) {
		d := newDump()
		d.pair(prefixed("5m", marked(0, "5m")...), `{"type":"text","text":"answer 0"}`)
		d.pair(prefixed("", marked(1, "")...), `{"type":"text","text":"answer 1"}`)
		d.content = true
		s, _ := d.read(t)
		if r := s.Requests[1]; r.Changed == "" || r.Front != nil || len(r.Said) != 1 {
			t.Errorf("%q: %+v of %+v", r.Changed, r.Said, r.Front)
		}
	})
}
