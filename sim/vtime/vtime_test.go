package vtime

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	t.Run("KRN-05 adding is whole, saturates at the end of time and is undone by Sub", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			at := Instant(rapid.Int64Range(0, int64(MaxInstant)).Draw(t, "instant"))
			d := Duration(rapid.Int64Range(0, int64(MaxInstant)).Draw(t, "duration"))
			sum := at.Add(d)
			if fits := int64(at) <= int64(MaxInstant)-int64(d); fits && sum.Sub(at) != d {
				t.Fatalf("%d + %d - %d = %d", at, d, at, sum.Sub(at))
			} else if !fits && sum != MaxInstant {
				t.Fatalf("%d + %d = %d, want the end of time", at, d, sum)
			}
		})
	})
	t.Run("KRN-05 the text of instants of one width sorts as time does and loses nothing", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a := Instant(rapid.Int64Range(0, int64(100*Second)-1).Draw(t, "a"))
			b := Instant(rapid.Int64Range(0, int64(100*Second)-1).Draw(t, "b"))
			x, y := a.String(), b.String()
			if len(x) == len(y) && strings.Compare(x, y) < 0 != (a < b) {
				t.Fatalf("%s and %s do not sort as %d and %d", x, y, a, b)
			}
			if back, err := ParseDuration(x); err != nil || Instant(back) != a {
				t.Fatalf("%s reads back as %d (%v), want %d", x, back, err, a)
			}
		})
	})
	t.Run("KRN-05 a duration is written with its unit and read back exactly", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			d := Duration(rapid.Int64().Draw(t, "d"))
			if back, err := ParseDuration(d.String()); err != nil || back != d {
				t.Fatalf("%s reads back as %d (%v), want %d", d, back, err, d)
			}
		})
	})
}

func TestText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Instant(0).String(), "0.000000000s"},
		{Instant(12_000_000_345).String(), "12.000000345s"},
		{MaxInstant.String(), "9223372036.854775807s"},
		{Instant(-1_500_000_000).String(), "-1.500000000s"},
		{string(Instant(1).AppendText([]byte("at "))), "at 0.000000001s"},
		{(Minute + 4200*Millisecond).String(), "1m4.2s"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	if got := (1999*Microsecond + 999).Milliseconds(); got != 1 {
		t.Errorf("1.999999ms is %d whole milliseconds, want 1", got)
	}
}

func TestParseDurationWantsAUnit(t *testing.T) {
	for _, s := range []string{"5", "", "fast", "5 m"} {
		if d, err := ParseDuration(s); err == nil || !strings.Contains(err.Error(), "number with a unit") {
			t.Errorf("%q gives %s and %v, want an error that says what to write", s, d, err)
		}
	}
	if d, err := ParseDuration("1h30m"); err != nil || d != 90*Minute {
		t.Errorf("1h30m gives %s and %v", d, err)
	}
}
