package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPlain(t *testing.T) {
	t.Run("no character that a terminal obeys gets through, however the text is cut into writes", rapid.MakeCheck(plainLaw))
	t.Run("our own bold gets through where colour is wanted, and nothing like it", func(t *testing.T) {
		for _, st := range []Style{{}, {Color: true}} {
			var b bytes.Buffer
			p := NewPrinter(&b, st)
			write(t, p, (Style{Color: true}).Bold("x")+"\x1b[35my\x1b[")
			want := `\u001b[1mx\u001b[0m`
			if st.Color {
				want = boldOn + "x" + colourOff
			}
			if want += `\u001b[35my\u001b[`; b.String() != want {
				t.Errorf("%q, want %q", b.String(), want)
			}
		}
	})
	t.Run("a cell of a table is one line, and no cell of CSV is a formula", func(t *testing.T) {
		tab := NewTable("a", " b")
		tab.Row("x\ny\u009b\t", "-3")
		tab.Row("=cmd|' /C calc'!A0", "+cmd|x!A0")
		tab.Row("@SUM(1)", "+3.6 %")
		for _, c := range []struct {
			want  string
			write func(*bytes.Buffer) error
		}{
			{"a                             b\nx\\u000ay\\u009b\\u0009     -3\n=cmd|' /C calc'!A0    +cmd|x!A0\n@SUM(1)                  +3.6 %\n", func(b *bytes.Buffer) error { return tab.Write(b, Style{}) }},
			{"a,b\n\"x\ny\\u009b\t\",-3\n'=cmd|' /C calc'!A0,'+cmd|x!A0\n'@SUM(1),+3.6 %\n", func(b *bytes.Buffer) error { return tab.CSV(NewPrinter(b, Style{})) }},
			{"| a | b |\n| --- | ---: |\n| x y\\\\u009b\t | -3 |\n| =cmd\\|' /C calc'!A0 | +cmd\\|x!A0 |\n| @SUM(1) | +3.6 % |\n", func(b *bytes.Buffer) error { return tab.Markdown(b) }},
		} {
			var b bytes.Buffer
			if err := c.write(&b); err != nil {
				t.Fatal(err)
			}
			if b.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), c.want)
			}
		}
	})
}

// plainLaw writes any bytes in any pieces.
func plainLaw(t *rapid.T) {
	text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b[2J", "\x1b]0;x\a", "\u009b", "\u202e", "\x7f", "\r", "é", "\xff\xc3", boldOn}))).Draw(t, "parts"), "")
	var b bytes.Buffer
	p := NewPrinter(&b, Style{})
	for rest := text; rest != ""; {
		n := rapid.IntRange(1, len(rest)).Draw(t, "n")
		if _, err := p.Write([]byte(rest[:n])); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if b.String() != Plain(text) {
		t.Fatalf("in pieces %q, whole %q", b.String(), Plain(text))
	}
	for _, r := range b.String() {
		if obeyed(r) || r == utf8.RuneError && !strings.ContainsRune(text, utf8.RuneError) {
			t.Fatalf("%q is in %q", r, b.String())
		}
	}
}

func write(t *testing.T, p *Printer, text string) {
	t.Helper()
	if _, err := p.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}
