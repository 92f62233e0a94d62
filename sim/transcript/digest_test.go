package transcript

import (
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// callEvents are the events of one model call with one tool use, as the agent
// layer emits them: five reused bodies.
func callEvents() []*Event {
	all := bodies()
	req, resp := all[3].(*Request), all[4].(*Response)
	req.Model = "claude-sonnet-4-5-20250929"
	resp.Resp.Cache.Miss = llm.Miss{}
	resp.Resp.Started, resp.Resp.Began, resp.Resp.Ended = 12_000_000_345, 12_400_000_345, 15_000_000_345
	var out []*Event
	for i, b := range []Body{req, resp, all[8], all[6], all[7]} {
		out = append(out, &Event{Seq: uint64(1_000_000 + i), At: vtime.Instant(12_000_000_345), Phase: 1, Agent: 41, Body: b})
	}
	return out
}

func BenchmarkDigest(b *testing.B) {
	for _, e := range callEvents() {
		b.Run(e.Body.Kind().String(), func(b *testing.B) {
			d := NewDigest()
			b.ReportAllocs()
			for b.Loop() {
				d.Emit(e)
			}
			b.SetBytes(int64(len(appendForm(nil, e))))
		})
	}
}

func BenchmarkText(b *testing.B) {
	for _, e := range callEvents() {
		b.Run(e.Body.Kind().String(), func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				buf = AppendLine(buf[:0], e)
			}
		})
	}
}
