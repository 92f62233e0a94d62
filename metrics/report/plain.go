package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The control sequences of our own: see Style.Bold and Style.Paint.
const (
	boldOn    = "\x1b[1m"
	greenOn   = "\x1b[32m"
	redOn     = "\x1b[31m"
	colourOff = "\x1b[0m"
)

// ours is the sequence of our own that a text begins with; "" for none.
func ours(text []byte) string {
	for _, s := range []string{boldOn, greenOn, redOn, colourOff} {
		if len(text) >= len(s) && string(text[:len(s)]) == s {
			return s
		}
	}
	return ""
}

// Plain is text that no terminal obeys and that reads as it is written: control
// characters but line feeds and tabs, and characters that turn the direction of
// what follows, are written as \u and four digits, as in JSON; bytes that are no
// UTF-8 as \x and two.
func Plain(s string) string { return string(appendPlain(nil, []byte(s), false)) }

// cell is a text in a table, on one line.
func cell(s string) string {
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(Plain(s))
}

// appendPlain appends text made plain; with bold our own sequences stay.
func appendPlain(dst, text []byte, bold bool) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case bold && r == 0x1b && ours(text) != "":
			n = len(ours(text))
			dst = append(dst, text[:n]...)
		case r == utf8.RuneError && n == 1:
			dst = fmt.Appendf(dst, `\x%02x`, text[0])
		case obeyed(r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, text[:n]...)
		}
		text = text[n:]
	}
	return dst
}

// obeyed reports whether a terminal may take a character for a command: C0 but
// line feed and tab, DEL, C1, and the embeddings, overrides and isolates of
// bidirectional text.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, 0x7f <= r && r <= 0x9f:
		return true
	}
	return 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}

// Printer makes everything plain that is written through it. It remembers its first
// failure, since most of what prints does not look.
type Printer struct {
	to   io.Writer
	bold bool
	rest []byte // the beginning of a character
	err  error
}

// NewPrinter makes a printer; our own colours get through where they are wanted.
func NewPrinter(to io.Writer, st Style) *Printer { return &Printer{to: to, bold: st.Color} }

// Colour says whether our own colours get through.
func (p *Printer) Colour(wanted bool) { p.bold = wanted }

// Write writes text.
func (p *Printer) Write(text []byte) (int, error) {
	all := append(p.rest, text...)
	end := len(all)
	for i := max(0, end-utf8.UTFMax); i < end; i++ {
		if utf8.RuneStart(all[i]) && !utf8.FullRune(all[i:]) {
			end = i
		}
	}
	p.rest = append([]byte(nil), all[end:]...)
	if p.write(appendPlain(make([]byte, 0, end), all[:end], p.bold)); p.err != nil {
		return 0, p.err
	}
	return len(text), nil
}

// Close writes what is left of a character that did not end, and returns the first
// failure of all that was written.
func (p *Printer) Close() error {
	p.write(appendPlain(nil, p.rest, false))
	p.rest = nil
	return p.err
}

func (p *Printer) write(text []byte) {
	if p.err == nil {
		_, p.err = p.to.Write(text)
	}
}
