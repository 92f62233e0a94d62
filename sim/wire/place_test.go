package wire

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/llm"
)

// TestPlace: the byte at which a block's canonical JSON first differs from another one's
// is found in the block as its client wrote it.
func TestPlace(t *testing.T) {
	for _, c := range []struct{ name, was, is, from string }{
		{"a string that is a content by itself", `"Look at a.go."`, `"Look at b.go."`, `b.go."`},
		{"a string, of one text block", `[{"type":"text","text":"Look at a."}]`, `"Look at b."`, `b."`},
		{"one text block, of a string", `"Look at a."`, `[{"type":"text","text":"Look at b.","cache_control":{"type":"ephemeral"}}]`, `b.","cache`},
		{"the first character of a string", `"Go."`, `"No."`, `No."`},
		{"a text that goes on", `"Go"`, `"Go on"`, ` on"`},
		{"a text that is cut", `"Go on"`, `"Go"`, `"`},
		{"a block without white space", `[{"type":"text","text":"one"}]`, `[{"type":"text","text":"two"}]`, `two"}`},
		{"white space and a mark ahead of the text", `[{"type":"text","text":"one"}]`, `[{"type": "text", "cache_control": {"type": "ephemeral"}, "text": "two"}]`, `two"}`},
		{"escapes", `"<é\n\"𝄞x"`, `"\u003c\u00e9\u000a\"\uD834\uDD1Ey"`, `y"`},
		{"a tool's result whose keys stand in another order", `[{"type":"tool_result","tool_use_id":"t","content":"yes"}]`, `[{"content":"yet","tool_use_id":"t","type":"tool_result"}]`, `t","tool`},
		{"a tool's result of one text", `[{"type":"tool_result","tool_use_id":"t","content":"yes"}]`, `[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"yet"}]}]`, `t"}]}`},
		{"a tool's result of two", `[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"yes"},{"type":"text","text":"no"}]}]`,
			`[{"type":"tool_result","tool_use_id":"t","content": [{"text":"yes","type":"text"}, {"text":"nay","type":"text"}]}]`, `ay","type`},
		{"a result that is an error now", `[{"type":"tool_result","tool_use_id":"t","content":"no"}]`, `[{"is_error":true,"type":"tool_result","tool_use_id":"t","content":"no"}]`, `"is_error":true`},
		{"a result that is none any more", `[{"type":"tool_result","tool_use_id":"t","content":"no","is_error":true}]`, `[{"type":"tool_result","tool_use_id":"t","content":"no"}]`, `}`},
		{"a tool's input", `[{"type":"tool_use","id":"t","name":"Read","input":{"a": 1}}]`, `[{"input": {"a": 2}, "type":"tool_use","id":"t","name":"Read"}]`, `2}, "type`},
		{"what was signed", `[{"type":"thinking","thinking":"","signature":"one"}]`, `[{"type":"thinking","thinking":"hm","signature":"two"}]`, `two"}`},
		{"another type", `[{"type":"text","text":"one"}]`, `[{"id":"t","type":"tool_use","name":"Read","input":{}}]`, `ool_use"`},
	} {
		t.Run("WIRE-66 "+c.name, func(t *testing.T) {
			var blocks [2][]byte
			var last *Body
			for i, content := range []string{c.was, c.is} {
				b, err := Read(&llm.Builder{}, fmt.Appendf(nil, `{"messages":[{"role":"user","content":%s}]}`, content), Options{Logged: true})
				if err != nil {
					t.Fatal(err)
				}
				blocks[i], last = b.Head.Block.AppendJSON(nil), b
			}
			at := 0
			for at < min(len(blocks[0]), len(blocks[1])) && blocks[0][at] == blocks[1][at] {
				at++
			}
			written := last.Written[len(last.Written)-1]
			if got := string(written[Place(blocks[1], written, at):]); !strings.HasPrefix(got, c.from) {
				t.Errorf("byte %d of %s is at %s of %s, not at %s", at, blocks[1], got, written, c.from)
			}
		})
	}
}
