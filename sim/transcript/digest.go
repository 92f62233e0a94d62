package transcript

import (
	"encoding/hex"
	"strconv"

	"agentsim/sim/llm"

	"github.com/zeebo/xxh3"
)

// Digest is a rolling hash of a run's canonical lines: the run's identity. It is
// a Sink and a LineSink; use it as one of the two. The hash is xxh3-128, which
// tells equal runs from different ones at memory speed; it is no proof against
// someone who wants two runs to look equal.
type Digest struct {
	hash *xxh3.Hasher
	buf  []byte
	n    uint64
}

// digestChunk is how much text is gathered before it is hashed: enough that hashing is
// at memory speed.
const digestChunk = 2 << 10

// NewDigest starts a digest. The versions of the two forms, of lines and of
// request bytes, are hashed first.
func NewDigest() *Digest {
	d := &Digest{hash: xxh3.New(), buf: make([]byte, 0, 2*digestChunk)}
	d.buf = append(d.buf, "agentsim transcript "...)
	d.buf = strconv.AppendInt(d.buf, FormVersion, 10)
	d.buf = append(d.buf, " canonical form "...)
	d.buf = strconv.AppendInt(d.buf, llm.FormVersion, 10)
	d.buf = append(d.buf, '\n')
	return d
}

// Emit adds the event's line.
func (d *Digest) Emit(e *Event) {
	d.buf = AppendLine(d.buf, e)
	d.endLine()
}

// Line adds a line rendered elsewhere.
func (d *Digest) Line(line []byte) {
	d.buf = append(d.buf, line...)
	d.endLine()
}

func (d *Digest) endLine() {
	d.buf = append(d.buf, '\n')
	d.n++
	if len(d.buf) >= digestChunk {
		d.flush()
	}
}

func (d *Digest) flush() {
	d.hash.Write(d.buf)
	d.buf = d.buf[:0]
}

// Sum is the digest so far, 32 hex digits. More events may follow.
func (d *Digest) Sum() string {
	d.flush()
	b := d.hash.Sum128().Bytes()
	return hex.EncodeToString(b[:])
}

// Events is the number of lines so far.
func (d *Digest) Events() uint64 { return d.n }
