// Package vtime is the simulated clock's vocabulary: instants and durations.
//
// Rules:
//   - An Instant is a point in virtual time, a Duration a distance between two;
//     adding two instants does not compile.
//   - Both are whole nanoseconds. There is no conversion to or from the wall
//     clock, so nothing in the simulated world can depend on it.
package vtime

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Instant is nanoseconds since the start of the run, 0 ≤ t ≤ MaxInstant.
type Instant int64

// Duration is a distance in nanoseconds. Negative durations are a programmer's
// error wherever a wait or a lifetime is asked for.
type Duration int64

// Units of Duration.
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
)

// MaxInstant is the end of representable time, some 292 years.
const MaxInstant Instant = math.MaxInt64

// ParseInstant reads a date of RFC 3339, such as 2026-07-01T20:46:51.667Z, as the
// time since 1970; ok is false for any other text, and for one out of range.
func ParseInstant(s string) (t Instant, ok bool) {
	at, err := time.Parse(time.RFC3339Nano, s)
	secs := at.Unix()
	return Instant(at.UnixNano()), err == nil && secs >= 0 && secs < int64(MaxInstant)/int64(Second)
}

// Day is the date of an instant since 1970, in UTC, such as 2026-07-01.
func (t Instant) Day() string { return time.Unix(0, int64(t)).UTC().Format(time.DateOnly) }

// RFC3339 is an instant since 1970 in UTC, such as 2026-07-01T20:46:51.667Z, with as many
// decimals as it has.
func (t Instant) RFC3339() string { return time.Unix(0, int64(t)).UTC().Format(time.RFC3339Nano) }

// Add returns the instant d after t, saturating at MaxInstant.
func (t Instant) Add(d Duration) Instant {
	if d > 0 && t > MaxInstant-Instant(d) {
		return MaxInstant
	}
	return t + Instant(d)
}

// Sub returns the duration from u to t.
func (t Instant) Sub(u Instant) Duration { return Duration(t - u) }

// String prints the instant as seconds with nine decimals and no rounding,
// such as 12.000000345s, so that text order is time order within one width.
func (t Instant) String() string { return string(t.AppendText(nil)) }

// AppendText appends String's form to dst without allocating.
func (t Instant) AppendText(dst []byte) []byte { return appendSeconds(dst, int64(t)) }

// String prints a duration as Go's time package does: 1m4.2s.
func (d Duration) String() string { return time.Duration(d).String() }

// Milliseconds is d in whole milliseconds, rounded towards zero.
func (d Duration) Milliseconds() int64 { return int64(d) / int64(Millisecond) }

func appendSeconds(dst []byte, ns int64) []byte {
	if ns < 0 {
		dst, ns = append(dst, '-'), -ns
	}
	dst = strconv.AppendInt(dst, ns/int64(Second), 10)
	point := len(dst)
	dst = strconv.AppendInt(dst, int64(Second)+ns%int64(Second), 10) // its 1 keeps the zeros, and becomes the point
	dst[point] = '.'
	return append(dst, 's')
}

// ParseDuration reads "5m", "120s" or "1h30m"; a number without a unit is an
// error, since every quantity carries its unit.
func ParseDuration(s string) (Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration: write a number with a unit, such as 250ms, 5m or 1h", s)
	}
	return Duration(d), nil
}
