package report_test

import (
	"strings"
	"testing"

	"agentsim/metrics/report"
)

func TestGathered(t *testing.T) {
	show := func(variants ...string) string {
		var all []report.Said
		for _, v := range variants {
			name, says, _ := strings.Cut(v, ":")
			all = append(all, report.Said{Variant: name, Texts: strings.Fields(says)})
		}
		return strings.Join(report.Gathered(all), "\n")
	}
	long := strings.Repeat("n", 70)
	t.Run("CON-13 CLI-03 what all variants assume stands once, the rest with the variants it is true of", func(t *testing.T) {
		for _, c := range []struct {
			want     string
			variants []string
		}{
			{"p · q", []string{":p q"}},
			{"q · p (x) · r (y)", []string{"x:p q", "y:r q"}},
			{"p (all but z) · r (z)", []string{"x:p", "y:p", "z:r"}},
			{"r · p (5 of 10 variants) · q (5 of 10 variants)", []string{"a:p r", "b:p r", "c:p r", "d:p r", "e:p r", "f:q r", "g:q r", "h:q r", "i:q r", "j:q r"}},
			{"p · " + long + "\nq" + long + " · r", []string{":p " + long + " q" + long + " r"}},
		} {
			if got := show(c.variants...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		}
	})
}
