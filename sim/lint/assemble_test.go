package lint

import (
	"strings"
	"testing"

	"agentsim/sim/llm"
)

// chain makes nodes of words: each word's hash is the chain up to it.
func chain(roles, words string) (out []Node) {
	at := "border"
	out = append(out, Node{Hash: at})
	for i, w := range strings.Fields(words) {
		role := map[byte]string{'u': "user", 'a': "assistant"}[roles[i]]
		hash := at + "." + w
		text := strings.TrimRight(w, "'") // another hash, the same content
		out = append(out, Node{hash, at, Block{Pos: int32(i + 1), Role: role, Kind: llm.Text.String(), Text: text}})
		at = hash
	}
	return out
}

func words(blocks []Block) string {
	var out []string
	for _, b := range blocks {
		out = append(out, b.Text)
	}
	return strings.Join(out, " ")
}

func TestAssemble(t *testing.T) {
	agents := []Agent{{Lineage: "main", Structure: "root", Parent: -1}, {Lineage: "main/1.1", Structure: "fork"},
		{Lineage: "main/1.2", Structure: "subagent"}}
	nodes := append(chain("uaua", "ask answer more done"), chain("uaua", "ask answer directive report")[3:]...)
	nodes = append(nodes, chain("uauaua", "ask' answer' more' done' new' end'")[1:]...)
	nodes = append(nodes, chain("ua", "sum up")[1:]...)
	turn := func(agent int32, head, answer string) Turn {
		return Turn{Call{Agent: agent}, "border." + strings.ReplaceAll(head, " ", "."), "border." + strings.ReplaceAll(answer, " ", ".")}
	}
	turns := []Turn{
		turn(0, "ask", "ask answer"),
		turn(1, "ask answer directive", "ask answer directive report"),
		turn(0, "ask answer more", "ask answer more done"),
		turn(2, "ask", "ask answer"),
		turn(0, "ask' answer' more' done' new'", "ask' answer' more' done' new' end'"),
		turn(0, "sum", "sum up"),
	}
	calls := Assemble(nodes, turns, agents)
	t.Run("CRD-09 what is new in a request is what its agent had not heard: a fork has its parent's history, a model that changes makes nothing new, a summary is new", func(t *testing.T) {
		want := [][2]string{{"ask", "answer"}, {"directive", "report"}, {"more", "done"}, {"ask", "answer"}, {"new", "end"}, {"sum", "up"}}
		if len(calls) != len(want) {
			t.Fatalf("%d calls, not %d", len(calls), len(want))
		}
		for i, w := range want {
			if said, answer := words(calls[i].Said), words(calls[i].Answer); said != w[0] || answer != w[1] {
				t.Errorf("call %d: said %q and answered %q, not %q and %q", i, said, answer, w[0], w[1])
			}
		}
	})
}
