package team

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// MaxMail bounds the text of one message, in bytes: what is longer belongs into a file.
const MaxMail = 1 << 20

// Mail is a message as it lies in a mailbox.
type Mail struct {
	From string
	N    int // its number among the sender's to this receiver, from 1
	Kind MailKind
	Text string // of a structured message, its JSON
}

// line is a mail in the file. Sum is over all lines up to this one.
type line struct {
	From string   `json:"from"`
	N    int      `json:"n"`
	Kind MailKind `json:"kind,omitempty"`
	Text string   `json:"text"`
	Sum  string   `json:"sum"`
}

// Box is a mailbox: a file to which senders append a line for each mail, and a reader
// who remembers how far it has read.
type Box struct {
	of      string
	file    []byte
	written progress // of those who append
	read    progress // of the reader
}

// progress is how far in the file someone is.
type progress struct {
	offset, lines int
	sum           string
	counts        map[string]int // mails by sender
	lined         map[string]int // where the line of a sum begins
}

// NewBox makes an empty mailbox.
func NewBox(of string) *Box { return OpenBox(of, nil) }

// OpenBox is the mailbox of a file of which nothing has been read. What is wrong with
// the file is told by Read and Append.
func OpenBox(of string, file []byte) *Box {
	fresh := func() progress { return progress{counts: map[string]int{}, lined: map[string]int{}} }
	b := &Box{of: of, file: bytes.Clone(file), written: fresh(), read: fresh()}
	return b
}

// Of is whose it is.
func (b *Box) Of() string { return b.of }

// Problem is what is wrong with the file of a mailbox, and where.
type Problem struct {
	Box  string // whose it is
	Line int    // from 1
	What string
}

// Error names the place.
func (p *Problem) Error() string {
	return fmt.Sprintf("mailbox of %s, line %d: %s", p.Box, p.Line, p.What)
}

// Append adds a mail. A text that is too long is refused, and so is every mail to a
// mailbox that somebody else has written to.
func (b *Box) Append(from string, kind MailKind, text string) (Mail, error) {
	if len(text) > MaxMail {
		return Mail{}, fmt.Errorf("a message has at most %d bytes, and this one has %d: write it to a file and send its path", MaxMail, len(text))
	}
	if _, err := b.written.take(b.of, b.file); err != nil {
		return Mail{}, err
	}
	w := &b.written
	m := Mail{From: from, N: w.counts[from] + 1, Kind: kind, Text: strings.ToValidUTF8(text, "�")}
	sum := m.sum(w.sum)
	b.file = m.append(b.file, sum)
	w.passed(m, sum, len(b.file))
	return m, nil
}

// Read returns what was appended since it was last called, in order; what was delivered
// twice, once. Where the file is cut off or forged it returns what stands in front and a
// *Problem, now and from then on.
func (b *Box) Read() ([]Mail, error) { return b.read.take(b.of, b.file) }

// take reads on to the end of a file.
func (p *progress) take(of string, file []byte) (out []Mail, err error) {
	for p.offset < len(file) {
		raw, _, whole := bytes.Cut(file[p.offset:], []byte("\n"))
		wrong := func(what string) ([]Mail, error) { return out, &Problem{of, p.lines + 1, what} }
		if !whole {
			return wrong("it is cut off")
		}
		var l line
		if err := json.Unmarshal(raw, &l, json.RejectUnknownMembers(true)); err != nil {
			return wrong("it is no mail: " + err.Error())
		}
		end := p.offset + len(raw) + 1
		if first, ok := p.lined[l.Sum]; ok && bytes.HasPrefix(file[first:], file[p.offset:end]) {
			p.lines, p.offset = p.lines+1, end // delivered twice
			continue
		}
		m := Mail{l.From, l.N, l.Kind, l.Text}
		sum := m.sum(p.sum)
		switch want := p.counts[l.From] + 1; {
		case l.N != want:
			return wrong(fmt.Sprintf("it is mail %d of %s where %d is next", l.N, l.From, want))
		case !bytes.Equal(m.append(nil, sum), file[p.offset:end]):
			return wrong("it was not written by a member of the team: its sum is another")
		}
		p.passed(m, sum, end)
		out = append(out, m)
	}
	return out, nil
}

// passed counts a mail whose line has a sum and ends at an offset.
func (p *progress) passed(m Mail, sum string, end int) {
	p.counts[m.From]++
	p.lined[sum] = p.offset
	p.sum, p.lines, p.offset = sum, p.lines+1, end
}

// sum is that of the mail's line behind one with a sum.
func (m Mail) sum(before string) string {
	h := fnv.New64a()
	for _, s := range []string{before, "\x00", m.From, "\x00", strconv.Itoa(m.N), "\x00", string(m.Kind), "\x00", m.Text} {
		io.WriteString(h, s)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// append appends the mail's line.
func (m Mail) append(to []byte, sum string) []byte {
	line, err := json.Marshal(line{m.From, m.N, m.Kind, m.Text, sum}, json.Deterministic(true))
	if err != nil {
		panic("team: " + err.Error()) // strings and a number
	}
	return append(append(to, line...), '\n')
}
