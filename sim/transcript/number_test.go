package transcript

import (
	"strconv"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

func numbers(t *testing.T) {
	ns := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1000, 1000), rapid.Map(rapid.IntRange(0, 18), func(n int) int64 { return int64(powers[n]) }))
	rapid.Check(t, func(t *rapid.T) {
		v := ns.Draw(t, "v")
		for _, x := range []int64{v, v - 1} {
			if got, want := string(appendSigned(nil, x)), strconv.FormatInt(x, 10); got != want {
				t.Fatalf("number: %s, want %s", got, want)
			}
			if got, want := string(appendDecimal(nil, uint64(x))), strconv.FormatUint(uint64(x), 10); got != want {
				t.Fatalf("number: %s, want %s", got, want)
			}
			if at := vtime.Instant(x & (1<<63 - 1)); string(appendSeconds(nil, at)) != at.String() {
				t.Fatalf("instant: %s, want %s", appendSeconds(nil, at), at)
			}
		}
		h := llm.Hash{Hi: uint64(v), Lo: ^uint64(v)}
		if got := string(appendHash(nil, "", h)); got != h.String() {
			t.Fatalf("hash: %s, want %s", got, h)
		}
		id := llm.ToolUseID{byte(v), 11: byte(v >> 8)}
		if got := string(appendToolUse(nil, &id)); got != id.String() {
			t.Fatalf("id: %s, want %s", got, id)
		}
	})
}
