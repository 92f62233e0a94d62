package document

import (
	"reflect"
	"strings"
)

// Language is what a kind of document says of itself: its keys, what messages call
// its parts, and the places where a value is read in another way.
type Language struct {
	Top      reflect.Type
	FileKeys []string          // keys on top besides those of the type
	Blocks   []string          // keys on top whose names paths may leave out
	Items    map[string]string // key of a list → what messages call its elements
	Said     map[string]string // TYPE.KEY → what to write in place of a key that people look for there
	Negative string            // a whole number may be negative below paths that hold it
	Shares   map[string]int64  // path of a share → the parts that are the whole, so that a percentage may be written
	Spread   string            // the path of a time of which a plain duration is the upper bound
	Word     func(path string) bool
	Instead  func(path string, n *Node) string // what to write for a value of a wrong type; "" where nothing special is known
}

func (l *Language) hint(path string, n *Node) string {
	if l.Instead == nil {
		return ""
	}
	return l.Instead(path, n)
}

// bounds are the range of a whole number at a path.
func (l *Language) bounds(path string, k reflect.Kind) (lo, hi int64) {
	if k == reflect.Int {
		hi = maxSmall
	} else {
		hi = MaxLarge
	}
	if l.Negative != "" && strings.Contains(path, l.Negative) {
		lo = -maxSmall
	}
	return lo, hi
}

// keyHint is what is said in place of the key, else the nearest key here, else on
// top of a file the one section that has such a key, else what keys there are.
func (l *Language) keyHint(key string, t reflect.Type, path string) string {
	if said := l.Said[t.Name()+"."+key]; said != "" {
		return said
	}
	keys := keysOf(t)
	if path == "" {
		keys = append(keys, l.FileKeys...)
	}
	if h := DidYouMean(key, keys); h != "" {
		return h
	}
	if in := l.sectionsWith(key); path == "" && len(in) == 1 {
		return "it belongs under " + in[0]
	}
	return OneOf(keys)
}

// sectionsWith are the sections on top of a document that have a key.
func (l *Language) sectionsWith(key string) (out []string) {
	for _, p := range l.Paths() {
		if in, ok := strings.CutSuffix(p, "."+key); ok && !strings.ContainsAny(in, ".[") {
			out = append(out, in)
		}
	}
	return out
}

// Paths lists every path of a document that an override can name, lists excepted: an element of a list is named by its id or index.
func (l *Language) Paths() []string {
	var out []string
	var walk func(t reflect.Type, prefix string)
	walk = func(t reflect.Type, prefix string) {
		for _, f := range FieldsOf(t) {
			p := prefix + f.Key
			out = append(out, p)
			if e := Deref(f.Typ); e.Kind() == reflect.Struct && !isLeaf(e) && !is[entries](e) {
				walk(e, p+".")
			}
		}
	}
	walk(l.Top, "")
	return out
}
