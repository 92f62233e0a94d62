package metrics

import "testing"

func TestParseValue(t *testing.T) {
	for _, c := range []struct {
		in   string
		want string // exact, with the unit; "" is an error
	}{
		{"9", "9 count"}, {"4_000", "4000 count"}, {"-3", "-3 count"},
		{"0.95", "95/100 ratio"}, {"95 %", "95/100 ratio"}, {"95.5%", "955/1000 ratio"},
		{"$1.60", "$1.6 picodollars"}, {"$0.000000000001", "$0.000000000001 picodollars"}, {"$12", "$12 picodollars"},
		{"2m31s", "2m31s ns"}, {"250ms", "250ms ns"},
		{"", ""}, {"many", ""}, {"1.", ""}, {"0.-5", ""}, {"$", ""}, {"$99999999999", ""}, {"1.0000000000001", ""}, {"%", ""},
	} {
		v, err := ParseValue(c.in)
		got := ""
		if err == nil {
			got = v.String() + " " + string(v.Unit)
		}
		if got != c.want {
			t.Errorf("ParseValue(%q) = %q (%v), want %q", c.in, got, err, c.want)
		}
	}
}

func TestCompareExactly(t *testing.T) {
	big := int64(1 << 62)
	if (Value{big, big - 1, Ratio}).Cmp(Value{big - 1, big - 2, Ratio}) >= 0 {
		t.Error("n÷(n-1) falls as n grows, also where floating point cannot tell")
	}
	if Whole(1, Picodollars).Comparable(Whole(1, Nanoseconds)) || Whole(1, Count).Comparable(Whole(1, Nanoseconds)) {
		t.Error("money, time and numbers are not compared with one another")
	}
	if !Whole(1, Tokens).Comparable(Value{95, 100, Ratio}) {
		t.Error("a plain constant compares with any number that is not money or time")
	}
}
