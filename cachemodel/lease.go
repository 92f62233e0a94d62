package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Lifetimes without walking the history (CON-10, CACHE-22).
//
// A use of a prefix is a use of every shorter prefix of it. Among the entries of
// one lifetime a shorter prefix therefore never expires before a longer one, so
// only entries with nothing longer below them are watched. Entries of the other
// lifetime do not follow from this; a use is noted once for each lifetime, at the
// nearest entry that has it.

// ttlClasses is the number of lifetimes.
const ttlClasses = 2

// class is what the store knows of one lifetime.
type class struct {
	life vtime.Duration // late expiry included
	live int            // leases
	gen  uint32         // counts leases that came to stand above others
}

// lease is an entry of one lifetime at a place.
type lease struct {
	on     bool
	kids   int32         // leases of the same lifetime right below
	gen    uint32        // up holds while this is the class's
	up     *place        // nearest place above with such a lease, as last asked
	use    vtime.Instant // last settled use that was noted here
	latest *use          // uses on their way, latest first
	due    vtime.Instant // when the heap asks for it next; 0 if it does not
}

// use is a refresh by a request whose response has not begun.
type use struct {
	of           *Admission
	at           *place // nil when it is noted nowhere
	older, newer *use
}

func (s *store) above(p *place, c llm.TTL) *place {
	l, gen := &p.lease[c], s.classes[c].gen
	if l.gen == gen && (l.up == nil || l.up.lease[c].on) {
		return l.up
	}
	up := p.parent
	for up != nil && !up.lease[c].on {
		if o := &up.lease[c]; o.gen == gen && (o.up == nil || o.up.lease[c].on) {
			up = o.up
			break
		}
		up = up.parent
	}
	l.up, l.gen = up, gen
	return up
}

// nearest is p, or the nearest place above it, that has a lease of the class.
func (s *store) nearest(p *place, c llm.TTL) *place {
	if p.lease[c].on {
		return p
	}
	return s.above(p, c)
}

// put makes an entry at p if none stands there; touch renews.
func (s *store) put(p *place, c llm.TTL, start vtime.Instant) {
	l := &p.lease[c]
	if l.on {
		return
	}
	up := s.above(p, c)
	l.on, l.use, l.kids = true, start, 0
	s.classes[c].live++
	if p.first != nil {
		s.classes[c].gen++
	}
	s.adopt(p, p, c, up)
	if up != nil {
		up.lease[c].kids += 1 - l.kids
	}
	s.watch(p, c)
}

// adopt counts the leases below an entry that came to stand in the middle, and
// takes over the uses that were noted above it for want of it. It looks at from
// and below, no further than to leases of the class.
func (s *store) adopt(p, from *place, c llm.TTL, up *place) {
	l := &p.lease[c]
	if o := &from.lease[1-c]; o.on {
		l.use = max(l.use, o.use)
		for u := o.latest; u != nil; u = u.older {
			if mine := &u.of.uses[c]; mine.at == up {
				s.drop(mine)
				s.note(mine, p, c)
			}
		}
	}
	for k := from.first; k != nil; k = k.next {
		if k.lease[c].on {
			l.kids++
			continue
		}
		s.adopt(p, k, c, up)
	}
}

// touch notes a settled use of the prefix that ends at p.
func (s *store) touch(p *place, start vtime.Instant) {
	for c := range s.classes {
		if s.classes[c].live == 0 {
			continue
		}
		if q := s.nearest(p, llm.TTL(c)); q != nil {
			q.lease[c].use = max(q.lease[c].use, start)
		}
	}
}

// expire ends an entry. Its uses need not pass up: by the time they let it go
// they hold nothing of the same lifetime either.
func (s *store) expire(p *place, c llm.TTL) {
	l, up := &p.lease[c], s.above(p, c)
	l.on = false
	s.classes[c].live--
	for l.latest != nil {
		s.drop(l.latest)
	}
	if up != nil {
		up.lease[c].kids--
		s.watch(up, c)
	}
	s.prune(p)
}

// note puts u among the uses on their way at p, in order of their start.
func (s *store) note(u *use, p *place, c llm.TTL) {
	l := &p.lease[c]
	var newer *use
	older := l.latest
	for older != nil && older.of.Start > u.of.Start {
		newer, older = older, older.older
	}
	u.at, u.older, u.newer = p, older, newer
	if older != nil {
		older.newer = u
	}
	if newer != nil {
		newer.older = u
	} else {
		l.latest = u
	}
}

// drop takes u out of the uses on their way.
func (s *store) drop(u *use) {
	if u.at == nil {
		return
	}
	c := u.class()
	if u.older != nil {
		u.older.newer = u.newer
	}
	if u.newer != nil {
		u.newer.older = u.older
	} else {
		u.at.lease[c].latest = u.older
	}
	u.at, u.older, u.newer = nil, nil, nil
}

// class is the lifetime u is a refresh of.
func (u *use) class() llm.TTL {
	if u == &u.of.uses[llm.TTL5m] {
		return llm.TTL5m
	}
	return llm.TTL1h
}

// refresh notes, for each lifetime, that a's request uses the prefix at p.
func (s *store) refresh(p *place, a *Admission) {
	for c := range s.classes {
		u := &a.uses[c]
		u.of, u.at = a, nil
		if s.classes[c].live == 0 {
			continue
		}
		if q := s.nearest(p, llm.TTL(c)); q != nil {
			s.note(u, q, llm.TTL(c))
		}
	}
}

// confirm makes a's refreshes final.
func (s *store) confirm(a *Admission) {
	for c := range a.uses {
		u := &a.uses[c]
		if p := u.at; p != nil {
			p.lease[c].use = max(p.lease[c].use, a.Start)
			s.drop(u)
		}
	}
}

// undo takes a's refreshes back.
func (s *store) undo(a *Admission) {
	for c := range a.uses {
		u := &a.uses[c]
		if p := u.at; p != nil {
			s.drop(u)
			s.watch(p, llm.TTL(c))
		}
	}
}

// expiry is the last instant at which the entry is alive by the uses noted at
// it; a longer entry below may keep it alive beyond.
func (s *store) expiry(l *lease, c llm.TTL) vtime.Instant {
	last := l.use
	if l.latest != nil {
		last = max(last, l.latest.of.Start)
	}
	return last.Add(s.classes[c].life)
}

// within reports whether an entry at p, or one behind it, lives at an instant.
func (s *store) within(p *place, at vtime.Instant) bool {
	for c := range p.lease {
		if l := &p.lease[c]; l.on && at <= s.expiry(l, llm.TTL(c)) {
			return true
		}
	}
	for k := p.first; k != nil; k = k.next {
		if s.within(k, at) {
			return true
		}
	}
	return false
}

// watch sees to it that the heap asks for an entry with nothing below it in
// time.
func (s *store) watch(p *place, c llm.TTL) {
	l := &p.lease[c]
	if !l.on || l.kids > 0 {
		return
	}
	if at := s.expiry(l, c); l.due == 0 || at < l.due {
		l.due = at
		s.due.push(dueItem{at, p, c})
	}
}

// sweep ends every entry that has expired before now.
func (s *store) sweep(now vtime.Instant) {
	for len(s.due) > 0 && s.due[0].at < now {
		it := s.due.pop()
		l := &it.place.lease[it.class]
		if l.due != it.at {
			continue
		}
		l.due = 0
		if l.on && l.kids == 0 && s.expiry(l, it.class) < now {
			s.expire(it.place, it.class)
		} else {
			s.watch(it.place, it.class)
		}
	}
}
