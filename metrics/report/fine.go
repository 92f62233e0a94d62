package report

import (
	"fmt"

	"agentsim/cachemodel"
)

// FineMoney prints picodollars as dollars with four decimals, for columns in
// which small differences count: $0.3290.
func FineMoney(p cachemodel.Picodollars) string { return dollars(p, 4) }

// Times prints num/den, both 0 or more, as a factor to three figures: 0.192×,
// 7.35×.
func Times(num, den int64) string {
	if den <= 0 {
		return "–"
	}
	q, r := num/den, num%den // num×1000 may not fit
	n := q*1000 + (r*1000+den/2)/den
	switch {
	case n < 1000:
		return fmt.Sprintf("0.%03d×", n)
	case n < 10_000:
		n = round(n, 10)
		return fmt.Sprintf("%d.%02d×", n/100, n%100)
	case n < 100_000:
		n = round(n, 100)
		return fmt.Sprintf("%d.%d×", n/10, n%10)
	}
	return fmt.Sprintf("%d×", round(n, 1000))
}
