package sqlite

import (
	"strconv"
	"strings"
)

// unitsOf is the JSON object of the units of a part's metrics, by name, and its key.
type unitsOf struct {
	metrics     []Metric
	object, key string
}

// checked is the part of checks that found nothing broken; the other parts are
// scopes of metrics.
const checked = "invariants"

func appendMember(dst []byte, name string) []byte {
	sep := byte(',')
	if len(dst) == 0 {
		sep = '{'
	}
	return append(strconv.AppendQuote(append(dst, sep), name), ':')
}

func closed(object []byte) string {
	if len(object) == 0 {
		return "{}"
	}
	return string(append(object, '}'))
}

// addFigures adds the metrics, those of a scope as one row, and the checks. What most
// runs have alike is stored once: the names and units of all metrics, and how often
// the auditor made each check that found nothing broken. The views metrics and
// invariants make rows of it again.
func (w *Writer) addFigures(end *End) {
	for list := end.Metrics; len(list) > 0; {
		n := 1
		for n < len(list) && list[n].Scope == list[0].Scope {
			n++
		}
		w.addScope(list[:n])
		list = list[n:]
	}
	checks := w.scratch[:0]
	for _, i := range end.Invariants {
		if i.Broken != 0 {
			w.invariants.add(w.run, i.Name, i.Checks, i.Broken)
			continue
		}
		checks = strconv.AppendInt(appendMember(checks, i.Name), i.Checks, 10)
	}
	if w.scratch = checks; len(checks) > 0 {
		object := closed(checks)
		w.addAlike(checked, contentKey(object), object, "{}")
	}
}

// addScope adds the metrics of a scope.
func (w *Writer) addScope(list []Metric) {
	u := w.store.units[list[0].Scope]
	if !u.of(list) {
		var object []byte
		for _, m := range list {
			object = strconv.AppendQuote(appendMember(object, m.Name), m.Unit)
		}
		u = &unitsOf{metrics: list, object: closed(object)}
		u.key = contentKey(u.object)
		w.store.units[list[0].Scope] = u
	}
	figures := w.scratch[:0]
	for _, m := range list {
		if m.Value != 0 {
			figures = strconv.AppendInt(appendMember(figures, m.Name), m.Value, 10)
		}
	}
	w.scratch = figures
	w.addAlike(list[0].Scope, u.key, u.object, closed(figures))
}

// of reports whether they are the units of these metrics; false for nil.
func (u *unitsOf) of(list []Metric) bool {
	if u == nil || len(u.metrics) != len(list) {
		return false
	}
	for i := range list {
		if u.metrics[i].Name != list[i].Name || u.metrics[i].Unit != list[i].Unit {
			return false
		}
	}
	return true
}

func (w *Writer) addAlike(part, key, object, figures string) {
	if w.store.first(key) {
		w.alike.add(key, object)
	}
	w.alikeIn.add(w.run, part, key, figures)
}

// addSpec keeps the run's scenario, which runs that differ in their seeds share.
func (w *Writer) addSpec() {
	line := "\nseed: " + strconv.FormatUint(w.of.Seed, 10) + "\n"
	head, tail := w.of.Spec, ""
	if i := strings.Index(head, line); i >= 0 {
		head, tail = head[:i+len("\nseed: ")], head[i+len(line)-1:]
	}
	w.spec = contentKey(head + "\x00" + tail)
	if w.store.first(w.spec) {
		w.specs.add(w.spec, head, tail)
	}
}
