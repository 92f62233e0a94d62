package document

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Decoder fills a value from nodes and remembers where each path stood.
type Decoder struct {
	lang *Language
	Errs *Problems
	vals map[string]Pos // path → its value
	keys map[string]Pos // path → its key
	root Pos
	// beside reads the file beside the document that a node names, and says what is
	// wrong with it.
	Beside func(d *Decoder, n *Node) (string, bool)

	Unknown Problems // words that are none of their lists, for whoever checks what is otherwise right

	generated int64 // bytes of all content that is to be generated
}

// NewDecoder is a decoder of a language whose mistakes go to errs; root is the place of
// what has no other.
func NewDecoder(lang *Language, errs *Problems, root Pos) *Decoder {
	return &Decoder{lang: lang, Errs: errs, vals: map[string]Pos{}, keys: map[string]Pos{}, root: root}
}

// Place is where a value is described: its path and, for messages, the thing it
// belongs to.
type Place struct{ Path, Ctx string }

// Field is the place of a key below p.
func (p Place) Field(key string) Place {
	path := key
	if p.Path != "" {
		path = p.Path + "." + key
	}
	switch {
	case p.Ctx == "":
		return Place{path, key}
	case !strings.Contains(p.Ctx, " "):
		return Place{path, p.Ctx + "." + key}
	}
	return Place{path, key + " of " + p.Ctx}
}

// item is the place of element i of a list, named by its own id if it has one;
// names says what messages call the elements of a list.
func (p Place) item(i int, n *Node, names map[string]string) Place {
	path := fmt.Sprintf("%s[%d]", p.Path, i)
	key := p.Path[strings.LastIndexByte(p.Path, '.')+1:]
	name := names[key]
	if name == "" {
		what, owner, of := strings.Cut(p.Ctx, " of ")
		if what += "." + strconv.Itoa(i+1); of {
			what += " of " + owner
		}
		return Place{path, what}
	}
	if called := n.Name(); called != "" {
		return Place{path, name + " " + Quoted(called)}
	}
	ctx := name + " " + strconv.Itoa(i+1)
	if _, owner, ok := strings.Cut(p.Ctx, " of "); ok {
		ctx += " of " + owner
	}
	return Place{path, ctx}
}

// idKeys are the keys that name an element of a list.
var idKeys = []string{"id", "name", "agent"}

// Quoted is text in double quotes, for messages.
func Quoted(s string) string { return `"` + s + `"` }

// Fail adds a mistake at a node.
func (d *Decoder) Fail(n *Node, hint, format string, args ...any) {
	d.Errs.Add(n.Pos, hint, format, args...)
}

// WrongType adds that a value is not what it has to be.
func (d *Decoder) WrongType(n *Node, at Place, want, hint string) {
	if n.Kind == Null {
		d.Fail(n, hint, "%s has no value: it must be %s", at.Ctx, want)
		return
	}
	got := n.Kind.String()
	if n.Kind == Float {
		got = n.Text
	}
	d.Fail(n, hint, "%s must be %s, not %s", at.Ctx, want, got)
}

// Value reads n into v by v's type.
func (d *Decoder) Value(n *Node, v reflect.Value, at Place) {
	d.vals[at.Path] = n.Pos
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), 0, len(n.Items)))
		}
	}
	if d.special(n, v, at) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.Structure(n, v, at)
	case reflect.Slice:
		d.list(n, v, at)
	case reflect.Map:
		d.Mapping(n, v, at)
	case reflect.String:
		v.SetString(d.Str(n, at))
	case reflect.Bool:
		v.SetBool(d.boolean(n, at))
	case reflect.Int, reflect.Int64:
		v.SetInt(d.integer(n, at, d.lang.bounds(at.Path, v.Kind())))
	case reflect.Uint64:
		v.SetUint(d.unsigned(n, at))
	}
}

// Structure reads a mapping into the fields of a struct.
func (d *Decoder) Structure(n *Node, v reflect.Value, at Place) {
	if n.Kind != Map {
		d.WrongType(n, at, "a mapping", cmp.Or(d.lang.hint(at.Path, n), "keys: "+strings.Join(keysOf(v.Type()), ", ")))
		return
	}
	d.fields(n, v, at, at.Ctx)
}

