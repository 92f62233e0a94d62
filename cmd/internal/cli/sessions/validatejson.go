package sessions

import (
	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
)

// validationJSON is a validation for machines: every figure is an exact count.
type validationJSON struct {
	Repositories []repoJSON       `json:"repositories"`
	LeftOut      []leftOutJSON    `json:"left_out"`
	Agreement    []agreementJSON  `json:"server_diagnosis"`
	BestEffort   *bestEffortJSON  `json:"best_effort,omitempty"`
	Undocumented []string         `json:"undocumented"`
	Skipped      []recording.Skip `json:"skipped"`
	Met          bool             `json:"met"`
}

type repoJSON struct {
	Repository  string           `json:"repository"`
	Sessions    int64            `json:"sessions"`
	Requests    int64            `json:"requests"`
	Steps       int64            `json:"steps"`
	StepsExact  int64            `json:"steps_exact"`
	Lag         int64            `json:"visibility_lag"`
	All         allJSON          `json:"all"`
	Followers   readsJSON        `json:"followers"`
	First       readsJSON        `json:"first"`
	FirstKnown  readsJSON        `json:"first_prefix_known"`
	Transitions []transitionJSON `json:"transitions"`
	Causes      []causeJSON      `json:"causes"`
	Resets      int64            `json:"resets"`
	ResetsLate  int64            `json:"resets_after_5m"`
	PromptAll   int64            `json:"prompt_tokens"`
	ReadAll     int64            `json:"read_tokens"`
}

// readsJSON is a set of requests.
type readsJSON struct {
	N           int64            `json:"n"`
	Predicted   int64            `json:"predicted_exactly"`
	Read        int64            `json:"read_tokens"`
	Off         int64            `json:"off_abs_tokens"`
	OffSigned   int64            `json:"off_signed_tokens"`
	Naive       int64            `json:"naive_abs_tokens"`
	NaiveSigned int64            `json:"naive_signed_tokens"`
	Classes     map[string]int64 `json:"classes"`
}

type transitionJSON struct {
	Transition string `json:"transition"`
	Within     bool   `json:"within_lifetime"`
	readsJSON
}

type causeJSON struct {
	Cause    string `json:"cause"`
	Requests int64  `json:"requests"`
	Lost     int64  `json:"lost_tokens"`
	Off      int64  `json:"off_abs_tokens"`
}

type leftOutJSON struct {
	Why      string `json:"why"`
	Sessions int64  `json:"sessions"`
	Requests int64  `json:"requests"`
}

// predictorJSON is how far one predictor is off over all requests.
type predictorJSON struct {
	By          string `json:"by"`
	Off         int64  `json:"off_abs_tokens"`
	OffSigned   int64  `json:"off_signed_tokens"`
	Money       int64  `json:"off_abs_picodollars"`
	MoneySigned int64  `json:"off_signed_picodollars"`
	Kept        int64  `json:"kept_told"`
	Gone        int64  `json:"gone_told"`
}

// allJSON is what all requests of a repository say.
type allJSON struct {
	N          int64           `json:"n"`
	Predicted  int64           `json:"predicted_exactly"`
	Read       int64           `json:"read_tokens"`
	Bill       int64           `json:"prompts_picodollars"`
	Loss       int64           `json:"expected_loss_picodollars"`
	Kept       int64           `json:"kept"`
	Gone       int64           `json:"gone"`
	Predictors []predictorJSON `json:"predictors"`
}

func allDocument(a *judge.All) allJSON {
	out := allJSON{N: a.N, Predicted: a.Exact, Read: a.Read, Bill: a.Bill, Loss: a.Loss, Kept: a.Kept.N, Gone: a.Gone.N}
	for k := range judge.Predictors {
		e := &a.Off[k]
		out.Predictors = append(out.Predictors, predictorJSON{k.String(), e.Tokens.Abs, e.Tokens.Signed, e.Money.Abs, e.Money.Signed, a.Kept.Right[k], a.Gone.Right[k]})
	}
	return out
}

