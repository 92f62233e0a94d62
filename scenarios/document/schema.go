package document

import (
	"cmp"
	"reflect"
	"strings"

	"agentsim/sim/memo"
	"agentsim/sim/rng"
)

// form is a value that is written in a form of its own.
type form interface {
	Decode(d *Decoder, n *Node, at Place)
}

// oneLine is a form that is written on one line; false leaves it to its fields.
type oneLine interface{ Flow() (string, bool) }

// whole is a form that is not overridden piece by piece.
type whole interface{ Whole() }

// ownLine is a form whose lists have a line for each element.
type ownLine interface{ OwnLine() }

// entries is a form that is, or may be, a mapping of any names.
type entries interface{ Entries() any }

func is[T any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[T]()) }

// entriesOf is the type of the values of a mapping of any names; false for other
// types.
func entriesOf(t reflect.Type) (reflect.Type, bool) {
	switch {
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case is[entries](t):
		return reflect.TypeOf(reflect.Zero(t).Interface().(entries).Entries()).Elem(), true
	}
	return nil, false
}

// field is one key of a mapping.
type field struct {
	Key   string
	Index int
	Typ   reflect.Type
	Block bool // paths may leave its key out
}

// fields are the keys of a struct in the order of its fields, and where each is.
type fields struct {
	list []field
	at   map[string]int
}

// byType holds the fields of each struct that was asked for.
var byType memo.Map[reflect.Type, *fields]

func fieldsIn(t reflect.Type) *fields {
	fs, _ := byType.Get(t, func(t reflect.Type) (*fields, error) {
		fs := &fields{at: map[string]int{}}
		for i := range t.NumField() {
			f := t.Field(i)
			key, kind, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			key = cmp.Or(key, strings.ToLower(f.Name))
			if key != "-" && f.IsExported() {
				fs.at[key] = len(fs.list)
				fs.list = append(fs.list, field{key, i, f.Type, kind == "block"})
			}
		}
		return fs, nil
	})
	return fs
}

// FieldsOf lists the keys of a struct in the order of its fields.
func FieldsOf(t reflect.Type) []field { return fieldsIn(t).list }

// FindField is the field of a key.
func FindField(t reflect.Type, key string) (field, bool) {
	fs := fieldsIn(t)
	if i, ok := fs.at[key]; ok {
		return fs.list[i], true
	}
	return field{}, false
}

// Reach is the field of a key, in one of the blocks of v where v itself has none.
func Reach(v reflect.Value, key string) (reflect.Value, bool) {
	if f, ok := FindField(v.Type(), key); ok {
		return v.Field(f.Index), true
	}
	if b, ok := blockOf(v.Type(), key); ok {
		f, _ := FindField(b.Typ, key)
		return v.Field(b.Index).Field(f.Index), true
	}
	return reflect.Value{}, false
}

// blockOf is the block of a type that has a key.
func blockOf(t reflect.Type, key string) (field, bool) {
	for _, f := range FieldsOf(t) {
		if f.Block {
			if _, ok := FindField(f.Typ, key); ok {
				return f, true
			}
		}
	}
	return field{}, false
}

func keysOf(t reflect.Type) []string {
	fs := FieldsOf(t)
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.Key
	}
	return out
}

// Deref is what a pointer type points to, any other type itself.
func Deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// isLeaf reports whether a type's value is written whole: a scalar, or a short
// form that is not overridden piece by piece.
func isLeaf(t reflect.Type) bool {
	if t == reflect.TypeFor[rng.Span]() || is[whole](t) {
		return true
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice:
		return false
	}
	return true
}
