package transcript

import "io"

// Tee gives every event to each sink in order. Sinks that are nil are left out.
func Tee(sinks ...Sink) Sink {
	t := &tee{}
	for _, s := range sinks {
		if s == nil {
			continue
		}
		if inner, ok := s.(*tee); ok {
			t.sinks, t.leaders = append(t.sinks, inner.sinks...), append(t.leaders, inner.leaders...)
			continue
		}
		t.sinks = append(t.sinks, s)
		if l, ok := s.(Leader); ok {
			t.leaders = append(t.leaders, l)
		}
	}
	if len(t.sinks) == 1 {
		return t.sinks[0]
	}
	return t
}

type tee struct {
	sinks   []Sink
	leaders []Leader // of them
}

func (t *tee) Emit(e *Event) {
	for _, s := range t.sinks {
		s.Emit(e)
	}
}

// Lead implements Leader.
func (t *tee) Lead(agent int32) {
	for _, l := range t.leaders {
		l.Lead(agent)
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
