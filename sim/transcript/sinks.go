package transcript

import "io"

// LineSink receives canonical lines, without line ends. The bytes are valid only
// during the call.
type LineSink interface {
	Line(line []byte)
}

// Lines is a sink that renders each event once for several line sinks.
func Lines(sinks ...LineSink) Sink { return &lines{sinks: sinks} }

type lines struct {
	sinks []LineSink
	buf   []byte
}

func (l *lines) Emit(e *Event) {
	l.buf = AppendLine(l.buf[:0], e)
	for _, s := range l.sinks {
		s.Line(l.buf)
	}
}

// Tee gives every event to each sink in order. Sinks that are nil are left out.
func Tee(sinks ...Sink) Sink {
	var t tee
	for _, s := range sinks {
		if s != nil {
			t = append(t, s)
		}
	}
	if len(t) == 1 {
		return t[0]
	}
	return t
}

type tee []Sink

func (t tee) Emit(e *Event) {
	for _, s := range t {
		s.Emit(e)
	}
}

// Text writes canonical lines to a writer.
type Text struct {
	w   io.Writer
	buf []byte
	err error
}

// NewText is a Text that writes to w, one Write for each line.
func NewText(w io.Writer) *Text { return &Text{w: w} }

// Emit writes the event's line.
func (t *Text) Emit(e *Event) {
	if t.err != nil {
		return
	}
	t.buf = append(AppendLine(t.buf[:0], e), '\n')
	_, t.err = t.w.Write(t.buf)
}

// Err is the first error of the writer; nothing is written after it.
func (t *Text) Err() error { return t.err }

// Ring keeps the last lines of a run, for reports of a crash (KRN-07).
type Ring struct {
	lines [][]byte
	n     uint64
}

// NewRing keeps the last n lines, n > 0.
func NewRing(n int) *Ring { return &Ring{lines: make([][]byte, n)} }

// Line keeps a line.
func (r *Ring) Line(line []byte) {
	at := &r.lines[r.n%uint64(len(r.lines))]
	*at = append((*at)[:0], line...)
	r.n++
}

// Last is the kept lines, oldest first.
func (r *Ring) Last() []string {
	size := uint64(len(r.lines))
	var out []string
	for i := r.n - min(r.n, size); i < r.n; i++ {
		out = append(out, string(r.lines[i%size]))
	}
	return out
}
