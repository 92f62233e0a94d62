package agent

import (
	"testing"
	"unsafe"

	"agentsim/sim/kernel"
)

func TestLayout(t *testing.T) {
	t.Run("SPD-02 an agent's life begins with its turn and is no longer than what the kernel has fetched ahead of a step", func(t *testing.T) {
		var l life
		if at, size := unsafe.Offsetof(l.turn), unsafe.Sizeof(l); at != 0 || size > kernel.LinesAhead*64 {
			t.Errorf("its turn begins at byte %d of %d", at, size)
		}
	})
}
