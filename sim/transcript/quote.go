package transcript

import (
	"encoding/hex"
	"unicode/utf8"
)

// plain marks the bytes that may stand in a value without quotes.
var plain = func() (t [256]bool) {
	for c := '!'; c <= '~'; c++ {
		t[c] = c != '"' && c != '\\' && c != '=' && c != ','
	}
	return t
}()

func isPlain[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if !plain[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

// appendValue appends s as it is if all of it is plain, else in quotes.
func appendValue[T string | []byte](dst []byte, s T) []byte {
	if isPlain(s) {
		return append(dst, s...)
	}
	return appendQuoted(dst, string(s))
}

// appendQuoted escapes what could end the value or the line: quote, backslash,
// control characters and bytes that are no UTF-8. The table is our own, so that
// no release of a library can change a digest.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < ' ' || c == 0x7f:
			dst = appendByte(dst, c)
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			n := runeLen(s[i:])
			if n == 1 {
				dst = appendByte(dst, c)
			} else {
				dst = append(dst, s[i:i+n]...)
			}
			i += n - 1
		}
	}
	return append(dst, '"')
}

func appendByte(dst []byte, c byte) []byte {
	return hex.AppendEncode(append(dst, '\\', 'x'), []byte{c})
}

// runeLen is the length of the character that s begins with; 1 for a byte that
// begins none.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
