package mockllm_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/mockllm/latency"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// limits makes the calls of one conversation at instants, under a limit.
func limits(t testing.TB, id string, rate *mockllm.Rate, marked bool, at ...vtime.Duration) ([]made, *room) {
	cfg := mockllm.Config{Source: thinker{}, Limits: mockllm.RateLimits{Input: rate}}
	if id == "claude-haiku-3-5" {
		cfg.Profile = cachemodel.Lookup
	}
	r := newRoom(t, cfg, cachemodel.DefaultAnthropicOptions())
	head := r.start(id, 5000, "Go on.")
	return r.play(at, func(i int, _ *llm.Response) *llm.Request {
		req := request(id, head, i)
		req.Automatic = marked
		return req
	}), r
}

func rateLimited(t *testing.T) {
	free, _ := limits(t, model, nil, false, 0)
	prompt := free[0].resp.Usage.Prompt()
	rate := &mockllm.Rate{Most: prompt + 100, Refill: 2 * vtime.Millisecond}
	// The second call lacks all but 100 tokens and what came back since.
	soon := 500 * vtime.Millisecond
	got, r := limits(t, model, rate, false, 0, soon, vtime.Hour)
	err := got[1].err
	if got[0].err != nil || got[2].err != nil || err == nil {
		t.Fatalf("answers %v, %v, %v", got[0].err, err, got[2].err)
	}
	want := vtime.Duration(prompt-100)*rate.Refill - err.Started.Sub(got[0].resp.Started)
	if err.Status != 429 || err.Type != "rate_limit_error" || err.RetryAfter != want || !err.Retryable() {
		t.Errorf("refused as %d %s, wait %s, want %s", err.Status, err.Type, err.RetryAfter, want)
	}
	if err.Usage != (llm.Usage{}) || err.Began != 0 {
		t.Errorf("the refused call is billed %+v, began %v", err.Usage, err.Began)
	}
	if o := strings.Join(r.server.Options(), " "); !strings.Contains(o, "input_rate_scope=model") {
		t.Errorf("options %q", o)
	}
	// After exactly that time there is room, and a nanosecond earlier there is not.
	for early, refused := range map[vtime.Duration]bool{0: false, 1: true} {
		again, _ := limits(t, model, rate, false, 0, soon, soon+want-early)
		if (again[2].err != nil) != refused {
			t.Errorf("%d ns before the time is up: %v", early, again[2].err)
		}
	}
	// Marked, the refused call would have written; the next finds nothing.
	marked, _ := limits(t, model, rate, true, 0, 6*vtime.Minute)
	if u := marked[1].resp.Usage; u.Read != 0 || u.Written() == 0 {
		t.Errorf("expired, the call has %+v", u)
	}
	r = newRoom(t, mockllm.Config{Source: thinker{}, Limits: mockllm.RateLimits{Input: &mockllm.Rate{Most: 10, Refill: 1}}}, cachemodel.DefaultAnthropicOptions())
	head := r.start(model, 5000, "Go on.")
	r.play([]vtime.Duration{0}, func(int, *llm.Response) *llm.Request {
		req := request(model, head, 0)
		req.Automatic = true
		return req
	})
	if n := r.engine.Entries(); n != 0 {
		t.Errorf("the refused call left %d entries", n)
	}
}

func readsAreFree(t *testing.T) {
	for id, counted := range map[string]bool{model: false, "claude-haiku-3-5": true} {
		free, _ := limits(t, id, nil, true, 0)
		rate := &mockllm.Rate{Most: free[0].resp.Usage.Prompt() + 10, Refill: vtime.Second}
		got, _ := limits(t, id, rate, true, 0, vtime.Second)
		if got[0].err != nil || (got[1].err != nil) != counted {
			t.Errorf("%s: the write is answered %v, the read %v", id, got[0].err, got[1].err)
		}
	}
}

func tooLarge(t *testing.T) {
	got, _ := limits(t, model, &mockllm.Rate{Most: 100, Refill: vtime.Millisecond}, false, 0, vtime.Hour)
	for i := range got {
		if e := got[i].err; e == nil || e.Status != 429 || e.RetryAfter != 0 {
			t.Errorf("call %d: %v", i, e)
		}
	}
	same, r := limits(t, model, nil, false, 0, 0, 0, 0)
	for i := range same {
		if same[i].err != nil {
			t.Errorf("without a limit: %v", same[i].err)
		}
	}
	if len(r.server.Options()) != 0 {
		t.Errorf("options %q", r.server.Options())
	}
}

// times are limits that fill up so many times as slowly.
func times(l mockllm.RateLimits, d vtime.Duration) mockllm.RateLimits {
	for _, r := range []**mockllm.Rate{&l.Requests, &l.Input, &l.Output} {
		if *r != nil {
			*r = &mockllm.Rate{Most: (*r).Most, Refill: (*r).Refill * d}
		}
	}
	return l
}

