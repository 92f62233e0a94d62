package whatif

import (
	"agentsim/sim/recording"
	"agentsim/sim/recording/player"
)

// longAnswer is how many blocks an answer needs for the next request's last
// breakpoint to stand out of reach of what the one before left: eleven blocks, of
// which ten are tool uses, and their ten results are 21 positions, and 19 are the
// reach (CACHE-14).
const longAnswer = 11

// evidence is what a recording shows of where its client places marks: the
// requests behind a long answer that could have read everything, and how many of
// them did.
type evidence struct {
	blocks     bool // the recording names how many blocks answers have
	long, full int
}

// enough is how many long steps tell: a single one may have been lost for any
// reason.
const enough = 2

// lacks reports whether the client shows no mark of its own: most long steps
// lose their history.
func (e evidence) lacks() bool { return e.long >= enough && e.full*2 < e.long }

func marks(s *recording.Session) (e evidence) {
	for i := range s.Requests {
		e.blocks = e.blocks || s.Requests[i].AnswerBlocks > 0
		if longStep(s, i) {
			e.long++
			if s.Requests[i].Usage.Read >= s.Expected(i) {
				e.full++
			}
		}
	}
	return e
}

// longStep reports whether request i goes on from a long answer and could have
// read everything before it.
func longStep(s *recording.Session, i int) bool {
	r := &s.Requests[i]
	if r.Pred < 0 || r.Compacted {
		return false
	}
	p := &s.Requests[r.Pred]
	ttl, _ := s.Lifetime(int(r.Pred))
	return p.AnswerBlocks >= longAnswer && p.Thread == r.Thread && p.Model == r.Model && r.Start.Sub(p.Start) <= ttl.Duration() && r.Usage.Prompt() >= s.Expected(i)
}

// unmark lets the look-back explain what long steps lost.
func (p *plan) unmark() {
	for i := range p.recorded.Requests {
		if longStep(p.recorded, i) {
			p.known.From[0][i], p.known.Seen[0][i] = player.AsTold, false
		}
	}
}

// askMark lets the client mark where its conversation went on.
func (p *plan) askMark() error {
	if !p.q.PreviousMark {
		return nil
	}
	switch e := marks(p.recorded); {
	case !e.blocks:
		return refuse(askPreviousMark, "the recording names no block positions: how many blocks answers have is not in it")
	case e.long == 0:
		return refuse(askPreviousMark, "no answer that is gone on from within the lifetime has %d blocks or more, so nothing stood out of the look-back's reach", longAnswer)
	case e.long < enough && e.full == 0:
		return refuse(askPreviousMark, "only %s with an answer of %d blocks or more lost its history, too few to tell whether the look-back did it", count(e.long, "recorded step"), longAnswer)
	case !e.lacks():
		return refuse(askPreviousMark, "the client has such a mark: %d of %s with answers of %d blocks or more read everything, which without one would be out of reach",
			e.full, count(e.long, "recorded step"), longAnswer)
	}
	p.note("an answer's tool results are as many blocks as its tool uses")
	return nil
}
