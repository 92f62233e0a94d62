package importer

import (
	"math"

	"agentsim/sim/vtime"
)

const second = int64(vtime.Second)

// parseSeconds reads a decimal number of seconds, such as 1767621256.903, exactly;
// digits behind the ninth of the fraction are dropped.
func parseSeconds(s string) (ns int64, ok bool) {
	whole, at, ok := digits(s, 0)
	if !ok || whole > math.MaxInt64/second-1 {
		return 0, false
	}
	if at == len(s) {
		return whole * second, true
	}
	if s[at] != '.' {
		return 0, false
	}
	nanos, end, ok := fraction(s, at+1)
	return whole*second + nanos, ok && end == len(s)
}

// parseInstant reads an instant of RFC 3339, such as 2026-07-01T20:46:51.667Z, with
// any offset, exactly. Years run from 1970 to 2261.
func parseInstant(s string) (at vtime.Instant, ok bool) {
	const form = "0000-00-00T00:00:00"
	if len(s) <= len(form) {
		return 0, false
	}
	var f [6]int64
	for i, from := range [...]int{0, 5, 8, 11, 14, 17} {
		to := from + 2
		if i == 0 {
			to = 4
		}
		var end int
		if f[i], end, ok = digits(s[:to], from); !ok || end != to {
			return 0, false
		}
	}
	if s[4] != '-' || s[7] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return 0, false
	}
	if f[0] < 1970 || f[0] > 2261 || f[1] < 1 || f[1] > 12 || f[2] < 1 || f[2] > 31 || f[3] > 23 || f[4] > 59 || f[5] > 60 {
		return 0, false
	}
	var nanos int64
	rest := len(form)
	if s[rest] == '.' {
		if nanos, rest, ok = fraction(s, rest+1); !ok {
			return 0, false
		}
	}
	east, ok := offset(s[rest:])
	secs := ((daysSince1970(f[0], f[1], f[2])*24+f[3])*60+f[4])*60 + f[5] - east
	return vtime.Instant(secs*second + nanos), ok && secs >= 0
}

// offset reads Z or a zone such as +02:00, as seconds east.
func offset(s string) (east int64, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || s[3] != ':' || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	h, end, ok1 := digits(s[:3], 1)
	m, stop, ok2 := digits(s, 4)
	if east = (h*60 + m) * 60; s[0] == '-' {
		east = -east
	}
	return east, ok1 && ok2 && end == 3 && stop == 6 && h < 24 && m < 60
}

// daysSince1970 counts days of the Gregorian calendar, from 1970 on.
func daysSince1970(year, month, day int64) int64 {
	if month <= 2 { // a year begins in March, so that a leap day ends it
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}

// digits reads decimal digits from from on, at least one; end is behind them.
func digits(s string, from int) (n int64, end int, ok bool) {
	for end = from; end < len(s) && s[end] >= '0' && s[end] <= '9'; end++ {
		if n > math.MaxInt64/10-10 {
			return 0, end, false
		}
		n = n*10 + int64(s[end]-'0')
	}
	return n, end, end > from
}

// fraction reads the digits behind a point as nanoseconds.
func fraction(s string, from int) (ns int64, end int, ok bool) {
	unit := second
	for end = from; end < len(s) && s[end] >= '0' && s[end] <= '9'; end++ {
		unit /= 10
		ns += int64(s[end]-'0') * unit
	}
	return ns, end, end > from
}
