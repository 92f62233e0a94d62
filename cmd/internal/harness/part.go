package harness

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// PartWriter writes outcomes one after the other as they travel.
type PartWriter struct {
	out bytes.Buffer
	zip *gzip.Writer
	to  *gob.Encoder
	n   int
}

// NewPart begins one.
func NewPart() *PartWriter {
	w := &PartWriter{}
	w.zip, _ = gzip.NewWriterLevel(&w.out, gzip.BestSpeed) // a level that there is
	w.to = gob.NewEncoder(w.zip)
	return w
}

// Add adds an outcome.
func (w *PartWriter) Add(o *Outcome) {
	if err := w.to.Encode(o); err != nil {
		panic("an outcome cannot be sent: " + err.Error()) // its types decide that
	}
	w.n++
}

// Len is how many there are.
func (w *PartWriter) Len() int { return w.n }

// Size is how many bytes they take, but for the last ones that are not packed yet.
func (w *PartWriter) Size() int { return w.out.Len() }

// Bytes ends the part.
func (w *PartWriter) Bytes() []byte {
	_ = w.zip.Close() // a buffer takes all
	return w.out.Bytes()
}

// maxPart bounds what a part may come to when it is unpacked.
const maxPart = 1 << 30

// ReadPart reads the outcomes of a part.
func ReadPart(b []byte) (out []*Outcome, err error) {
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("results cannot be read: %w", err)
	}
	from := gob.NewDecoder(io.LimitReader(zip, maxPart))
	for {
		o := &Outcome{}
		switch err := from.Decode(o); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("results cannot be read: %w", err)
		}
		out = append(out, o)
	}
}
