package audit

// window is how full an agent's history is.
type window struct {
	size      int64 // tokens of the last answer of this history and its request
	times     int   // how often it became a summary
	answers   int   // since then
	model     string
	full      int64 // of it
	never     bool  // the summary alone fills the window
	noSummary bool  // a summary was asked for, and none came
}

// sent is LOOP-07 for a request: it does not go on with a history that is full. One
// whose first request is as full again is left as it is, and so is one, for a request,
// where the answer that was asked for has no summary.
func (w *window) sent(u *ledger, a *agent, model string, summed bool) {
	s, noSummary := u.opt.Session, w.noSummary
	w.noSummary = false
	if s == nil || s.Full == nil || w.size == 0 || w.never || a.last.resettled {
		return
	}
	if w.model != model {
		w.model, w.full = model, s.Full(model)
	}
	if w.full == 0 || w.size < w.full {
		return
	}
	if w.times > 0 && w.answers == 1 {
		w.never = true
		return
	}
	if u.fails(loop07, a.aside || summed || noSummary) {
		u.report(loop07, a, "a summary before it goes on: "+decimal(w.size)+" tokens fill a window of "+decimal(w.full), "none")
	}
}

// answered takes in an answer of the conversation.
func (w *window) answered(tokens int64) {
	w.size = tokens
	w.answers++
}

// summed takes in that the history has become a summary.
func (w *window) summed() { *w = window{times: w.times + 1, never: w.never} }