func TestRateLimits(t *testing.T) {
	t.Run("LLM-10 requests beyond the limit are refused, those refused do not count, and the time given is exact", requestLimit)
	t.Run("LLM-10 output counts as it has been generated: a call is refused while earlier answers are being paid back", outputLimit)
	t.Run("LLM-10 each model has buckets of its own", bucketsPerModel)
	t.Run("LLM-10 the limit named is the one that lasts longest, and room in all is needed", severalLimits)
}

// limited makes the calls of one conversation under limits, each at its instant.
func limited(t *testing.T, l mockllm.RateLimits, at ...vtime.Duration) ([]made, *room) {
	r := newRoom(t, mockllm.Config{Source: thinker{}, Limits: l}, cachemodel.DefaultAnthropicOptions())
	head := r.start(model, 5000, "Go on.")
	return r.play(at, func(i int, _ *llm.Response) *llm.Request { return request(model, head, i) }), r
}

// bucketsPerModel sends a second call to the same model and to another one, under
// limits that leave no room for a second call.
func bucketsPerModel(t *testing.T) {
	free, _ := limited(t, mockllm.RateLimits{}, 0)
	u := free[0].resp.Usage
	for what, l := range map[string]mockllm.RateLimits{
		"requests":      {Requests: &mockllm.Rate{Most: 1, Refill: vtime.Hour}},
		"input tokens":  {Input: &mockllm.Rate{Most: u.Prompt(), Refill: vtime.Hour}},
		"output tokens": {Output: &mockllm.Rate{Most: 1, Refill: vtime.Hour}},
	} { // order: each limit is tried by itself
		for second, refused := range map[string]bool{model: true, "claude-opus-4-5-20251101": false} {
			r := newRoom(t, mockllm.Config{Source: thinker{}, Limits: l}, cachemodel.DefaultAnthropicOptions())
			heads := map[string]*llm.Node{model: r.start(model, 5000, "Go on.")}
			if second != model {
				heads[second] = r.start(second, 5000, "Go on.")
			}
			got := r.play([]vtime.Duration{0, vtime.Hour / 2}, func(i int, _ *llm.Response) *llm.Request {
				id := []string{model, second}[i]
				return request(id, heads[id], i)
			})
			if got[0].err != nil || (got[1].err != nil) != refused {
				t.Errorf("%s: the first is answered %v, one to %s %v", what, got[0].err, second, got[1].err)
			}
		}
	}
}

func requestLimit(t *testing.T) {
	l := mockllm.RateLimits{Requests: &mockllm.Rate{Most: 2, Refill: 100 * vtime.Second}}
	at := []vtime.Duration{0, 0, 0, 0}
	got, r := limited(t, l, at...)
	err := got[2].err
	if got[0].err != nil || got[1].err != nil || err == nil || got[3].err == nil {
		t.Fatalf("answers %v, %v, %v, %v", got[0].err, got[1].err, err, got[3].err)
	}
	if err.Status != 429 || err.Message != "this request would exceed the rate limit of requests" || err.Usage != (llm.Usage{}) {
		t.Errorf("refused as %d, %s, billed %+v", err.Status, err.Message, err.Usage)
	}
	if want := 100*vtime.Second - err.Started.Sub(got[0].resp.Started); err.RetryAfter != want {
		t.Errorf("wait %s, want %s", err.RetryAfter, want)
	}
	due := err.Started.Add(err.RetryAfter).Sub(0)
	for early, refused := range map[vtime.Duration]bool{0: false, 1: true} {
		again, _ := limited(t, l, 0, 0, 0, due-early)
		if (again[3].err != nil) != refused {
			t.Errorf("%d ns before the time is up: %v", early, again[3].err)
		}
	}
	if o := strings.Join(r.server.Options(), " "); o != "request_rate_of_aborted_calls=counted" {
		t.Errorf("options %q", o)
	}
}

func outputLimit(t *testing.T) {
	free, _ := limited(t, mockllm.RateLimits{}, 0)
	said := free[0].resp.Usage.Output
	rate := &mockllm.Rate{Most: said / 2, Refill: vtime.Second}
	soon := free[0].resp.Ended.Sub(0) + 1
	got, r := limited(t, mockllm.RateLimits{Output: rate}, 0, soon)
	err := got[1].err
	if got[0].err != nil || err == nil {
		t.Fatalf("of %d tokens, answers %v, %v", said, got[0].err, err)
	}
	// All that was said lies behind the bucket; one token has to come back.
	want := got[0].resp.Ended.Add(rate.Refill * vtime.Duration(said-rate.Most+1)).Sub(err.Started)
	if err.Message != "this request would exceed the rate limit of output tokens" || err.RetryAfter != want {
		t.Errorf("%s, wait %s, want %s", err.Message, err.RetryAfter, want)
	}
	if again, _ := limited(t, mockllm.RateLimits{Output: rate}, 0, soon, soon+want); again[2].err != nil {
		t.Errorf("when the time is up: %v", again[2].err)
	}
	if o := strings.Join(r.server.Options(), " "); o != "output_rate_taken=when-the-answer-ends" {
		t.Errorf("options %q", o)
	}
}

