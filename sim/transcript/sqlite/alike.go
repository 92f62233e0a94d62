package sqlite

import (
	"maps"
	"slices"
	"strconv"
)

// alike is what the ends of most runs have in common, by part: a JSON object for
// each, which is stored once. The views metrics and invariants make rows
// of it again, and those rows are what is sealed.
type alike map[string][]byte

// checked is the part of checks that found nothing broken; the other parts are
// scopes of metrics, of those that are 0.
const checked = "invariants"

func (a alike) add(part, name, value string) {
	text := a[part]
	if text == nil {
		text = make([]byte, 0, 2048)
	}
	a[part] = append(append(strconv.AppendQuote(append(text, ','), name), ':'), value...)
}

// addFigures adds the rows of metrics and checks.
func (w *Writer) addFigures(end *End) {
	a := alike{}
	for _, m := range end.Metrics {
		if m.Value != 0 {
			w.metrics.add(w.run, m.Scope, m.Name, m.Value, m.Unit)
			continue
		}
		a.add(m.Scope, m.Name, strconv.Quote(m.Unit))
		s := &w.metrics.sum
		s.buf = appendText(appendInt(appendText(appendText(appendText(s.buf[:0], w.of.ID), m.Scope), m.Name), 0), m.Unit)
		s.take()
	}
	for _, i := range end.Invariants {
		if i.Broken != 0 {
			w.invariants.add(w.run, i.Name, i.Checks, i.Broken)
			continue
		}
		a.add(checked, i.Name, strconv.FormatInt(i.Checks, 10))
		s := &w.invariants.sum
		s.buf = appendInt(appendInt(appendText(appendText(s.buf[:0], w.of.ID), i.Name), i.Checks), 0)
		s.take()
	}
	for _, part := range slices.Sorted(maps.Keys(a)) {
		text := a[part]
		text[0] = '{'
		object := string(append(text, '}'))
		key := contentKey(object)
		if w.store.first(key) {
			w.alike.add(key, object)
		}
		w.alikeIn.add(w.run, part, key)
	}
}
