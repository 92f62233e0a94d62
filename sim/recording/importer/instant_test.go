package importer

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agentsim/sim/vtime"
)

const second = int64(vtime.Second)

func TestInstants(t *testing.T) {
	t.Run("IMP-01 a timestamp is read as the calendar has it, to the nanosecond and in any zone", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			ns := rapid.Int64Range(24*3600*second, 9_000_000_000*second).Draw(t, "ns")
			zone := time.FixedZone("", rapid.IntRange(-23*60, 23*60).Draw(t, "minutes")*60)
			text := time.Unix(0, ns).In(zone).Format(time.RFC3339Nano)
			if got, ok := vtime.ParseInstant(text); !ok || int64(got) != ns {
				t.Fatalf("%s is read as %d (%v), want %d", text, got, ok, ns)
			}
		})
	})
	t.Run("IMP-01 seconds in decimal are read exactly, whatever number of digits they have", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			whole := rapid.Int64Range(0, 9_000_000_000).Draw(t, "whole")
			nanos := rapid.Int64Range(0, 999_999_999).Draw(t, "nanos")
			text := fmt.Sprintf("%d.%09d%s", whole, nanos, rapid.StringMatching(`[0-9]{0,3}`).Draw(t, "more"))
			if got, ok := parseSeconds(text); !ok || got != whole*second+nanos {
				t.Fatalf("%s is read as %d (%v)", text, got, ok)
			}
		})
	})
	t.Run("IMP-10 what is no instant is refused", func(t *testing.T) {
		for _, text := range []string{
			"", "2026-07-01", "2026-07-01T20:46:51", "2026-07-01T20:46:51.Z", "2026-07-01T20:46:51.5", "2026-7-01T20:46:51Z",
			"1969-12-31T23:59:59Z", "2263-01-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00+2:00",
			"2026-01-01T00:00:00+02:00x", "2026-01-01T00:00:00Zx", "2026_01-01T00:00:00Z", "1970-01-01T00:00:00+01:00",
		} {
			if at, ok := vtime.ParseInstant(text); ok {
				t.Errorf("%q is read as %v", text, at)
			}
		}
		for _, text := range []string{"", ".5", "5.", "-1", "1e9", "5.5.5", "5,5", "99999999999", "0x10", " 1"} {
			if ns, ok := parseSeconds(text); ok {
				t.Errorf("%q is read as %v", text, vtime.Instant(ns))
			}
		}
	})
}
