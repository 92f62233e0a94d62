package sim

import (
	"runtime"
	"strings"
	"testing"

	"agentsim/sim/transcript"
)

// stacks counts the requests of a run, and those that are made on the kernel's stack.
type stacks struct{ all, steps int }

func (s *stacks) Emit(e *transcript.Event) {
	if _, is := e.Body.(*transcript.Request); !is {
		return
	}
	s.all++
	buf := make([]byte, 1<<14)
	if strings.Contains(string(buf[:runtime.Stack(buf, false)]), "kernel.(*Kernel).resume") {
		s.steps++
	}
}

func TestCommonSteps(t *testing.T) {
	t.Run("SPD-01 an agent whose answers call one tool that looks goes on without its coroutine", func(t *testing.T) {
		const alive, turns = 5, 40
		var s stacks
		r, err := build(benchSpec(t, alive, turns), nil, &s)
		if err != nil {
			t.Fatal(err)
		}
		defer r.kernel.Close()
		if err := r.kernel.Run(); err != nil {
			t.Fatal(err)
		}
		if s.all != alive*(turns+1) || s.steps != alive*turns {
			t.Errorf("%d of %d requests are steps, want all but the first of each of %d agents", s.steps, s.all, alive)
		}
	})
}