type agreementJSON struct {
	Server string `json:"server"`
	Ours   string `json:"inferred"`
	N      int64  `json:"requests"`
	Missed int64  `json:"server_tokens"`
	Lost   int64  `json:"lost_tokens"`
}

type bestEffortJSON struct {
	Sessions int64             `json:"sessions"`
	Requests int64             `json:"requests"`
	Rounded  int64             `json:"multiples_of_128"`
	Steps    []bandJSON        `json:"steps"`
	Forks    []judge.ForkStart `json:"forks"`
}

type bandJSON struct {
	Gap       string `json:"gap"`
	N         int64  `json:"n"`
	Full      int64  `json:"full"`
	Partial   int64  `json:"partial"`
	Collapsed int64  `json:"collapsed"`
}

func cellDocument(c *judge.Cell) readsJSON {
	out := readsJSON{N: c.N, Predicted: c.Predicted, Read: c.Read, Off: c.Off.Abs, OffSigned: c.Off.Signed,
		Naive: c.Naive.Abs, NaiveSigned: c.Naive.Signed, Classes: map[string]int64{}}
	for k, n := range c.Class {
		if n > 0 {
			out.Classes[recording.Class(k).String()] = n
		}
	}
	return out
}

// document is the validation for machines.
func (v *validation) document() *validationJSON {
	doc := &validationJSON{Repositories: []repoJSON{}, LeftOut: []leftOutJSON{}, Agreement: []agreementJSON{},
		Undocumented: append([]string{}, v.report.Options...), Skipped: append([]recording.Skip{}, v.skipped...), Met: v.met()}
	for i := range v.report.Repos {
		doc.Repositories = append(doc.Repositories, repoDocument(&v.report.Repos[i]))
	}
	for _, u := range v.report.Unplayable {
		doc.LeftOut = append(doc.LeftOut, leftOutJSON(u))
	}
	for _, a := range v.report.Agreement {
		doc.Agreement = append(doc.Agreement, agreementJSON{a.Server, a.Ours.String(), a.N, a.Missed, a.Lost})
	}
	if o := v.observed; o.Requests > 0 {
		b := &bestEffortJSON{Sessions: o.Sessions, Requests: o.Requests, Rounded: o.Rounded, Forks: append([]judge.ForkStart{}, o.Forks...)}
		for k := range judge.Bands {
			st := o.Steps[k]
			b.Steps = append(b.Steps, bandJSON{k.String(), st.N, st.Full, st.Partial, st.Collapsed})
		}
		doc.BestEffort = b
	}
	return doc
}

func repoDocument(r *judge.Repo) repoJSON {
	n, exact, lag := r.Steps()
	followers := r.Followers()
	first := r.Cells[judge.First][0]
	first.Plus(&r.Cells[judge.First][1])
	out := repoJSON{Repository: r.Name, Sessions: r.Sessions, Requests: r.Requests, Steps: n, StepsExact: exact, Lag: lag,
		All: allDocument(&r.All), Followers: cellDocument(&followers), First: cellDocument(&first), FirstKnown: cellDocument(&r.Known),
		Resets: r.Resets, ResetsLate: r.Late, PromptAll: r.Usage.Prompt(), ReadAll: r.Usage.Read,
		Transitions: []transitionJSON{}, Causes: []causeJSON{}}
	for t := range judge.First {
		for within := range 2 {
			if c := &r.Cells[t][within]; c.N > 0 {
				out.Transitions = append(out.Transitions, transitionJSON{t.String(), within == 1, cellDocument(c)})
			}
		}
	}
	for k := range judge.Causes {
		if r.Missed[k] > 0 {
			out.Causes = append(out.Causes, causeJSON{recording.Cause(k).String(), r.Missed[k], r.Lost[k], r.Residue[k]})
		}
	}
	return out
}

// TableRows are the rows of its table.
func (d *validationJSON) TableRows() any { return d.Repositories }
