package definition

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// parseJSON reads one JSON object.
func parseJSON(src string) (*node, *mistake) {
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
	return nil, &mistake{pos: r.place(at), msg: "bad JSON: " + msg}
}

// jsonReader follows a decoder's tokens, so that each value has its place.
type jsonReader struct {
	src string
	dec *json.Decoder
	at  int // where the last token begins, in bytes
	// The place of byte seen, so that places are found by going on from there.
	seen int
	pos  pos
}

var errDepth = errors.New("nested more than 32 levels deep")

// place is the line and column of a byte.
func (r *jsonReader) place(at int) pos {
	at = min(max(at, 0), len(r.src))
	if at < r.seen || r.pos.line == 0 {
		r.seen, r.pos = 0, pos{1, 1}
	}
	for ; r.seen < at; r.seen++ {
		switch c := r.src[r.seen]; {
		case c == '\n':
			r.pos = pos{r.pos.line + 1, 1}
		case utf8.RuneStart(c):
			r.pos.col++
		}
	}
	return r.pos
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

func (r *jsonReader) value(depth int) (*node, error) {
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	n := &node{pos: r.place(r.at)}
	switch v := t.(type) {
	case nil:
		n.kind = isNull
	case bool:
		n.kind, n.text = isBool, map[bool]string{true: "true", false: "false"}[v]
	case json.Number:
		n.kind, n.text = isInt, v.String()
		if strings.ContainsAny(n.text, ".eE") {
			n.kind = isFraction
		}
	case string:
		n.kind, n.text, n.plain = isText, v, 1
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

func (r *jsonReader) list(n *node, depth int) error {
	n.kind = isList
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
	}
	_, err := r.token()
	return err
}

func (r *jsonReader) object(n *node, depth int) error {
	n.kind = isMap
	keys := map[string]bool{}
	for r.dec.More() {
		t, err := r.token()
		if err != nil {
			return err
		}
		p := pair{key: t.(string), pos: r.place(r.at)}
		if keys[p.key] {
			return errors.New(`key "` + p.key + `" is given twice`)
		}
		keys[p.key] = true
		if p.val, err = r.value(depth + 1); err != nil {
			return err
		}
		n.pairs = append(n.pairs, p)
	}
	_, err := r.token()
	return err
}
