package llm

import (
	"bytes"
	"encoding/json"
	"slices"
)

// These methods find values in data that is known to be JSON; they check types,
// not syntax.

// member is one key and value of an object; at is where the key starts.
type member struct {
	key   string
	at    int
	value span
}

// fields are the values of the named members, in the order of names; the span
// of a missing one is zero. cache_control may always stand there and is passed
// over. Any other key, or one given twice, is an error.
func (p *parser) fields(v span, what string, names ...string) ([]span, error) {
	members, err := p.members(v, what)
	if err != nil {
		return nil, err
	}
	out := make([]span, len(names))
	for _, m := range members {
		if m.key == "cache_control" {
			continue
		}
		i := slices.Index(names, m.key)
		if i < 0 {
			return nil, at(m.at, "%s has no field %q in the canonical form", what, m.key)
		}
		out[i] = m.value
	}
	return out, nil
}

// members lists an object's members.
func (p *parser) members(v span, what string) ([]member, error) {
	if p.data[v.from] != '{' {
		return nil, at(v.from, "%s must be an object", what)
	}
	var out []member
	seen := map[string]bool{}
	for i := p.space(v.from + 1); p.data[i] != '}'; {
		key := p.value(i)
		val := p.value(p.space(key.to) + 1) // behind the colon
		name, err := p.text(key, "key")
		if err != nil {
			return nil, err
		}
		m := member{key: name, at: i, value: val}
		if seen[m.key] {
			return nil, at(i, "%s has %q twice", what, m.key)
		}
		seen[m.key] = true
		out = append(out, m)
		i = p.next(val.to)
	}
	return out, nil
}

// items lists an array's elements.
func (p *parser) items(v span, what string) ([]span, error) {
	if p.data[v.from] != '[' {
		return nil, at(v.from, "%s must be a list", what)
	}
	var out []span
	for i := p.space(v.from + 1); p.data[i] != ']'; {
		out = append(out, p.value(i))
		i = p.next(out[len(out)-1].to)
	}
	return out, nil
}

// text is a string value, unescaped.
func (p *parser) text(v span, what string) (s string, err error) {
	if p.data[v.from] != '"' {
		return "", at(v.from, "%s must be a string", what)
	}
	if inner := p.data[v.from+1 : v.to-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil
	}
	if err := json.Unmarshal(p.data[v.from:v.to], &s); err != nil {
		return "", at(v.from, "%s: %v", what, err)
	}
	return s, nil
}

// space is the first offset from i on that is no white space.
func (p *parser) space(i int) int {
	for i < len(p.data) && (p.data[i] == ' ' || p.data[i] == '\n' || p.data[i] == '\t' || p.data[i] == '\r') {
		i++
	}
	return i
}

// next is where the next member or element starts, or the closing bracket, when
// the one before ended at i.
func (p *parser) next(i int) int {
	if i = p.space(i); p.data[i] == ',' {
		i = p.space(i + 1)
	}
	return i
}

// value is the extent of the value that starts at i or behind white space.
func (p *parser) value(i int) span {
	i = p.space(i)
	from, depth := i, 0
	for ; i < len(p.data); i++ {
		switch p.data[i] {
		case '"':
			for i++; p.data[i] != '"'; i++ {
				if p.data[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return span{from, i + 1}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // behind a number or a word
				return span{from, i}
			}
			if depth--; depth == 0 {
				return span{from, i + 1}
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return span{from, i}
			}
		}
	}
	return span{from, i}
}
