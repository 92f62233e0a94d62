package kernel

// readySet holds the processes that can run at the present instant, in order of
// arrival, in a slice whose front moves.
type readySet struct {
	procs []*Proc
	head  int
}

func (r *readySet) len() int { return len(r.procs) - r.head }

func (r *readySet) at(i int) *Proc { return r.procs[r.head+i] }

func (r *readySet) push(p *Proc) {
	if len(r.procs) == cap(r.procs) && r.head > len(r.procs)/2 {
		n := copy(r.procs, r.procs[r.head:])
		clear(r.procs[n:])
		r.procs, r.head = r.procs[:n], 0
	}
	r.procs = append(r.procs, p)
}

// take removes number i and keeps the order of the others, moving the shorter
// side.
func (r *readySet) take(i int) *Proc {
	all, at := r.procs, r.head+i
	p := all[at]
	if i <= r.len()/2 {
		copy(all[r.head+1:at+1], all[r.head:at])
		all[r.head] = nil
		r.head++
	} else {
		copy(all[at:], all[at+1:])
		all[len(all)-1] = nil
		r.procs = all[:len(all)-1]
	}
	if r.head == len(r.procs) {
		r.procs, r.head = r.procs[:0], 0
	}
	return p
}

// waitable is what a process can wait for besides the clock.
type waitable interface {
	queue() *waitList
	describe() string
}

// waitList is a list of waiting processes linked through themselves, in order of
// arrival. A process is in one list at most.
type waitList struct{ first, last *Proc }

func (l *waitList) push(p *Proc) {
	p.before, p.after = l.last, nil
	if l.last == nil {
		l.first = p
	} else {
		l.last.after = p
	}
	l.last = p
}

func (l *waitList) remove(p *Proc) {
	if p.before == nil {
		l.first = p.after
	} else {
		p.before.after = p.after
	}
	if p.after == nil {
		l.last = p.before
	} else {
		p.after.before = p.before
	}
	p.before, p.after = nil, nil
}

// wakeAll makes every process of the list ready, in order.
func (l *waitList) wakeAll() {
	for p := l.first; p != nil; p = l.first {
		p.k.wake(p)
	}
}
