package report

import "testing"

func TestFine(t *testing.T) {
	t.Run("CLI-03 small sums have four decimals and factors three figures, rounded in integers", func(t *testing.T) {
		for _, c := range []struct{ got, want string }{
			{FineMoney(329_000_000_000), "$0.3290"}, {FineMoney(-123_456_789), "-$0.0001"}, {FineMoney(12_345_678_000_000), "$12.3457"},
			{Times(1, 10), "0.100×"}, {Times(2, 3), "0.667×"}, {Times(7_345, 1000), "7.35×"}, {Times(123, 10), "12.3×"},
			{Times(1_000, 3), "333×"}, {Times(9_999_999, 1_000_000), "10.0×"}, {Times(1<<62, 1<<60), "4.00×"}, {Times(1, 0), "–"}, {Times(-788, 1000), "-0.788×"},
		} {
			if c.got != c.want {
				t.Errorf("%s, want %s", c.got, c.want)
			}
		}
	})
}
