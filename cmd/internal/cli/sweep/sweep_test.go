package sweep

import (
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"strings"
	"testing"
)

func TestSweep(t *testing.T) {
	t.Run("CLI-06 values are split at commas outside brackets and quotes", func(t *testing.T) {
		for in, want := range map[string]string{"1,2,4": "1|2|4", "[a, b],[c]": "[a, b]|[c]", `"x,y",z`: `"x,y"|z`, "{a: 1, b: 2}": "{a: 1, b: 2}", "a": "a", "": ""} { // order: each is a case of its own
			if got := strings.Join(splitValues(in), "|"); got != want {
				t.Errorf("splitValues(%s) = %s, want %s", in, got, want)
			}
		}
	})

	t.Run("CLI-06 a grid that is too large is refused before it is laid out, also where its size fits in no integer", tooLargeGrid)
}

func tooLargeGrid(t *testing.T) {
	axis := func(n int) scenarios.Axis { return scenarios.Axis{Path: "x", Values: make([]string, n)} }
	for _, c := range []struct {
		per  int
		axes []int
		fits bool
	}{{1, nil, true}, {maxRuns, nil, true}, {maxRuns + 1, nil, false}, {10, []int{1000, 1000}, true}, {11, []int{1000, 1000}, false},
		{1, []int{1 << 16, 1 << 16, 1 << 16, 1 << 16}, false}, {1, []int{1 << 16, 1 << 16, 1 << 16, 1 << 16, 1 << 16}, false}} {
		var axes []scenarios.Axis
		for _, n := range c.axes {
			axes = append(axes, axis(n))
		}
		if err := boundGrid(axes, c.per); (err == nil) != c.fits || err != nil && ui.Classify(err) != ui.Usage {
			t.Errorf("%d at %v: %v", c.per, c.axes, err)
		}
	}
}
