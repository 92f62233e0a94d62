package mockllm

import (
	"testing"
	"unsafe"

	"agentsim/sim/kernel"
)

func TestLayout(t *testing.T) {
	t.Run("SPD-02 what a call's callbacks touch is no longer than what the kernel has fetched ahead of one", func(t *testing.T) {
		if size := unsafe.Offsetof(call{}.query); size > kernel.CallbackLines*64 {
			t.Errorf("it is %d bytes", size)
		}
	})
}
