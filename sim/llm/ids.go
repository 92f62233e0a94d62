package llm

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"agentsim/sim/rng"
)

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
	binary.LittleEndian.PutUint64(id[:], hi)
	binary.LittleEndian.PutUint32(id[8:], uint32(lo))
	if id == (ToolUseID{}) {
		id[0] = 1
	}
	return id
}

// AppendText appends the fixed-width id to dst.
func (id ToolUseID) AppendText(dst []byte) []byte {
	dst = append(dst, "toolu_"...)
	for i := 0; i < len(id); i += 4 {
		dst = binary.LittleEndian.AppendUint64(dst, hexOf(binary.LittleEndian.Uint32(id[i:])))
	}
	return dst
}

// hexOf is four bytes as eight digits in one word: each nibble has a byte, in which
// '0' is added, and from ten on what lies between '9' and 'a'.
func hexOf(b uint32) uint64 {
	x := uint64(b)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x>>4 | x<<8) & 0x0f0f0f0f0f0f0f0f
	return x + 0x3030303030303030 + (x+0x0606060606060606)>>4&0x0101010101010101*('a'-'9'-1)
}

// String prints the fixed-width id.
func (id ToolUseID) String() string { return string(id.AppendText(nil)) }

// ParseToolUseID reads String's form; ok is false for anything else.
func ParseToolUseID(s string) (id ToolUseID, ok bool) {
	digits, ok := strings.CutPrefix(s, "toolu_")
	return id, ok && unhex(id[:], digits)
}

// unhex reads lower-case hex digits, as many as dst takes; else it returns false and
// clears dst.
func unhex(dst []byte, s string) bool {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(dst) || strings.ToLower(s) != s {
		clear(dst)
		return false
	}
	copy(dst, b)
	return true
}
