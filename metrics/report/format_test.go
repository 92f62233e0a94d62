package report

import (
	"testing"

	"agentsim/metrics"
)

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

func TestSides(t *testing.T) {
	for _, c := range []struct{ name, before, after, x, y string }{
		{"figures that differ at once are as short as elsewhere", "0.483", "0.916", "0.483", "0.916"},
		{"a ratio gets the decimals that tell it apart", "0.483027", "0.483231", "0.4830", "0.4832"},
		{"time too", "5.035821s", "5.021s", "5.04s", "5.02s"},
		{"time of minutes too", "2m31.24s", "2m31.26s", "2m31.2s", "2m31.3s"},
		{"money too", "$0.0075908", "$0.0075931", "$0.007591", "$0.007593"},
		{"what differs in its last digit alone is exact", "5.035821561s", "5.03582156s", "5.035821561s", "5.03582156s"},
		{"counts are exact", "12345", "12346", "12345", "12346"},
	} {
		t.Run("EXPT-06 before and after: "+c.name, func(t *testing.T) {
			before, err := metrics.ParseValue(c.before)
			after, bad := metrics.ParseValue(c.after)
			if err != nil || bad != nil {
				t.Fatal(err, bad)
			}
			if x, y := Sides(&before, &after); x != c.x || y != c.y {
				t.Errorf("%s and %s, want %s and %s", x, y, c.x, c.y)
			}
		})
	}
	t.Run("EXPT-06 a ratio is a decimal for machines", func(t *testing.T) {
		if f := Exact(&metrics.Value{Num: 2363, Den: 4890, Unit: metrics.Ratio}).fields("after"); len(f) != 1 || f[0].json != "0.483231" {
			t.Errorf("%v", f)
		}
	})
}
