package document

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Language is what a kind of document says of itself: its keys, what messages call
// its parts, and the places where a value is read in another way.
type Language struct {
	Top      reflect.Type
	FileKeys []string          // keys on top besides those of the type
	Items    map[string]string // key of a list → what messages call its elements
	Said     map[string]string // TYPE.KEY → what to write in place of a key that people look for there
	Negative string            // a whole number may be negative below paths that hold it
	Ranges   map[string]Range  // path of a whole number → what it may be, where that is not what all may be
	Words    map[string]Words  // TYPE.KEY → the words that a text there can be
	Shares   map[string]int64  // path of a share → the parts that are the whole, so that a percentage may be written
	Spread   string            // the path of a time of which a plain duration is the upper bound
	Word     func(path string) bool
	Instead  func(path string, n *Node) string // what to write for a value of a wrong type; "" where nothing special is known
}

// Range is what a whole number may be, and what is said where it is not.
type Range struct {
	Least, Most int64
	Hint        string
}

// Words is a closed list of words, and what messages call one of them.
type Words struct {
	Of   string
	List []string
}

func (l *Language) hint(path string, n *Node) string {
	if l.Instead == nil {
		return ""
	}
	return l.Instead(path, n)
}

// bounds are the range of a whole number at a path.
func (l *Language) bounds(path string, k reflect.Kind) Range {
	if r, ok := l.Ranges[path]; ok {
		return r
	}
	r := Range{Most: MaxLarge}
	if k == reflect.Int {
		r.Most = maxSmall
	}
	if l.Negative != "" && strings.Contains(path, l.Negative) {
		r.Least = -maxSmall
	}
	return r
}

// keyHint is what is said in place of the key, else where such a key is, if there
// is one place, else the nearest key here, else what keys there are. Where else a
// key may be is said of those on top and in blocks alone: deeper ones are not alike.
func (l *Language) keyHint(key string, t reflect.Type) string {
	if said := l.Said[t.Name()+"."+key]; said != "" {
		return said
	}
	keys := keysOf(t)
	if t == l.Top {
		keys = append(keys, l.FileKeys...)
	}
	if b, ok := blockOf(l.Top, key); ok && t == l.Top {
		return "it belongs under " + b.Key + ":"
	}
	if in := l.holders(key); l.outer(t) && len(in) == 1 && in[0] != "" {
		return "it belongs under " + in[0]
	}
	if h := DidYouMean(key, keys); h != "" || !l.outer(t) {
		return cmp.Or(h, OneOf(keys))
	}
	if near := Nearest(key, l.inBlocks()); near != "" {
		b, _ := blockOf(l.Top, near)
		return "did you mean " + Quoted(near) + "? it belongs under " + b.Key + ":"
	}
	return OneOf(keys)
}

// inBlocks are the keys of all blocks.
func (l *Language) inBlocks() (out []string) {
	for _, f := range FieldsOf(l.Top) {
		if f.Block {
			out = append(out, keysOf(f.Typ)...)
		}
	}
	return out
}

// outer reports whether a type is the top of documents or a block of it.
func (l *Language) outer(t reflect.Type) bool {
	return t == l.Top || slices.ContainsFunc(FieldsOf(l.Top), func(f field) bool { return f.Block && f.Typ == t })
}

// holders are the sections that have a key, by the way to write them; "" is one that
// only elements of lists have.
func (l *Language) holders(key string) (out []string) {
	var walk func(t reflect.Type, in string, known bool)
	walk = func(t reflect.Type, in string, known bool) {
		for _, f := range FieldsOf(t) {
			if f.Key == key && known {
				out = append(out, in)
			} else if f.Key == key {
				out = append(out, "")
			}
			e, list := Deref(f.Typ), false
			for e.Kind() == reflect.Slice || e.Kind() == reflect.Map {
				e, list = Deref(e.Elem()), true
			}
			if e.Kind() == reflect.Struct && !isLeaf(e) && e != t {
				walk(e, strings.TrimSpace(in+" "+f.Key+":"), known && !list)
			}
		}
	}
	walk(l.Top, "", true)
	return out
}

// Short is a path without the name of the block that it begins with.
func (l *Language) Short(path string) string {
	key, rest := CutPath(path)
	if f, ok := FindField(l.Top, key); ok && f.Block && rest != "" {
		return rest
	}
	return path
}

// IsBlock reports whether a key on top is a block's.
func (l *Language) IsBlock(key string) bool {
	f, ok := FindField(l.Top, key)
	return ok && f.Block
}

// Long is a path with the name of the block that it leaves out.
func (l *Language) Long(path string) string {
	key, _ := CutPath(path)
	if _, ok := FindField(l.Top, key); ok {
		return path
	}
	if b, ok := blockOf(l.Top, key); ok {
		return b.Key + "." + path
	}
	return path
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
