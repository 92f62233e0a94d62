package cli

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim"
)

func TestComparison(t *testing.T) {
	t.Run("CON-13 CLI-03 what all variants assume stands once, the rest with the variants it is true of", grouped)
	t.Run("CACHE-38 CLI-03 undocumented points that were decided stand on a line of their own behind what is assumed", ownLine)
}

func grouped(t *testing.T) {
	show := func(variants ...string) string {
		var done []executed
		for _, v := range variants {
			name, says, _ := strings.Cut(v, ":")
			done = append(done, executed{spec: &sim.Spec{Variant: name}, result: &sim.Result{Assumed: strings.Fields(says)}})
		}
		return strings.Join(gathered(done, func(r *sim.Result) []string { return r.Assumed }), " · ")
	}
	for _, c := range []struct {
		want     string
		variants []string
	}{
		{"p · q", []string{":p q"}},
		{"q · p (x) · r (y)", []string{"x:p q", "y:r q"}},
		{"p (all but z) · r (z)", []string{"x:p", "y:p", "z:r"}},
		{"r · p (5 of 10 variants) · q (5 of 10 variants)", []string{"a:p r", "b:p r", "c:p r", "d:p r", "e:p r", "f:q r", "g:q r", "h:q r", "i:q r", "j:q r"}},
	} {
		if got := show(c.variants...); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func ownLine(t *testing.T) {
	_, stdout, _ := try(nil, "run", "hello", "--record", "none")
	var labels []string
	for _, line := range strings.Split(stdout, "\n") {
		if word, rest, ok := strings.Cut(line, " "); ok && word != "" && (word == "assumed" || word == "unverified") {
			labels = append(labels, word)
			if strings.Contains(rest, "tail_tokens=3") != (word == "unverified") {
				t.Errorf("the line %q", line)
			}
		}
	}
	if !slices.Equal(labels, []string{"assumed", "unverified"}) {
		t.Errorf("lines %q", labels)
	}
}
