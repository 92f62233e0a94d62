package scenarios

import (
	"reflect"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// The types that are read in a way of their own.
var (
	scenarioType    = reflect.TypeFor[Scenario]()
	durationType    = reflect.TypeFor[vtime.Duration]()
	ttlType         = reflect.TypeFor[llm.TTL]()
	planType        = reflect.TypeFor[Plan]()
	filesType       = reflect.TypeFor[Files]()
	contentType     = reflect.TypeFor[Content]()
	sizeType        = reflect.TypeFor[Size]()
	spanType        = reflect.TypeFor[rng.Span]()
	selectorType    = reflect.TypeFor[Selector]()
	expectationType = reflect.TypeFor[Expectation]()
	toolTurnType    = reflect.TypeFor[ToolTurn]()
)

// field is one key of a mapping.
type field struct {
	key   string
	index int
	typ   reflect.Type
}

// fieldsOf lists the keys of a struct in the order of its fields.
func fieldsOf(t reflect.Type) []field {
	out := make([]field, 0, t.NumField())
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if key == "-" || !f.IsExported() {
			continue
		}
		if key == "" {
			key = strings.ToLower(f.Name)
		}
		out = append(out, field{key, i, f.Type})
	}
	return out
}

func findField(t reflect.Type, key string) (field, bool) {
	for _, f := range fieldsOf(t) {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

func keysOf(t reflect.Type) []string {
	fs := fieldsOf(t)
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.key
	}
	return out
}

func deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// isLeaf reports whether a type's value is written whole: a scalar, or a short
// form that is not overridden piece by piece.
func isLeaf(t reflect.Type) bool {
	switch t {
	case planType, sizeType, spanType, ttlType, durationType, expectationType, selectorType:
		return true
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice:
		return false
	}
	return true
}

// Paths lists every path of a scenario that --set and variants can name, lists
// excepted: an element of a list is named by its id or index, as in
// work.fix-auth.prompting.
func Paths() []string {
	var out []string
	var walk func(t reflect.Type, prefix string)
	walk = func(t reflect.Type, prefix string) {
		for _, f := range fieldsOf(t) {
			p := prefix + f.key
			out = append(out, p)
			if e := deref(f.typ); e.Kind() == reflect.Struct && !isLeaf(e) && e != filesType {
				walk(e, p+".")
			}
		}
	}
	walk(scenarioType, "")
	return out
}
