package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/vtime"
)

func TestRetries(t *testing.T) {
	t.Run("LOOP-06 408, 409, 429, every 5xx and a dropped stream are tried again; other 4xx end the agent at once", testStatuses)
	t.Run("LOOP-06 at most ten more tries, half a second doubled up to 32 s, with a jitter that belongs to the agent, the call and the try", testBackOff)
	t.Run("LOOP-06 the jitter differs by agent, by call and by try", testJitter)
	t.Run("LOOP-06 retry-after wins over the back-off, however long or short", testRetryAfter)
}

// testJitter has two agents fail twice at each of two calls with the same back-off
// every time: no two of the eight waits are equal.
func testJitter(t *testing.T) {
	s := newStory(t)
	s.cfg.Retry.Cap, s.cfg.Retry.Step, s.cfg.Retry.Steps = s.cfg.Retry.Base, 1, 1<<40
	for _, lineage := range []string{"main", "other"} {
		s.script(lineage, `fail 529; fail 529; use Glob {"pattern":"*"}`, "fail 529; fail 529; text done")
		s.root("go").Lineage = lineage
	}
	s.run()
	seen := map[string]bool{}
	for _, e := range s.eventsOf("api_error") {
		if seen[e["retry_in"]] {
			t.Errorf("two of the waits are %s", e["retry_in"])
		}
		seen[e["retry_in"]] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d different waits, want 8", len(seen))
	}
}

func testStatuses(t *testing.T) {
	for status, again := range map[int]bool{0: true, 408: true, 409: true, 429: true, 500: true, 502: true, 503: true, 504: true, 529: true, 599: true,
		400: false, 401: false, 403: false, 404: false, 405: false, 410: false, 413: false, 422: false} {
		s := newStory(t)
		s.script("main", fmt.Sprintf("fail %d; text done", status))
		s.root("go")
		s.run()
		if end := string(s.agent("main").Ending().Status); (end == "completed") != again || len(s.eventsOf("api_error")) != 1 {
			t.Errorf("%d: %s after %d errors", status, end, len(s.eventsOf("api_error")))
		}
	}
}

// waits are the pauses after n failures of a call.
func waits(t *testing.T, seed uint64, n int, jitter bool, fault string) (out []vtime.Duration, end string) {
	s := newStory(t)
	s.seed = seed
	if !jitter {
		s.cfg.Retry.Steps = 0
	}
	s.script("main", strings.Repeat("fail "+fault+"; ", n)+"text done")
	s.root("go")
	s.run()
	for _, e := range s.eventsOf("api_error") {
		if e["retry_in"] != "" {
			d, err := vtime.ParseDuration(e["retry_in"])
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, d)
		}
	}
	return out, string(s.agent("main").Ending().Status)
}

func testBackOff(t *testing.T) {
	want := []vtime.Duration{500, 1000, 2000, 4000, 8000, 16000, 32000, 32000, 32000, 32000}
	for i := range want {
		want[i] *= vtime.Millisecond
	}
	plain, end := waits(t, 1, 10, false, "529")
	if end != "completed" || fmt.Sprint(plain) != fmt.Sprint(want) {
		t.Errorf("%s after %v, want %v", end, plain, want)
	}
	if plain, end = waits(t, 1, 11, false, "529"); end != "failed" || len(plain) != 10 {
		t.Errorf("%s after %d tries", end, len(plain))
	}
	odd := newStory(t)
	odd.cfg.Retry.Steps, odd.cfg.Retry.Cap = 0, 3*vtime.Second // no power of two times the first wait
	odd.script("main", "fail 529; fail 529; fail 529; fail 529; text done")
	odd.root("go")
	odd.run()
	if got := odd.eventsOf("api_error")[3]["retry_in"]; got != "3.000000000s" {
		t.Errorf("the fourth wait is %s, and the longest may be 3 s", got)
	}
	one, _ := waits(t, 1, 10, true, "529")
	same, _ := waits(t, 1, 10, true, "500")
	other, _ := waits(t, 2, 10, true, "529")
	if fmt.Sprint(one) != fmt.Sprint(same) || fmt.Sprint(one) == fmt.Sprint(other) {
		t.Errorf("jitter: %v, %v, with another seed %v", one, same, other)
	}
	for i, d := range one {
		if d < want[i] || d > want[i]+want[i]/4 {
			t.Errorf("try %d waits %s, the back-off is %s", i+1, d, want[i])
		}
	}
}

func testRetryAfter(t *testing.T) {
	for _, after := range []vtime.Duration{vtime.Millisecond, 90 * vtime.Second} {
		got, end := waits(t, 1, 3, true, "429 "+after.String())
		if end != "completed" || fmt.Sprint(got) != fmt.Sprint([]vtime.Duration{after, after, after}) {
			t.Errorf("retry-after %s: %s after %v", after, end, got)
		}
	}
}
