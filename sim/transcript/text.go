package transcript

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// FormVersion is the version of the canonical text. It is part of every digest
// and grows when a kind's text changes.
const FormVersion = 1

// AppendLine appends the event's canonical line, without a line end:
//
//	seq instant phase agent kind key=value …
//
// The agent is its ordinal, or - for the run itself.
func AppendLine(dst []byte, e *Event) []byte {
	dst = AppendHead(dst, e.Seq, e.At, e.Phase, e.Agent, e.Body.Kind().String())
	return AppendText(dst, e.Body)
}

// AppendHead appends the five words with which every line begins.
func AppendHead(dst []byte, seq uint64, at vtime.Instant, phase uint8, agent int32, kind string) []byte {
	dst = strconv.AppendUint(dst, seq, 10)
	dst = append(dst, ' ')
	dst = at.AppendText(dst)
	dst = append(dst, ' ', '0'+phase, ' ')
	dst = appendAgent(dst, agent)
	dst = append(dst, ' ')
	return append(dst, kind...)
}

func appendAgent(dst []byte, agent int32) []byte {
	if agent < 0 {
		return append(dst, '-')
	}
	return strconv.AppendInt(dst, int64(agent), 10)
}

// The helpers below take the key as it stands in the text, " key=". Those named
// opt leave an empty value out.

func appendInt[T ~int | ~int32 | ~int64](dst []byte, key string, v T) []byte {
	dst = append(dst, key...)
	return strconv.AppendInt(dst, int64(v), 10)
}

func optInt[T ~int | ~int32 | ~int64](dst []byte, key string, v T) []byte {
	if v == 0 {
		return dst
	}
	return appendInt(dst, key, v)
}

func optFlag(dst []byte, key string, v bool) []byte {
	if !v {
		return dst
	}
	dst = append(dst, key...)
	return append(dst, "true"...)
}

func appendStr(dst []byte, key, s string) []byte {
	dst = append(dst, key...)
	return appendValue(dst, s)
}

func optStr(dst []byte, key, s string) []byte {
	if s == "" {
		return dst
	}
	return appendStr(dst, key, s)
}

func appendInstant(dst []byte, key string, t vtime.Instant) []byte {
	dst = append(dst, key...)
	return t.AppendText(dst)
}

func optDuration(dst []byte, key string, d vtime.Duration) []byte {
	if d == 0 {
		return dst
	}
	return appendInstant(dst, key, vtime.Instant(d))
}

// optHash prints the hash of the prefix that ends with n.
func optHash(dst []byte, key string, n *llm.Node) []byte {
	if n == nil {
		return dst
	}
	return appendHash(dst, key, n.Hash)
}

func appendHash(dst []byte, key string, h llm.Hash) []byte {
	dst = append(dst, key...)
	return h.AppendText(dst)
}

// appendHex appends the 16 digits of v.
func appendHex(dst []byte, v uint64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return hex.AppendEncode(dst, b[:])
}

// optPos prints the position at which n ends.
func optPos(dst []byte, key string, n *llm.Node) []byte {
	if n == nil {
		return dst
	}
	return appendInt(dst, key, n.Pos)
}

func optToolUse(dst []byte, key string, id llm.ToolUseID) []byte {
	if id == (llm.ToolUseID{}) {
		return dst
	}
	dst = append(dst, key...)
	return id.AppendText(dst)
}

func appendUsage(dst []byte, u *llm.Usage) []byte {
	dst = appendInt(dst, " input=", u.Input)
	dst = optInt(dst, " write_5m=", u.Write5m)
	dst = optInt(dst, " write_1h=", u.Write1h)
	dst = optInt(dst, " read=", u.Read)
	return appendInt(dst, " output=", u.Output)
}