func severalLimits(t *testing.T) {
	free, _ := limited(t, mockllm.RateLimits{}, 0)
	prompt := free[0].resp.Usage.Prompt()
	requests := &mockllm.Rate{Most: 1, Refill: vtime.Second}
	input := &mockllm.Rate{Most: prompt, Refill: vtime.Millisecond}
	got, _ := limited(t, mockllm.RateLimits{Requests: requests, Input: input}, 0, 0)
	longest := vtime.Duration(prompt) * vtime.Millisecond
	if err := got[1].err; err == nil || err.Message != "this request would exceed the rate limit of input tokens" ||
		err.RetryAfter != longest-err.Started.Sub(got[0].resp.Started) {
		t.Errorf("refused: %v, want a wait of %s for input", err, longest)
	}
	requests.Refill = vtime.Hour
	got, _ = limited(t, mockllm.RateLimits{Requests: requests, Input: input}, 0, 0)
	if err := got[1].err; err == nil || err.Message != "this request would exceed the rate limit of requests" ||
		err.RetryAfter != vtime.Hour-err.Started.Sub(got[0].resp.Started) {
		t.Errorf("refused: %v, want a wait of %s for requests", err, vtime.Hour)
	}
	// A prompt that no bucket holds is refused without a time, whatever else is short.
	small := &mockllm.Rate{Most: prompt - 1, Refill: 1}
	got, _ = limited(t, mockllm.RateLimits{Requests: &mockllm.Rate{Most: 1, Refill: vtime.Hour}, Input: small}, 0)
	if err := got[0].err; err == nil || err.RetryAfter != 0 || err.Message != "this request would exceed the rate limit of input tokens" {
		t.Errorf("refused: %v", err)
	}
}

func scaledLimit(t *rapid.T) {
	k := rapid.Int64Range(2, 9).Draw(t, "times")
	rate := mockllm.Rate{Most: rapid.Int64Range(5_000, 12_000).Draw(t, "tokens"), Refill: vtime.Duration(rapid.Int64Range(1, 3_000_000).Draw(t, "refill"))}
	limits := mockllm.RateLimits{Input: &rate}
	if rapid.Bool().Draw(t, "limited requests") {
		limits.Requests = &mockllm.Rate{Most: rapid.Int64Range(1, 3).Draw(t, "requests"), Refill: vtime.Duration(rapid.Int64Range(1, int64(8*vtime.Second)).Draw(t, "refill"))}
	}
	if rapid.Bool().Draw(t, "limited output") {
		limits.Output = &mockllm.Rate{Most: rapid.Int64Range(1, 200).Draw(t, "output"), Refill: vtime.Duration(rapid.Int64Range(1, int64(vtime.Second)).Draw(t, "refill"))}
	}
	at := make([]vtime.Duration, rapid.IntRange(1, 6).Draw(t, "calls"))
	for i := range at {
		at[i] = vtime.Duration(rapid.Int64Range(0, int64(20*vtime.Second)).Draw(t, "at"))
	}
	play := func(k int64) []made {
		d := vtime.Duration(k)
		cfg := mockllm.Config{Source: thinker{}, Latency: latency.Latency{Queue: d, Prefill: d, Read: d, Decode: d},
			Limits: times(limits, d)}
		r := newRoom(nil, cfg, cachemodel.DefaultAnthropicOptions())
		head := r.start(model, 4000, "Go on.")
		scaled := make([]vtime.Duration, len(at))
		for i := range at {
			scaled[i] = at[i] * d
		}
		return r.play(scaled, func(i int, _ *llm.Response) *llm.Request { return request(model, head, i) })
	}
	one, many := play(1), play(k)
	for i := range one {
		a, b := one[i].err, many[i].err
		if (a == nil) != (b == nil) || a != nil && (b.RetryAfter != a.RetryAfter*vtime.Duration(k)) {
			t.Fatalf("call %d: %v after %v, scaled by %d %v", i, a, at[i], k, b)
		}
		if a == nil && int64(many[i].resp.Ended) != int64(one[i].resp.Ended)*k {
			t.Fatalf("call %d ends at %v, scaled by %d at %v", i, one[i].resp.Ended, k, many[i].resp.Ended)
		}
	}
}
