package page

import (
	_ "embed"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

//go:embed page.css
var styles string

// colours are the page's by name, the second those of a dark one.
func colours(t *testing.T) (light, dark map[string]string) {
	before, after, found := strings.Cut(styles, "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("the page has no colours for the dark")
	}
	after, _, _ = strings.Cut(after, "@media")
	of := func(text string) map[string]string {
		out := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z]+): #([0-9a-f]{6});`).FindAllStringSubmatch(text, -1) {
			out[m[1]] = m[2]
		}
		return out
	}
	return of(before), of(after)
}

// luminance is the relative one of WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func TestContrast(t *testing.T) {
	light, dark := colours(t)
	for name, of := range map[string]map[string]string{"light": light, "dark": dark} {
		t.Run("RPT-03 on a "+name+" page text stands out from what is behind it by 4.5 to 1, as WCAG AA asks", func(t *testing.T) {
			for _, text := range []string{"fg", "dim", "link", "better", "worse"} {
				for _, ground := range []string{"bg", "soft", "mark"} {
					a, b := luminance(t, of[text]), luminance(t, of[ground])
					if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
						t.Errorf("%s on %s: %.2f to 1", text, ground, ratio)
					}
				}
			}
		})
	}
}
