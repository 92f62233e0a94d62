package wire

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Place is the byte of a block as it is written (Body.Written) that stands where byte at
// of its canonical JSON (llm.Block.AppendJSON) does, whatever the order of its keys, its
// white space, its escapes and its mark. Where that byte is written nowhere it is that
// of the key or the bracket behind it.
func Place(canonical, written []byte, at int) int {
	p := &parser{}
	return p.place(value{canonical, 0}, value{written, 0}, at)
}

func (p *parser) place(c, w value, at int) int {
	switch open := [2]byte{c.text[0], w.text[0]}; {
	case at <= c.at:
		return w.at
	case bytes.Equal(c.text, w.text):
		return w.at + at - c.at
	case open == [2]byte{'{', '{'}:
		return p.inObject(c, w, at)
	case open == [2]byte{'[', '['}:
		return p.inList(c, w, at)
	case open == [2]byte{'"', '"'}:
		return w.at + inString(c.text, w.text, at-c.at)
	case open == [2]byte{'{', '"'}: // a string is one text block
		if text, ok := p.member(c, "text"); ok {
			return p.place(text, w, at)
		}
	case open == [2]byte{'"', '['}: // a list of one text block is its string
		if items := p.items(w, ""); len(items) > 0 && items[0].text[0] == '{' {
			if text, ok := p.member(items[0], "text"); ok {
				return p.place(c, text, at)
			}
		}
	}
	return w.at
}

// inObject is place where both are objects.
func (p *parser) inObject(c, w value, at int) int {
	parts := p.members(c, "")
	written := p.members(w, "")
	for _, part := range parts {
		if at >= part.value.at+len(part.text) {
			continue
		}
		i := slices.IndexFunc(written, func(m member) bool { return m.key == part.key })
		if part.key == "thinking" && part.text[0] == '"' { // what was signed
			said := func(m member) bool {
				return m.key != "type" && m.text[0] == '"' && unquoted(m.value) == unquoted(part.value)
			}
			if signed := slices.IndexFunc(written, said); signed >= 0 {
				i = signed
			}
		}
		switch {
		case i < 0:
			return w.at + len(w.text) - 1
		case at < part.value.at:
			return written[i].at
		}
		return p.place(part.value, written[i].value, at)
	}
	return w.at + len(w.text) - 1
}

// inList is place where both are lists.
func (p *parser) inList(c, w value, at int) int {
	parts := p.items(c, "")
	written := p.items(w, "")
	for i, part := range parts {
		if at < part.at+len(part.text) && i < len(written) {
			return p.place(part, written[i], at)
		}
	}
	return w.at + len(w.text) - 1
}

// member is what an object holds under a key.
func (p *parser) member(v value, key string) (value, bool) {
	for _, m := range p.members(v, "") {
		if m.key == key {
			return m.value, true
		}
	}
	return value{}, false
}

// inString is where the character at a byte of a JSON string stands in one of the same
// text with other escapes.
func inString(c, w []byte, at int) int {
	i, j := 0, 0
	for j < len(w)-1 {
		n := character(c[i:])
		if i+n > at {
			break
		}
		i, j = i+n, j+character(w[j:])
	}
	return j
}

// character is the length of the first character of a JSON string's inside, or of its
// quote.
func character(s []byte) int {
	_, n := utf8.DecodeRune(s)
	switch {
	case s[0] != '\\':
		return n
	case s[1] != 'u':
		return 2
	case len(s) >= 12 && (s[2] == 'd' || s[2] == 'D') && bytes.IndexByte([]byte("89abAB"), s[3]) >= 0 && s[6] == '\\':
		return 12 // two halves
	}
	return 6
}
