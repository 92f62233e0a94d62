package whatif

import (
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// pause is a conversation of three requests, the last one after a quarter of an
// hour: it was written again.
func pause() *recording.Session {
	return session([]recording.Thread{main1()},
		told{pred: -1, at: 0, write: 20_000, output: 100},
		told{pred: 0, at: 10_000, read: 20_000, write: 500, output: 100},
		told{pred: 1, at: 910_000, write: 21_000, output: 100})
}

func TestConformance(t *testing.T) {
	t.Run("IMP-08 the recorded bill comes first, then the model's reproduction of it, and savings are model against model", func(t *testing.T) {
		a := ask(t, pause(), &Question{Lifetime: allKinds(llm.TTL1h)})
		usage(t, "recorded", a.Recorded.Total().Usage, llm.Usage{Input: 9, Read: 20_000, Write5m: 41_500, Output: 300})
		usage(t, "model", a.Model.Total().Usage, llm.Usage{Input: 9, Read: 20_000, Write5m: 41_500, Output: 300})
		usage(t, "what if", a.If.Total().Usage, llm.Usage{Input: 9, Read: 40_500, Write1h: 21_000, Output: 300})
		// $5 input, $6.25 and $10 writes, $0.50 reads, $25 output.
		if got, want := a.Model.Total().Cost, at(5000, 9)+at(500, 20_000)+at(6250, 41_500)+at(25_000, 300); got != want {
			t.Errorf("the model's bill is %d, want %d", got, want)
		}
		if got, want := a.Saved(), at(6250, 41_500)+at(500, 20_000)-at(10_000, 21_000)-at(500, 40_500); got != want {
			t.Errorf("saved %d, want %d", got, want)
		}
		if !a.Reproduced() {
			t.Error("the bill counts as not reproduced")
		}
	})
	t.Run("IMP-08 a recorded bill that the model misses by more than 1 % is told apart", func(t *testing.T) {
		s := pause()
		s.Requests[1].Usage = llm.Usage{Input: 3, Read: 19_400, Write5m: 1_100, Output: 100} // a little short: nothing shows why
		a := ask(t, s, &Question{})
		if a.Model.Total().Cost >= a.Recorded.Total().Cost || a.Reproduced() {
			t.Errorf("recorded %+v, model %+v, reproduced %v", a.Recorded.Total(), a.Model.Total(), a.Reproduced())
		}
		if a.Saved() != 0 {
			t.Errorf("nothing was asked, and %d saved", a.Saved())
		}
		for _, c := range []struct {
			model int64
			want  bool
		}{{100, true}, {101, true}, {99, true}, {102, false}, {98, false}} {
			var x Answer
			x.Recorded[0].Cost = 100
			x.Model[0].Cost = cachemodel.Picodollars(c.model)
			if x.ReproducedWith() != c.want || x.Reproduced() {
				t.Errorf("%d of 100 with hindsight, nothing without: %v, %v", c.model, x.ReproducedWith(), x.Reproduced())
			}
			x.Alone, x.Model = x.Model, x.Alone
			if x.Reproduced() != c.want || x.ReproducedWith() {
				t.Errorf("%d of 100 without hindsight, nothing with it: %v, %v", c.model, x.Reproduced(), x.ReproducedWith())
			}
		}
	})
	t.Run("IMP-15 a longer lifetime is told with the share that recorded user turns read as its band", func(t *testing.T) {
		s := pause()
		if a := ask(t, s, &Question{Lifetime: allKinds(llm.TTL1h)}); a.Low != 0 || a.High != 0 {
			t.Errorf("a step of the tool loop has a band: %d to %d", a.Low, a.High)
		}
		s.Requests[2].UserTurn = true
		a := ask(t, s, &Question{Lifetime: allKinds(llm.TTL1h)})
		kept := at(6250, 21_000) - at(10_000, 500) - at(500, 20_500) // what the last request no longer pays
		if a.Low != a.Saved()-kept*11/100 || a.High != a.Saved()-kept*5/100 {
			t.Errorf("%d to %d of %d", a.Low, a.High, a.Saved())
		}
	})
	t.Run("IMP-08 kinds of threads can have lifetimes of their own", func(t *testing.T) {
		s := session([]recording.Thread{main1(), agent("a", 0)},
			told{pred: -1, at: 0, write: 20_000}, told{thread: 1, pred: -1, at: 5_000, write: 9_000},
			told{thread: 1, pred: 1, at: 605_000, write: 9_500}, told{pred: 0, at: 700_000, write: 20_500})
		q := &Question{}
		q.Lifetime[recording.SubAgent] = Lifetime{true, llm.TTL1h}
		a := ask(t, s, q)
		usage(t, "main", a.If[recording.Main].Usage, llm.Usage{Input: 6, Write5m: 40_500})
		usage(t, "sub-agents", a.If[recording.SubAgent].Usage, llm.Usage{Input: 6, Read: 9_000, Write1h: 9_500})
		q = &Question{}
		q.Lifetime[recording.Fork] = Lifetime{true, llm.TTL1h}
		refused(t, s, q, "--ttl: the recording has no thread of that kind")
		refused(t, s, &Question{Lifetime: allKinds(llm.TTL5m)}, "asks for that TTL already")
	})
	t.Run("IMP-08 without a cache every prompt is plain input", func(t *testing.T) {
		a := ask(t, pause(), &Question{NoCache: true})
		usage(t, "what if", a.If.Total().Usage, llm.Usage{Input: 61_509, Output: 300})
	})
	t.Run("IMP-08 another model has its own rates and minimum; where it counts tokens otherwise the factor must be given", func(t *testing.T) {
		s := session([]recording.Thread{main1()}, told{pred: -1, at: 0, write: 3_000, output: 10}, told{pred: 0, at: 10_000, read: 3_000, write: 500, output: 10})
		for i := range s.Requests {
			s.Requests[i].Model = sonnet // caches from 1,024 tokens on
		}
		a := ask(t, s, &Question{Model: allModels("claude-opus-4-5")}) // from 4,096 on
		usage(t, "what if", a.If.Total().Usage, llm.Usage{Input: 6_506, Output: 20})
		if got, want := a.If.Total().Cost, at(5000, 6_506)+at(25_000, 20); got != want {
			t.Errorf("at the other model's prices %d, want %d", got, want)
		}
		assumes(t, a, "would have answered the same")
		assumes(t, a, "one of the models drops earlier thinking")
		refused(t, s, &Question{Model: allModels(opus48)}, "give --token-factor, such as 1.3")
		b := ask(t, s, &Question{Model: allModels(opus48), Factor: 1300})
		usage(t, "converted", b.If.Total().Usage, llm.Usage{Input: 8, Read: 3_900, Write5m: 4_550, Output: 26})
		warm := session([]recording.Thread{main1()}, told{pred: -1, at: 0, model: sonnet, read: 9_000, write: 1_000})
		c := ask(t, warm, &Question{Model: allModels(opus48), Factor: 1300}) // tools and system prompt too
		usage(t, "converted", c.If.Total().Usage, llm.Usage{Input: 4, Read: 11_700, Write5m: 1_300})
		assumes(t, b, "1.300 tokens for each recorded one")
		refused(t, s, &Question{Model: allModels("claude-opus-4-5"), Factor: 1300}, "count tokens alike")
		refused(t, s, &Question{Model: allModels("gpt-7")}, "not in the table")
		refused(t, s, &Question{Model: allModels("claude-fable-5-2")}, "minimum cacheable length is not established")
		refused(t, s, &Question{Model: allModels(sonnet)}, "uses that model already")
		refused(t, s, &Question{Factor: 1300}, "it needs --model")
	})
	t.Run("IMP-08 what cannot be asked together, or of this recording, is refused with the reason", testRefusals)
	t.Run("IMP-08 without a question the recording says which it can answer, and why not the others", testOffers)
	t.Run("IMP-08 what was taken for granted is listed: prices, unknown outputs, slack, sizes, and what the recording shows of the world", func(t *testing.T) {
		s := pause()
		s.Requests[0].OutputKnown = false
		s.Requests[1].Usage = llm.Usage{Input: 3, Write5m: 20_500, Output: 100} // lost within the lifetime
		a, err := Ask(s, &Question{Lifetime: allKinds(llm.TTL1h)}, Options{Tokenizer: tokenizers, Slack: 8500 * vtime.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		assumes(t, a, "prices of claude-opus-4-5: platform.claude.com pricing page, 2026-08-01")
		assumes(t, a, "1 of 3 requests have no final output length in the log")
		assumes(t, a, "can still be read 8.5s after its TTL")
		assumes(t, a, "1 request reused less than was possible")
		assumes(t, a, "for 1 thread it shows none")
		if len(a.Taken) != 1 || a.Reproduced() || !a.ReproducedWith() {
			t.Errorf("taken over %q, reproduced %v without and %v with it", a.Taken, a.Reproduced(), a.ReproducedWith())
		}
		if len(a.Options) == 0 {
			t.Error("no undocumented point is named")
		}
		usage(t, "what if", a.If.Total().Usage, llm.Usage{Input: 9, Read: 20_500, Write1h: 41_000, Output: 300}) // lost all the same
	})
}

func testRefusals(t *testing.T) {
	s := pause()
	refused(t, s, &Question{NoCache: true, Lifetime: allKinds(llm.TTL1h)}, "ask one of them: without a cache nothing has a TTL")
	refused(t, s, &Question{NoCache: true, KeepAlive: vtime.Hour}, "nothing to keep alive")
	refused(t, s, &Question{KeepAlive: 30 * 24 * vtime.Hour}, "out of range")
	refused(t, s, &Question{Static: 5}, "it needs --stagger")
	refused(t, s, &Question{Stagger: true}, "has no sub-agents")

	unbilled := pause()
	unbilled.Requests[2].Billed = false
	refused(t, unbilled, &Question{}, "request 3 of 3 has no usage")
	codex := pause()
	codex.Requests[0].WritesKnown = false
	refused(t, codex, &Question{}, "billed without writes")
	other := pause()
	other.Requests[1].Model = "claude-next"
	refused(t, other, &Question{}, `model "claude-next" is not in the table`)
	unpriced := pause()
	unpriced.Requests[1].Model = "claude-mythos-preview"
	refused(t, unpriced, &Question{}, "no rates of claude-mythos-preview")
	refused(t, &recording.Session{ID: "s"}, &Question{}, "holds no requests")
}

func testOffers(t *testing.T) {
	answers := map[string]string{}
	for _, o := range Offers(pause(), plainly) {
		if o.Means == "" {
			t.Errorf("%s: nothing says what it asks", o.Question)
		}
		answers[o.Question] = o.Why
	}
	for question, yes := range map[string]bool{"--ttl 5m": false, "--ttl 1h": true, "--no-cache": true, "--model ID": true, "--keep-alive 30m": true,
		"--stagger": false, "--structure fork": false} {
		if why, is := answers[question]; !is || (why == "") != yes {
			t.Errorf("%s: listed %v, why not %q", question, is, why)
		}
	}
	s := pause()
	s.Requests[0].Billed = false
	for _, o := range Offers(s, plainly) {
		if o.Why == "" {
			t.Errorf("%s: offered without a bill", o.Question)
		}
	}
}
