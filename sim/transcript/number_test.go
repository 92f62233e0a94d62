package transcript

import (
	"fmt"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

func numbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, agent := rapid.Int64().Draw(t, "v"), rapid.Int32Range(0, 1<<20).Draw(t, "agent")
		at := vtime.Instant(v & (1<<63 - 1))
		h, id := llm.Hash{Hi: uint64(v), Lo: ^uint64(v)}, llm.ToolUseID{byte(v) | 1, 11: byte(v >> 8)}
		got := AppendHead(nil, uint64(v), at, 1, agent, "kind")
		got = appendInt(got, " int=", v)
		got = AppendText(got, &RunStart{Scenario: "s", Seed: uint64(v)})
		got = h.AppendText(append(got, " hash="...))
		got = optToolUse(got, " id=", id)
		got = appendHex(append(got, " hex="...), uint64(v))
		want := fmt.Sprintf("%d %v 1 %d kind int=%d scenario=s seed=%d semantics=0 hash=%v id=%v hex=%016x", uint64(v), at, agent, v, uint64(v), h, id, uint64(v))
		if string(got) != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}
