package wire

import "agentsim/sim/llm"

// Seen are tools, system prompts and messages of bodies that were read with the same Options,
// and the blocks that they are, so that a conversation's next request, which repeats
// them, takes only what is new apart. It keeps at most MaxBytes of their text. The zero
// value has seen none.
type Seen struct {
	bytes  int
	blocks [llm.Messages + 1]map[string][]seenBlock // by their text
}

// seenBlock is a block of a value and where its parts are in it.
type seenBlock struct {
	role          llm.Role
	block         *llm.Block
	written, mark span
	part          int
}

// span is a part of a value's text; of no part both are 0.
type span struct{ from, to int }

func (v value) span(part value) span {
	if part.text == nil {
		return span{}
	}
	return span{part.at - v.at, part.at - v.at + len(part.text)}
}

func (v value) cut(s span) value {
	if s.to == 0 {
		return value{}
	}
	return value{v.text[s.from:s.to], v.at + s.from}
}

// once reads a value of a level, or appends the blocks of one that was seen. A value
// that did more than to append blocks is read each time.
func (p *parser) once(level llm.Level, v value, read func()) {
	seen := p.opt.Seen
	if seen == nil || p.err != nil {
		read()
		return
	}
	if blocks, ok := seen.blocks[level][string(v.text)]; ok {
		for _, b := range blocks {
			p.written, p.spot.part = v.cut(b.written), b.part
			p.append(b.role, b.block, v.cut(b.mark))
		}
		return
	}
	p.reading, p.appended, p.alone = v, nil, false
	if read(); !p.alone && p.err == nil {
		seen.keep(level, string(v.text), p.appended)
	}
}

// keep keeps the blocks of a text, and nothing before it where that is too much.
func (s *Seen) keep(level llm.Level, text string, blocks []seenBlock) {
	if s.bytes += len(text); s.bytes > MaxBytes {
		*s = Seen{bytes: len(text)}
	}
	if s.blocks[level] == nil {
		s.blocks[level] = map[string][]seenBlock{}
	}
	s.blocks[level][text] = blocks
}
