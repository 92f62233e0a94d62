package transcript

import (
	"encoding/binary"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// FormVersion is the version of the form of events, over which digests are. It is part
// of every digest, and grows when the form of a kind changes for events that there were
// before: not with a field that is zero in them and stands behind the others.
const FormVersion = 2

// The form of an event is its place, the name of its kind and the fields that are not
// zero, each behind its number, ended by number 0. Every value says where it ends, so
// two events that differ in what is recorded differ in their form. Texts are made of the
// form, for those who read them.

// appendForm appends an event's form.
func appendForm(dst []byte, e *Event) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, e.Seq)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.At))
	dst = binary.LittleEndian.AppendUint32(append(dst, e.Phase), uint32(e.Agent))
	dst = appendSized(dst, e.Body.Kind().String())
	return appendFields(dst, e.Body)
}

// former is a kind that writes its fields itself: one of which there are many, or one
// with fields that no tag describes.
type former interface{ appendForm(dst []byte) []byte }

func appendFields(dst []byte, b Body) []byte {
	if own, ok := b.(former); ok {
		return append(own.appendForm(dst), 0)
	}
	return append(plans[b.Kind()].appendForm(dst, b), 0)
}

func appendSized(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Those that put a field leave it out where it is zero.

func putInt[T ~int | ~int32 | ~int64 | ~uint8 | ~uint64](dst []byte, number byte, v T) []byte {
	if v == 0 {
		return dst
	}
	return binary.LittleEndian.AppendUint64(append(dst, number), uint64(v))
}

func putFlag(dst []byte, number byte, v bool) []byte {
	if !v {
		return dst
	}
	return append(dst, number)
}

func putText[T ~string](dst []byte, number byte, s T) []byte {
	if s == "" {
		return dst
	}
	return appendSized(append(dst, number), string(s))
}

func putList(dst []byte, number byte, list []string) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = binary.AppendUvarint(append(dst, number), uint64(len(list)))
	for _, s := range list {
		dst = appendSized(dst, s)
	}
	return dst
}

func putHash(dst []byte, number byte, h llm.Hash) []byte {
	if h == (llm.Hash{}) {
		return dst
	}
	return appendHashForm(append(dst, number), h)
}

func appendHashForm(dst []byte, h llm.Hash) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, h.Hi), h.Lo)
}

func putToolUse(dst []byte, number byte, id llm.ToolUseID) []byte {
	if id == (llm.ToolUseID{}) {
		return dst
	}
	return append(append(dst, number), id[:]...)
}

// putNode puts the hash of the prefix that ends with n, and how many blocks it has.
func putNode(dst []byte, number byte, n *llm.Node) []byte {
	if n == nil {
		return dst
	}
	return binary.LittleEndian.AppendUint32(appendHashForm(append(dst, number), n.Hash), uint32(n.Pos))
}

// putPos puts how many blocks the prefix has, of a prefix of one that is told.
func putPos(dst []byte, number byte, n *llm.Node) []byte {
	if n == nil {
		return dst
	}
	return binary.LittleEndian.AppendUint32(append(dst, number), uint32(n.Pos))
}

func putUsage(dst []byte, number byte, u *llm.Usage) []byte {
	if *u == (llm.Usage{}) {
		return dst
	}
	return appendUsageForm(append(dst, number), u)
}

func appendUsageForm(dst []byte, u *llm.Usage) []byte {
	for _, v := range [...]int64{u.Input, u.Write5m, u.Write1h, u.Read, u.Output} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
	}
	return dst
}

// reader reads forms, field by field in the order in which they are put. One that was
// left out is zero.
type reader struct{ rest []byte }

// has reports whether the next field is the one of a number.
func (r *reader) has(number byte) bool { return r.rest[0] == number }

func (r *reader) take(n int) []byte {
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) flag(number byte) bool {
	if !r.has(number) {
		return false
	}
	r.take(1)
	return true
}

func (r *reader) word() uint64       { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *reader) half() uint32       { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) nextHash() llm.Hash { return llm.Hash{Hi: r.word(), Lo: r.word()} }
func (r *reader) sized() []byte      { return r.take(r.size()) }

func (r *reader) size() int {
	v, n := binary.Uvarint(r.rest)
	r.take(n)
	return int(v)
}

func (r *reader) int(number byte) int64 {
	if !r.flag(number) {
		return 0
	}
	return int64(r.word())
}

func (r *reader) text(number byte) []byte {
	if !r.flag(number) {
		return nil
	}
	return r.sized()
}

// count is how many elements of a list follow.
func (r *reader) count(number byte) int {
	if !r.flag(number) {
		return 0
	}
	return r.size()
}

func (r *reader) hash(number byte) (h llm.Hash) {
	if r.flag(number) {
		h = r.nextHash()
	}
	return h
}

func (r *reader) toolUse(number byte) (id llm.ToolUseID) {
	if r.flag(number) {
		copy(id[:], r.take(len(id)))
	}
	return id
}

// place is what is told of a prefix; it is none where there was no prefix.
type place struct {
	hash llm.Hash
	pos  int32
	some bool
}

func (r *reader) node(number byte) (p place) {
	if r.flag(number) {
		p = place{r.nextHash(), int32(r.half()), true}
	}
	return p
}

func (r *reader) pos(number byte) (p place) {
	if r.flag(number) {
		p = place{pos: int32(r.half()), some: true}
	}
	return p
}

func (r *reader) usage(number byte) (u llm.Usage) {
	if r.flag(number) {
		u = r.nextUsage()
	}
	return u
}

func (r *reader) nextUsage() llm.Usage {
	var v [5]int64
	for i := range v {
		v[i] = int64(r.word())
	}
	return llm.Usage{Input: v[0], Write5m: v[1], Write1h: v[2], Read: v[3], Output: v[4]}
}

// line appends the canonical line of the event that is read.
func (r *reader) line(dst []byte) []byte {
	seq, at := r.word(), r.word()
	phase, agent := r.take(1)[0], int32(r.half())
	kind := Kind(slices.Index(kindNames[:], string(r.sized())))
	return r.fields(AppendHead(dst, seq, vtime.Instant(at), phase, agent, kind.String()), kind)
}

// fields appends the fields of a kind as ` key=value …`.
func (r *reader) fields(dst []byte, k Kind) []byte {
	dst = texts[k](dst, r)
	r.take(1) // the end
	return dst
}
