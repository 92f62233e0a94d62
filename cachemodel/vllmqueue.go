package cachemodel

// push puts a block at the tail of the queue of free blocks.
func (p *VLLMPool) push(n int32) { p.insert(n, p.tail) }

// insert puts a block into the queue behind another, at the head behind none.
func (p *VLLMPool) insert(n, behind int32) {
	b := &p.blocks[n]
	b.before, b.after = behind, p.head
	if behind != none {
		b.after = p.blocks[behind].after
		p.blocks[behind].after = n
	} else {
		p.head = n
	}
	if b.after != none {
		p.blocks[b.after].before = n
	} else {
		p.tail = n
	}
	p.free++
}

// unlink takes a block out of the queue.
func (p *VLLMPool) unlink(n int32) {
	b := &p.blocks[n]
	if b.before != none {
		p.blocks[b.before].after = b.after
	} else {
		p.head = b.after
	}
	if b.after != none {
		p.blocks[b.after].before = b.before
	} else {
		p.tail = b.before
	}
	p.free--
}

// publish makes a full block findable. A block with the same hash stays beside
// it and, being older, is the one that is found (CACHE-84).
func (p *VLLMPool) publish(n int32, hash uint64) {
	b := &p.blocks[n]
	p.index.name(int(n), hash)
	b.hashed, b.twin, b.prior = true, n, n
	found := p.index.get(hash)
	if found < 0 {
		b.first = true
		p.index.set(int(n))
		return
	}
	first := int32(found)
	last := p.blocks[first].prior
	b.twin, b.prior = first, last
	p.blocks[last].twin, p.blocks[first].prior = n, n
}

// withdraw lets go of a block's content; the next block with the same hash is
// found from now on.
func (p *VLLMPool) withdraw(n int32) {
	b := &p.blocks[n]
	next := b.twin
	p.blocks[b.prior].twin, p.blocks[next].prior = next, b.prior
	if b.first {
		p.index.remove(int(n))
		if next != n {
			p.blocks[next].first = true
			p.index.set(int(next))
		}
	}
	b.hashed, b.first = false, false
}