// fields reads the keys of a mapping; in is what messages call it. The fields of a
// block have the paths that they would have without it.
func (d *Decoder) fields(n *Node, v reflect.Value, at Place, in string) {
	for _, p := range n.Pairs {
		f, ok := FindField(v.Type(), p.Key)
		if !ok {
			d.UnknownKey(p, v.Type(), in)
			continue
		}
		sub := at.Field(p.Key)
		d.keys[sub.Path] = p.Pos
		if f.Block && p.Val.Kind == Map {
			d.fields(p.Val, v.Field(f.Index), at, p.Key)
			continue
		}
		d.Value(p.Val, v.Field(f.Index), sub)
		oneOfWords(d, p.Val, v.Field(f.Index), v.Type().Name()+"."+p.Key)
	}
}

// oneOfWords notes a word that is none of its list. The empty one stands for the default.
func oneOfWords(d *Decoder, n *Node, v reflect.Value, key string) {
	if words, ok := d.lang.Words[key]; ok && v.String() != "" && !slices.Contains(words.List, v.String()) {
		d.Unknown.Add(n.Pos, DidYouMeanOr(v.String(), words.List), "unknown %s %q", words.Of, v.String())
	}
}

// UnknownKey adds that a mapping has no such key, with what to write for it; in is
// what messages call the mapping.
func (d *Decoder) UnknownKey(p Pair, t reflect.Type, in string) {
	if d.Errs.Full() {
		d.Errs.more++
		return
	}
	if in != "" {
		in = " in " + in
	}
	d.Errs.Add(p.Pos, d.lang.keyHint(p.Key, t), "unknown key %q%s", p.Key, in)
}

func (d *Decoder) list(n *Node, v reflect.Value, at Place) {
	if n.Kind != List {
		hint := ""
		if n.Kind == String {
			hint = "in brackets: [" + Flow(n) + "]"
		}
		d.WrongType(n, at, "a list", hint)
		return
	}
	if len(n.Items) > MaxListed {
		d.Fail(n, "", "%s has more than %d entries", at.Ctx, MaxListed)
		return
	}
	was := v.Len()
	v.Grow(len(n.Items))
	for i, it := range n.Items {
		v.SetLen(was + i + 1)
		v.Index(was + i).SetZero()
		d.Value(it, v.Index(was+i), at.item(i, it, d.lang.Items))
	}
}

// MaxListed is how many entries a list of a scenario may have.
const MaxListed = 20_000

// Mapping reads a mapping of any names.
func (d *Decoder) Mapping(n *Node, v reflect.Value, at Place) {
	if n.Kind != Map {
		d.WrongType(n, at, "a mapping", "")
		return
	}
	if v.IsNil() && len(n.Pairs) > 0 {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for _, p := range n.Pairs {
		sub := Place{at.Path + "." + p.Key, p.Key + " in " + at.Ctx}
		d.keys[sub.Path] = p.Pos
		key := reflect.New(v.Type().Key()).Elem()
		if key.Kind() == reflect.Int {
			kn := &Node{Kind: Int, Text: p.Key, Pos: p.Pos}
			key.SetInt(d.integer(kn, Place{at.Path, "a position in " + at.Ctx}, Range{Least: -maxSmall, Most: maxSmall}))
		} else {
			key.SetString(p.Key)
		}
		e := reflect.New(v.Type().Elem()).Elem()
		d.Value(p.Val, e, sub)
		v.SetMapIndex(key, e)
	}
}

// Where is the place of a path's value, or of the nearest thing around it.
func (d *Decoder) Where(path string) Pos { return d.lookup(d.vals, path) }

// WhereKey is the place of a path's key, or of the nearest thing around it.
func (d *Decoder) WhereKey(path string) Pos { return d.lookup(d.keys, path) }

func (d *Decoder) lookup(m map[string]Pos, path string) Pos {
	for path != "" {
		if p, ok := m[path]; ok {
			return p
		}
		if p, ok := d.vals[path]; ok {
			return p
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return d.root
}

// Given reports whether the scenario itself holds a path, defaults aside.
func (d *Decoder) Given(path string) bool {
	_, ok := d.vals[path]
	return ok
}
