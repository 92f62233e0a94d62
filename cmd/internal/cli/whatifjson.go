package cli

import (
	"agentsim/sim/recording"
	"agentsim/sim/recording/whatif"
	"agentsim/sim/transcript/sqlite"
)

type whatifJSON struct {
	Run       string           `json:"run"`
	Question  string           `json:"question"`
	Recorded  whatifBillJSON   `json:"recorded"`
	Model     whatifBillJSON   `json:"model"`
	Alone     whatifBillJSON   `json:"model_alone"`
	Within    bool             `json:"reproduced_within_1_percent"`
	With      bool             `json:"reproduced_with_hindsight"`
	Taken     []string         `json:"taken_over"`
	Low       *int64           `json:"saved_low_picodollars,omitempty"` // of a longer lifetime, if user turns read as little as recorded ones
	High      *int64           `json:"saved_high_picodollars,omitempty"`
	If        whatifBillJSON   `json:"what_if"`
	Saved     int64            `json:"saved_picodollars"`    // model against model
	Of        int64            `json:"saved_of_picodollars"` // the model's reproduction
	Kinds     []whatifKindJSON `json:"by_kind"`
	Refreshes *whatifBillJSON  `json:"refreshes,omitempty"`
	Gaps      []whatifGapJSON  `json:"gaps,omitempty"`
	Changed   int              `json:"changed_threads"`
	Held      int              `json:"held_siblings,omitempty"`
	Longest   int64            `json:"held_longest_ns,omitempty"`
	Left      []whatifLeftJSON `json:"left_threads,omitempty"`
	Assumed   []string         `json:"assumed"`
	Options   []string         `json:"undocumented"`
}

type whatifBillJSON struct {
	Threads  int64 `json:"threads,omitempty"`
	Requests int64 `json:"requests"`
	Read     int64 `json:"read"`
	Write5m  int64 `json:"write_5m"`
	Write1h  int64 `json:"write_1h"`
	Input    int64 `json:"input"`
	Output   int64 `json:"output"`
	Cost     int64 `json:"cost_picodollars"`
}

type whatifKindJSON struct {
	Kind     string         `json:"kind"`
	Recorded whatifBillJSON `json:"recorded"`
	Model    whatifBillJSON `json:"model"`
	If       whatifBillJSON `json:"what_if"`
	Saved    int64          `json:"saved_picodollars"`
}

type whatifGapJSON struct {
	From      int64 `json:"from_ns"`
	UpTo      int64 `json:"up_to_ns,omitempty"` // missing for no bound
	Gaps      int64 `json:"gaps"`
	Refreshes int64 `json:"refreshes"`
	Paid      int64 `json:"refreshes_cost_picodollars"`
	Saved     int64 `json:"saved_behind_picodollars"`
}

type whatifLeftJSON struct {
	Thread string `json:"thread"`
	Kind   string `json:"kind"`
	Why    string `json:"why"`
}

func billDocument(b whatif.Bill) whatifBillJSON {
	u := b.Usage
	return whatifBillJSON{b.Threads, b.Requests, u.Read, u.Write5m, u.Write1h, u.Input, u.Output, int64(b.Cost)}
}

func whatifDocument(info sqlite.RunInfo, o *whatifOptions, a *whatif.Answer) *whatifJSON {
	doc := &whatifJSON{Run: info.ID, Question: o.asked(), Recorded: billDocument(a.Recorded.Total()), Model: billDocument(a.Model.Total()),
		Alone: billDocument(a.Alone.Total()), Within: a.Reproduced(), If: billDocument(a.If.Total()), Saved: int64(a.Saved()),
		Of: int64(a.Model.Total().Cost), Changed: a.Changed, Held: a.Held, Longest: int64(a.Longest), Assumed: a.Assumed,
		Options: append([]string{}, a.Options...)}
	doc.With, doc.Taken = a.ReproducedWith(), append([]string{}, a.Taken...)
	if low, high := int64(a.Low), int64(a.High); low != 0 || high != 0 {
		doc.Low, doc.High = &low, &high
	}
	for k := range a.Model {
		if a.Model[k].Requests > 0 {
			doc.Kinds = append(doc.Kinds, whatifKindJSON{recording.ThreadKind(k).String(), billDocument(a.Recorded[k]), billDocument(a.Model[k]),
				billDocument(a.If[k]), int64(a.Model[k].Cost - a.If[k].Cost)})
		}
	}
	if b := a.Refreshes.Total(); o.q.KeepAlive > 0 {
		d := billDocument(b)
		doc.Refreshes = &d
	}
	for _, g := range a.Gaps {
		doc.Gaps = append(doc.Gaps, whatifGapJSON{int64(g.From), int64(g.UpTo), g.N, g.Refreshes, int64(g.Paid), int64(g.Saved)})
	}
	for _, l := range a.Left {
		doc.Left = append(doc.Left, whatifLeftJSON{l.Thread, l.Kind.String(), l.Why})
	}
	return doc
}

type offersJSON struct {
	Run       string      `json:"run"`
	Questions []offerJSON `json:"questions"`
}

type offerJSON struct {
	Question string `json:"question"`
	Means    string `json:"asks_what_if"`
	Answers  bool   `json:"can_be_answered"`
	Why      string `json:"why_not,omitempty"`
}

func offersDocument(info sqlite.RunInfo, offers []whatif.Offer) *offersJSON {
	doc := &offersJSON{Run: info.ID}
	for _, o := range offers {
		doc.Questions = append(doc.Questions, offerJSON{o.Question, o.Means, o.Why == "", o.Why})
	}
	return doc
}

type forkKeyJSON struct {
	Run     string         `json:"run"`
	Forks   []lostForkJSON `json:"forks"`
	Lost    int64          `json:"lost_tokens"`
	Plain   int64          `json:"of_tokens_not_read"`
	Assumed []string       `json:"assumed"`
}

type lostForkJSON struct {
	Thread      string `json:"thread"`
	Prompt      int64  `json:"first_prompt"`
	Read        int64  `json:"read"`
	Prefix      int64  `json:"shared_with_parent"`
	ParentKnown bool   `json:"parent_known"`
	Lost        int64  `json:"lost_tokens"`
}

func forkKeyDocument(info sqlite.RunInfo, k *whatif.ForkKey) *forkKeyJSON {
	doc := &forkKeyJSON{Run: info.ID, Lost: k.Lost(), Plain: k.Plain, Assumed: k.Assumed}
	for _, f := range k.Forks {
		doc.Forks = append(doc.Forks, lostForkJSON{f.Thread, f.Prompt, f.Read, f.Prefix, f.ParentKnown, f.Lost()})
	}
	return doc
}
