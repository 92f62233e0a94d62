package whatif

import (
	"fmt"

	"agentsim/cachemodel"
)

// askModel gives threads another model, its tokens counted its way.
func (p *plan) askModel() error {
	if !p.q.models() {
		return nil
	}
	crossed, same := 0, true
	for i := range p.session.Requests {
		r := &p.session.Requests[i]
		id := p.q.Model[p.kind(r)]
		if id == "" {
			continue
		}
		to, err := cachemodel.LookupBillable(id)
		if err != nil {
			return refuse(askModel+" "+id, "%s", err)
		}
		from := profile(r.Model)
		same = same && to == from
		if p.opt.Tokenizer(from.ID) != p.opt.Tokenizer(to.ID) {
			if p.q.Factor == 0 {
				return refuse(askModel+" "+id, "it counts tokens otherwise than %s, by about 30 %% and by content, which the recording's counts do not tell: "+
					"give %s, such as %s", r.Model, askFactor, p.typicalFactor(to))
			}
			crossed++
			p.scale(i)
		}
		r.Model = to.Pinned()
	}
	switch {
	case same:
		return refuse(askModel, "every request it concerns uses that model already")
	case p.q.Factor != 0 && crossed == 0:
		return refuse(askFactor, "the models count tokens alike, so there is nothing to convert")
	}
	p.noteModel(crossed)
	return nil
}

// typicalFactor is what people measured on mixed content: models from 4.7 on
// count some 30 % more.
func (p *plan) typicalFactor(to *cachemodel.Profile) string {
	if p.opt.Tokenizer(to.ID) == p.opt.Tokenizer("claude-opus-4-7") {
		return "1.3"
	}
	return "0.77"
}

// scale counts request i's tokens by the question's factor.
func (p *plan) scale(i int) {
	r := &p.session.Requests[i]
	f := func(n int64) int64 { return (n*p.q.Factor + 500) / 1000 }
	n, prompt := f(size(r)), f(r.Usage.Prompt())
	resize(r, n, prompt-n)
	r.Usage.Output = f(r.Usage.Output)
	p.given.Static[0][i] = f(p.given.Static[0][i])
}

func (p *plan) noteModel(crossed int) {
	if crossed > 0 {
		p.note("the other tokenizer counts %d.%03d tokens for each recorded one, of %d requests, whatever they hold", p.q.Factor/1000, p.q.Factor%1000, crossed)
	}
	p.note("the other model would have answered the same, in as many steps")
	strips := [2]bool{}
	for i := range p.session.Requests {
		strips[0] = strips[0] || profile(p.recorded.Requests[i].Model).StripsThinking
		strips[1] = strips[1] || profile(p.session.Requests[i].Model).StripsThinking
	}
	if strips[0] != strips[1] {
		p.note("one of the models drops earlier thinking at a user turn and the other does not: the prompts are as long as recorded all the same")
	}
}

// note adds an assumption of the question.
func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// askLifetime gives threads another lifetime.
func (p *plan) askLifetime() error {
	if !p.q.lifetimes() {
		return nil
	}
	touched, same := false, true
	for i := range p.asks {
		if l := p.q.Lifetime[p.kind(&p.recorded.Requests[i])]; l.Set {
			touched, same = true, same && p.asks[i].ttl == l.TTL
			p.asks[i].ttl = l.TTL
		}
	}
	switch {
	case !touched:
		return refuse(askLifetime, "the recording has no thread of that kind")
	case same:
		return refuse(askLifetime, "every request it concerns asks for that TTL already")
	}
	return nil
}
