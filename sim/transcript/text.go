package transcript

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// AppendLine appends the event's canonical line, without a line end:
//
//	seq instant phase agent kind key=value …
//
// The agent is its ordinal, or - for the run itself.
func AppendLine(dst []byte, e *Event) []byte {
	dst = AppendHead(dst, e.Seq, e.At, e.Phase, e.Agent, e.Body.Kind().String())
	return AppendText(dst, e.Body)
}

// AppendText appends the canonical fields of an event's body as ` key=value …`, made of
// its form.
func AppendText(dst []byte, b Body) []byte {
	n := len(dst)
	dst = appendFields(dst, b)
	return behind(dst, n, func(dst []byte, r *reader) []byte { return r.fields(dst, b.Kind()) })
}

// behind puts a text in the place of the form that it is made of, which is all of dst
// from n on.
func behind(dst []byte, n int, text func(dst []byte, r *reader) []byte) []byte {
	form := len(dst)
	dst = text(dst, &reader{dst[n:]})
	return append(dst[:n], dst[form:]...)
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

func appendStr[T string | []byte](dst []byte, key string, s T) []byte {
	dst = append(dst, key...)
	return appendValue(dst, s)
}

func optStr[T string | []byte](dst []byte, key string, s T) []byte {
	if len(s) == 0 {
		return dst
	}
	return appendStr(dst, key, s)
}

func appendInstant(dst []byte, key string, t int64) []byte {
	dst = append(dst, key...)
	return vtime.Instant(t).AppendText(dst)
}

func optDuration(dst []byte, key string, d int64) []byte {
	if d == 0 {
		return dst
	}
	return appendInstant(dst, key, d)
}

// optHash prints the hash of a prefix.
func optHash(dst []byte, key string, p place) []byte {
	if !p.some {
		return dst
	}
	return p.hash.AppendText(append(dst, key...))
}

// appendHex appends the 16 digits of v.
func appendHex(dst []byte, v uint64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return hex.AppendEncode(dst, b[:])
}

// optPos prints the position at which a prefix ends.
func optPos(dst []byte, key string, p place) []byte {
	if !p.some {
		return dst
	}
	return appendInt(dst, key, p.pos)
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
