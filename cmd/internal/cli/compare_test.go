package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestComparison(t *testing.T) {
	t.Run("CACHE-38 CLI-03 undocumented points that were decided stand on a line of their own behind what is assumed", ownLine)
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
