package importer

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyJSON draws a value.
func anyJSON(t *rapid.T, depth int) any {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return rapid.Float64().Draw(t, "number")
	case 3:
		return rapid.StringOf(rapid.SampledFrom([]rune("ab\\\"{}[]:, \n\x00é"))).Draw(t, "string")
	case 4:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			out = append(out, anyJSON(t, depth-1))
		}
		return out
	}
	out := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		out[rapid.StringOf(rapid.SampledFrom([]rune("ab:{}"))).Draw(t, "name")] = anyJSON(t, depth-1)
	}
	return out
}

func TestFields(t *testing.T) {
	t.Run("IMP-01 a line taken apart has the members that a JSON decoder finds", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			indent := rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent")
			data, err := json.MarshalIndent(anyJSON(t, 3), "", indent)
			if err != nil {
				t.Fatal(err)
			}
			var object map[string]json.RawMessage
			var list []json.RawMessage
			isObject := json.Unmarshal(data, &object) == nil && object != nil
			isList := json.Unmarshal(data, &list) == nil && list != nil
			n := 0
			if ok := eachField(data, func(name, value []byte) {
				n++
				if want := object[string(name)]; string(want) != string(value) {
					t.Fatalf("%s of %s is %s, want %s", name, data, value, want)
				}
			}); ok != isObject || n != len(object) {
				t.Fatalf("%s: %t with %d members, want %t with %d", data, ok, n, isObject, len(object))
			}
			n = 0
			if ok := eachItem(data, func(value []byte) {
				if string(value) != string(list[n]) {
					t.Fatalf("item %d of %s is %s", n, data, value)
				}
				n++
			}); ok != isList || n != len(list) {
				t.Fatalf("%s: %t with %d items, want %t with %d", data, ok, n, isList, len(list))
			}
			if cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut"); isObject && eachField(data[:cut], func(_, _ []byte) {}) {
				t.Fatalf("%s is taken as whole", data[:cut])
			}
		})
	})
	t.Run("IMP-10 brackets may be nested a million deep", func(t *testing.T) {
		deep := `{"a":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + `,"b":1}`
		n := 0
		if !eachField([]byte(deep), func(_, _ []byte) { n++ }) || n != 2 {
			t.Errorf("%d members, want 2", n)
		}
		if eachField([]byte(deep[:1_500_000]), func(_, _ []byte) {}) {
			t.Error("half of it is taken as whole")
		}
	})
}
