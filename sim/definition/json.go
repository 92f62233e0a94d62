package definition

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"agentsim/scenarios/document"
)

// CheckJSON says where a text is no JSON, nests too deep or gives a key twice; nil of
// one that definitions could be read from.
func CheckJSON(src string) *document.Error {
	_, bad := parseJSON(src)
	return bad
}

// parseJSON reads one JSON object.
func parseJSON(src string) (*document.Node, *document.Error) {
	r := &jsonReader{src: src, dec: json.NewDecoder(strings.NewReader(src))}
	r.dec.UseNumber()
	n, err := r.value(0)
	if err == nil {
		if _, next := r.dec.Token(); next != io.EOF {
			err = errors.New("something follows the JSON value")
			r.at = int(r.dec.InputOffset())
		}
	}
	if err == nil {
		return n, nil
	}
	var syntax *json.SyntaxError
	at := r.at
	if errors.As(err, &syntax) {
		at = int(syntax.Offset) - 1
	}
	msg := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at, msg = len(src), "the text ends within the value"
	}
	p := r.place(at)
	return nil, &document.Error{Line: p.Line, Col: p.Col, Msg: "bad JSON: " + msg}
}

// jsonReader follows a decoder's tokens, so that each value has its place.
type jsonReader struct {
	src string
	dec *json.Decoder
	at  int // where the last token begins, in bytes
	// The place of byte seen, so that places are found by going on from there.
	seen int
	Pos  document.Pos
}

var errDepth = errors.New("nested more than 32 levels deep")

// place is the line and column of a byte.
func (r *jsonReader) place(at int) document.Pos {
	at = min(max(at, 0), len(r.src))
	if at < r.seen || r.Pos.Line == 0 {
		r.seen, r.Pos = 0, place(1, 1)
	}
	for ; r.seen < at; r.seen++ {
		switch c := r.src[r.seen]; {
		case c == '\n':
			r.Pos = place(r.Pos.Line+1, 1)
		case utf8.RuneStart(c):
			r.Pos.Col++
		}
	}
	return r.Pos
}

// token is the next token; at is where it begins.
func (r *jsonReader) token() (json.Token, error) {
	from := int(r.dec.InputOffset())
	t, err := r.dec.Token()
	for from < len(r.src) && strings.IndexByte(" \t\r\n,:", r.src[from]) >= 0 {
		from++
	}
	r.at = from
	return t, err
}

func (r *jsonReader) value(depth int) (*document.Node, error) {
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &document.Node{Pos: r.place(r.at)}
	switch v := t.(type) {
	case nil:
		n.Kind = document.Null
	case bool:
		n.Kind, n.Text = document.Bool, map[bool]string{true: "true", false: "false"}[v]
	case json.Number:
		n.Kind, n.Text = document.Int, v.String()
		if strings.ContainsAny(n.Text, ".eE") {
			n.Kind = document.Float
		}
	case string:
		n.Kind, n.Text, n.Plain = document.String, v, 1
	case json.Delim:
		if depth == maxDepth {
			return nil, errDepth
		}
		if v == '[' {
			return n, r.list(n, depth)
		}
		return n, r.object(n, depth)
	}
	return n, nil
}

func (r *jsonReader) list(n *document.Node, depth int) error {
	n.Kind = document.List
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, v)
	}
	_, err := r.token()
	return err
}

func (r *jsonReader) object(n *document.Node, depth int) error {
	n.Kind = document.Map
	keys := map[string]bool{}
	for r.dec.More() {
		t, err := r.token()
		if err != nil {
			return err
		}
		p := document.Pair{Key: t.(string), Pos: r.place(r.at)}
		if keys[p.Key] {
			return errors.New(`key "` + p.Key + `" is given twice`)
		}
		keys[p.Key] = true
		if p.Val, err = r.value(depth + 1); err != nil {
			return err
		}
		n.Pairs = append(n.Pairs, p)
	}
	_, err := r.token()
	return err
}
