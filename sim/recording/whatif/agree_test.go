package whatif

import (
	"math"
	"slices"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/crossover"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/transcript"
)

// heard makes a session of a run's events, without a database.
type heard struct {
	recording.Session
	ends    map[int32]*llm.Node
	spawned map[llm.ToolUseID]int32 // requests by the tool uses of their answers
}

func (h *heard) Emit(e *transcript.Event) {
	switch x := e.Body.(type) {
	case *transcript.AgentStart:
		if x.Activation > 0 {
			return
		}
		kind := map[transcript.Structure]recording.ThreadKind{transcript.SubAgent: recording.SubAgent, transcript.Fork: recording.Fork}[x.Structure]
		by, ok := h.spawned[x.ToolUse]
		if !ok {
			by = -1
		} else if kind == recording.Fork {
			h.ends[e.Agent] = h.ends[h.Requests[by].Thread]
		}
		h.Threads = append(h.Threads, recording.Thread{Name: x.Lineage, Kind: kind, Type: x.Type, Parent: x.Parent, SpawnedBy: by, Async: x.Async})
	case *transcript.Response:
		r := recording.Request{Thread: e.Agent, Pred: -1, Model: x.Model, Start: x.Resp.Started, First: x.Resp.Began, Last: x.Resp.Ended, Usage: x.Resp.Usage,
			OutputKnown: true, WritesKnown: true, Billed: true, Answer: x.Resp.Blocks, Stop: x.Resp.Stop.String()}
		for i := range h.Requests {
			if h.Requests[i].Thread == e.Agent {
				r.Pred = int32(i)
			}
		}
		if by := h.Threads[e.Agent].SpawnedBy; r.Pred < 0 && h.Threads[e.Agent].Kind == recording.Fork {
			r.Pred = by
		}
		var said []llm.Block
		for n := x.Resp.Head; n != nil && n != h.ends[e.Agent]; n = n.Parent {
			if n.Block != nil && n.Role == llm.User && n.Level == llm.Messages {
				said = append(said, *n.Block)
			}
		}
		slices.Reverse(said)
		r.Said = []llm.Msg{{Role: llm.User, Blocks: said}}
		h.ends[e.Agent] = x.Resp.Head
		for i := range x.Resp.Blocks {
			if b := &x.Resp.Blocks[i]; b.Kind == llm.ToolUse {
				h.spawned[b.ID] = int32(len(h.Requests))
				r.Tools = append(r.Tools, recording.ToolUse{ID: b.ID.String(), Name: b.Name, Spawned: -1})
			}
		}
		h.Requests = append(h.Requests, r)
	}
}

// TestSeeds asks at several seeds what forks cost of what fresh sub-agents cost on the
// flagship's work.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	t.Run("TRI-07 at eight seeds the flagship's bill and crossover's simulation agree within 5 %, whatif where they are furthest apart; TRI-09 without forks the bill lies in the band that is printed", func(t *testing.T) {
		f, err := scenarios.Open("fork-vs-subagent")
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range crossover.Seen[:8] {
			in, sessions := &crossover.Inputs{}, []*recording.Session{}
			for _, variant := range []string{"subagent-background", "fork"} {
				sc, err := f.Effective(variant, nil)
				if err != nil {
					t.Fatal(err)
				}
				sc.Seed = seed
				spec, err := sim.NewSpec(sc, variant)
				if err != nil {
					t.Fatal(err)
				}
				h := &heard{ends: map[int32]*llm.Node{}, spawned: map[llm.ToolUseID]int32{}}
				if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{h}}); err != nil {
					t.Fatal(err)
				}
				in.Add(&h.Session)
				sessions = append(sessions, &h.Session)
			}
			billed := times(in.Billed)
			pair, err := crossover.NewLab().Simulate(in.Settled())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("seed %d: billed %.3f, crossover %.3f", seed, billed, times(pair))
			agree(t, billed, times(pair))
			alone := &crossover.Inputs{}
			alone.Add(sessions[0])
			if low, high := alone.Between(crossover.Estimate(alone.Settled())); billed*1000 < float64(low) || billed*1000 > float64(high) {
				t.Errorf("seed %d: billed %.3f×, and without forks %d to %d thousandths are told", seed, billed, low, high)
			}
			if spares, thinks := in.Forked(); spares > crossover.Least.Spares || thinks < crossover.Least.Thinks || spares < crossover.Most.Spares || thinks > crossover.Most.Thinks {
				t.Errorf("seed %d: forks spare %d thousandths and think %d", seed, spares, thinks)
			}
			if seed == 2 || seed == 6 {
				a, err := Restructure(sessions[0], scenarios.Fork, in, Options{})
				if err != nil {
					t.Fatal(err)
				}
				agree(t, billed, times(crossover.Pair{Fork: a.Point().Children, Fresh: a.Told.Children}))
			}
		}
	})
}

func times(p crossover.Pair) float64 { return float64(p.Fork) / float64(p.Fresh) }

func agree(t *testing.T, billed, other float64) {
	t.Helper()
	if off := math.Abs(other/billed - 1); !(off <= 0.05) {
		t.Errorf("billed %.3f×, answered %.3f×", billed, other)
	}
}
