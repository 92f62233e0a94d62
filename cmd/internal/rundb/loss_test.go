package rundb

import (
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

func TestLoss(t *testing.T) {
	t.Run("CLI-01 a miss is priced as what was paid for the lost tokens less what reading them costs", missPrice)
}

// missPrice uses claude-sonnet-4-5: $3.75 a million written, $3 plain, $0.30
// read. Of 150 lost tokens 100 were written again and 50 paid plain.
func missPrice(t *testing.T) {
	call := &sqlite.CallInfo{Model: "claude-sonnet-4-5", Lost: 150, Usage: llm.Usage{Write5m: 100, Input: 80, Output: 10}}
	got, ok := moreThanAHit(call, cachemodel.Lookup)
	if want := cachemodel.Picodollars(100*3_750_000 + 50*3_000_000 - 150*300_000); !ok || got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if _, ok := moreThanAHit(&sqlite.CallInfo{Model: "claude-unheard-of", Lost: 1}, cachemodel.Lookup); ok {
		t.Error("a model without a price has a figure")
	}
}
