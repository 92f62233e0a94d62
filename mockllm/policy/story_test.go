package policy

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/mark"

	"github.com/cockroachdb/datadriven"
)

// TestConformanceStories runs the stories: world gives the work, play runs it
// with overrides and prints each answer.
func TestConformanceStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return // what a failed property test left behind is no story
		}
		world := ""
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "world":
				world = d.Input + "\n"
				newHouse(t, world)
				return ""
			case "play":
				return play(t, world, d)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func play(t *testing.T, world string, d *datadriven.TestData) string {
	var sets, ends, gone []string
	h := (*house)(nil)
	thinking, dies, hide, compact, replace := false, "", "", "", 0
	files, tools := false, []string(nil)
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "thinking":
			thinking = true
		case "dies":
			dies = a.Vals[0]
		case "hide":
			hide = a.Vals[0]
		case "gone":
			gone = a.Vals
		case "ends":
			ends = append(ends, a.Vals...)
		case "tools":
			tools = a.Vals
		case "files":
			files = true
		case "compact":
			compact = strings.Join(a.Vals, " ")
		case "replace":
			fmt.Sscan(a.Vals[0], &replace)
		default:
			sets = append(sets, a.Key+"="+a.Vals[0])
		}
	}
	h = newHouse(t, world, sets...)
	h.compact, h.workers.ends, h.workers.gone, h.tools = compact, ends, gone, tools
	if thinking {
		h.set.Thinking = llm.ThinkingEnabled
	}
	if dies != "" {
		h.child = func(lineage string) string {
			if lineage == dies {
				return "529 overloaded_error"
			}
			return ""
		}
	}
	if replace > 0 {
		h.result = func(p *llm.Payload) string { return preview(p.Raw(), replace) }
	}
	if hide != "" {
		h.result = func(p *llm.Payload) string {
			return strings.ReplaceAll(p.Raw(), h.marks.Text(mark.Fact, hide), "")
		}
	}
	h.run()
	if files {
		return h.log.String() + h.defective()
	}
	return h.log.String()
}

// preview replaces a result of more than n bytes as the agent layer does.
func preview(raw string, n int) string {
	if len(raw) <= n {
		return raw
	}
	cut := n / 2
	for cut > 0 && raw[cut-1] != '\n' {
		cut--
	}
	return fmt.Sprintf("%s[result of %d bytes replaced by this preview]", raw[:cut], len(raw))
}
