package llm

import "agentsim/sim/rng"

const hexDigits = "0123456789abcdef"

// AgentID is the number behind an agent's printed id, `a` + 16 hex digits.
type AgentID uint64

// String prints the fixed-width id.
func (id AgentID) String() string { return TaskID('a', uint64(id)) }

// TaskID prints a task's id: a type letter and 16 hex digits.
func TaskID(letter byte, n uint64) string {
	var b [17]byte
	b[0] = letter
	for i := 16; i >= 1; i-- {
		b[i] = hexDigits[n&15]
		n >>= 4
	}
	return string(b[:])
}

// ToolUseID is the number behind a tool use's printed id, `toolu_` + 24 hex
// digits. The zero value is no id.
type ToolUseID [12]byte

// NewToolUseID draws the id that belongs to a key.
func NewToolUseID(k rng.Key) ToolUseID {
	hi, lo := k.Bytes128()
	var id ToolUseID
	for i := 0; i < 8; i++ {
		id[i] = byte(hi >> (8 * i))
	}
	for i := 0; i < 4; i++ {
		id[8+i] = byte(lo >> (8 * i))
	}
	if id == (ToolUseID{}) {
		id[0] = 1
	}
	return id
}

// AppendText appends the fixed-width id to dst.
func (id ToolUseID) AppendText(dst []byte) []byte {
	dst = append(dst, "toolu_"...)
	for _, b := range id {
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

// String prints the fixed-width id.
func (id ToolUseID) String() string { return string(id.AppendText(nil)) }

// ParseToolUseID reads String's form; ok is false for anything else.
func ParseToolUseID(s string) (id ToolUseID, ok bool) {
	if len(s) != 6+24 || s[:6] != "toolu_" {
		return id, false
	}
	for i := range id {
		hi, ok1 := unhex(s[6+2*i])
		lo, ok2 := unhex(s[7+2*i])
		if !ok1 || !ok2 {
			return ToolUseID{}, false
		}
		id[i] = hi<<4 | lo
	}
	return id, true
}

func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}
