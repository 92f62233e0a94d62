package profile

import "testing"

// TestMean is the mean of all that At draws: of a straight line its middle.
func TestMean(t *testing.T) {
	even, steep := Figure{N: Steps}, Figure{N: Steps}
	for i := range int64(Steps + 1) {
		even.Q, steep.Q = append(even.Q, i*100), append(steep.Q, 10)
	}
	steep.Q[Steps] = 2010                            // the last twentieth rises by 2,000: its middle is 1,000 more
	if got := even.Mean(); got < 999 || got > 1000 { // At cuts fractions off
		t.Errorf("%d, want 1000", got)
	}
	if got := steep.Mean(); got != 10+1000/Steps {
		t.Errorf("%d, want %d", got, 10+1000/Steps)
	}
}
