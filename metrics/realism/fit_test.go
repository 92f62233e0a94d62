package realism

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/recording/profile"
)

func TestConformance(t *testing.T) {
	t.Run("TRI-01 each figure is compared at P50 and P90 and by two distances, the worst first", compares)
	t.Run("TRI-02 a bounded figure further off than its bound is missed; floors widen the bounds of halves alone", boundsHold)
	t.Run("TRI-02 each half is compared with what is made of the other, both ways, and with the other itself", againstHalves)
	t.Run("TRI-02 what has a bound is a figure of profiles: 32 for halves", namesExist)
}

// even is a figure of values from to.
func even(from, step int64) profile.Figure {
	f := profile.Figure{N: 100, Sessions: 50, Floor: []int64{1000, 1000}}
	for i := range int64(profile.Steps + 1) {
		f.Q = append(f.Q, from+i*step)
	}
	return f
}

func share(thousandths int64, floor ...int64) profile.Figure {
	return profile.Figure{N: 100, Sessions: 50, Share: &thousandths, Floor: floor}
}

// of is a profile of main threads with some figures.
func of(figures map[string]profile.Figure) *profile.Profile {
	return &profile.Profile{Sources: []profile.Source{{Sessions: 50, Roles: []profile.Role{
		{Role: profile.Main, Family: "other", Threads: 3, Figures: map[string]profile.Figure{"calls": even(1, 1)}},
		{Role: profile.Main, Family: "claude-to-4.6", Threads: 50, Figures: figures},
	}}}}
}

func line(lines []Line, figure string) *Line {
	if i := slices.IndexFunc(lines, func(l Line) bool { return l.Figure == figure }); i >= 0 {
		return &lines[i]
	}
	return nil
}

func compares(t *testing.T) {
	recorded := of(map[string]profile.Figure{"calls": even(100, 10), "growth": even(1000, 0), "one_tool": share(900, 20), "Grep.mix": share(120, 20),
		"thinking": share(500, 100), "compactions": {N: 3, Thin: true, Q: make([]int64, 21)}, "text_bytes": even(5, 1)})
	simulated := of(map[string]profile.Figure{"calls": even(150, 15), "growth": even(1050, 0), "one_tool": share(930), "thinking": share(450)})
	lines := Compare(recorded, simulated, recorded, Fit)
	var order []string
	for _, l := range lines {
		order = append(order, l.Figure)
	}
	// calls are 4 times as far off as allowed at P50, Grep is not there at all, growth and
	// one_tool are within; thinking has no bound, and text no runs to compare with.
	if got := strings.Join(order, " "); got != "calls Grep.mix one_tool growth thinking" {
		t.Errorf("order: %s", got)
	}
	if l := line(lines, "calls"); l.Off != [2]int64{1500, 1500} || math.Abs(l.W1-100) > 1e-9 || math.Abs(l.KS-10./21) > 1e-9 {
		t.Errorf("%+v", *l)
	}
	if l := line(lines, "one_tool"); l.Off[0] != 30 || math.Abs(l.KS-0.03) > 1e-9 {
		t.Errorf("%+v", *l)
	}
	if l := line(lines, "Grep.mix"); l.Off[0] != 120 || !l.Missed() {
		t.Errorf("no use at all is a share of nothing: %+v", *l)
	}
	other := of(map[string]profile.Figure{"calls": even(100, 10), "growth": even(1450, 0)})
	other.Sources[0].Roles[1].Family = "claude-from-4.7"
	lines = Compare(recorded, other, recorded, Fit)
	if a, b := line(lines, "growth"), line(lines, "calls"); a.Off[0] > 1001 || b.Off[0] != 1000 || recorded.Sources[0].Roles[1].Figures["growth"].Q[0] != 1000 {
		t.Errorf("tokens of another family: %+v, %+v", *a, *b)
	}
	if Family(recorded, profile.Main) != "claude-to-4.6" || Family(recorded, profile.SubAgent) != "" {
		t.Error("family")
	}
}

func boundsHold(t *testing.T) {
	wide := even(1000, 100)
	wide.Floor = []int64{1300, 1600}
	recorded := of(map[string]profile.Figure{"growth": wide, "last_prompt": even(1000, 0), "first_prompt": even(1000, 0), "one_tool": share(500, 130)})
	for _, c := range []struct {
		growth, last, share int64 // per cent and points more than recorded
		fit, halves         string
	}{
		{0, 0, 0, "", ""},
		{10, 10, 50, "", ""},
		{11, 11, 51, "growth last_prompt one_tool", ""},
		{30, 25, 130, "growth last_prompt one_tool", ""},
		{31, 26, 131, "growth last_prompt one_tool", "growth last_prompt one_tool"},
	} {
		simulated := of(map[string]profile.Figure{"growth": even(1000+c.growth*10, 100+c.growth), "last_prompt": even(1000+c.last*10, 0),
			"one_tool": share(500 + c.share), "first_prompt": even(1000, 0)})
		for check, want := range []string{c.fit, c.halves} {
			var missed []string
			lines := Compare(recorded, simulated, recorded, Check(check))
			for _, l := range lines {
				if l.Missed() {
					missed = append(missed, l.Figure)
				}
			}
			slices.Sort(missed)
			n, all := Misses(lines)
			if got := strings.Join(missed, " "); got != want || n != len(missed) || all != 4 {
				t.Errorf("%+v, check %d: missed %q of %d, want %q", c, check, got, all, want)
			}
		}
	}
	for _, more := range []int64{250, 251} { // at P90 alone
		tail := even(1000, 0)
		for i := profile.Steps * 17 / 20; i <= profile.Steps; i++ {
			tail.Q[i] += more
		}
		l := line(Compare(recorded, of(map[string]profile.Figure{"last_prompt": tail}), recorded, Fit), "last_prompt")
		if l.Off != [2]int64{1000, 1000 + more} || l.Missed() != (more > 250) {
			t.Errorf("%+v", *l)
		}
	}
	delete(recorded.Sources[0].Roles[1].Figures, "one_tool")
	lines := Compare(recorded, of(map[string]profile.Figure{"growth": wide}), recorded, Fit)
	if l := line(lines, "last_prompt"); l == nil || !l.Missed() {
		t.Error("a bounded figure that the runs do not have is missed")
	}
}

func namesExist(t *testing.T) {
	for check, roles := range bounded {
		n := 0
		for _, names := range roles { // order: counted
			for _, name := range names {
				n++
				if profile.KindOf(name) == nil {
					t.Errorf("%s is no figure", name)
				}
			}
		}
		if want := []int{25, 32}[check]; n != want {
			t.Errorf("%d figures with a bound, want %d", n, want)
		}
	}
	if fmt.Sprint(ratioBounds, shareBound) != "[[1100 1250] [1250 1500]] [50 100]" {
		t.Error(ratioBounds, shareBound)
	}
}
