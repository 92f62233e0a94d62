package transcript

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"agentsim/sim/llm"

	"github.com/zeebo/xxh3"
)

// Digest is a rolling hash of the forms of a run's events: the run's identity. It is a
// Sink. The hash is xxh3-128, which tells equal runs from different ones at memory
// speed; it is no proof against someone who wants two runs to look equal.
type Digest struct {
	hash   *xxh3.Hasher
	forms  []byte // of the events since the last chunk
	hashed int    // how many of these bytes
	events int    // in forms
	before []byte // the chunk in front of that
	n      uint64
}

// A chunk is hashed when it has so many bytes, enough that hashing is at memory speed,
// and so many events: those that a report of a crash shows.
const (
	chunkBytes = 2 << 10
	lastEvents = 30
)

// NewDigest starts a digest. The versions of the two forms, of events and of request
// bytes, are hashed first.
func NewDigest() *Digest {
	d := &Digest{hash: xxh3.New(), forms: make([]byte, 0, 2*chunkBytes), before: make([]byte, 0, 2*chunkBytes)}
	fmt.Fprintf(d.hash, "agentsim events %d requests %d\n", FormVersion, llm.FormVersion)
	return d
}

// Emit adds the event.
func (d *Digest) Emit(e *Event) {
	d.forms = appendForm(d.forms, e)
	d.n++
	if d.events++; len(d.forms) >= chunkBytes && d.events >= lastEvents {
		d.flush()
		d.forms, d.before, d.hashed, d.events = d.before[:0], d.forms, 0, 0
	}
}

func (d *Digest) flush() {
	d.hash.Write(d.forms[d.hashed:])
	d.hashed = len(d.forms)
}

// Sum is the digest so far: the version of the form and 32 hex digits, such as
// 2:883eecda3f5eb0b03c4a75bdf217204e. More events may follow.
func (d *Digest) Sum() string {
	d.flush()
	b := d.hash.Sum128().Bytes()
	return strconv.Itoa(FormVersion) + ":" + hex.EncodeToString(b[:])
}

// Events is the number of events so far.
func (d *Digest) Events() uint64 { return d.n }

// Last is the lines of the last events, oldest first, for reports of a crash (KRN-07).
func (d *Digest) Last() (lines []string) {
	for _, forms := range [][]byte{d.before, d.forms} {
		for r := (reader{forms}); len(r.rest) > 0; {
			lines = append(lines, string(r.line(nil)))
		}
	}
	return lines[max(0, len(lines)-lastEvents):]
}

// OtherForm says in one sentence why a digest cannot be that of a run of this program;
// "" where it can.
func OtherForm(digest string) string {
	version, _, found := strings.Cut(digest, ":")
	switch n, err := strconv.Atoi(version); {
	case !found && len(digest) == 32:
		return fmt.Sprintf("its digest is over the text of its events (form 1), and this program's are over their fields (form %d)", FormVersion)
	case found && err == nil && n != FormVersion:
		return fmt.Sprintf("its digest is over events of form %d, and this program's are over those of form %d", n, FormVersion)
	}
	return ""
}
