package metrics

import (
	"reflect"
	"testing"
)

// numbers calls f with each whole number that a value holds.
func numbers(v reflect.Value, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			numbers(v.Field(i), f)
		}
	case reflect.Array:
		for i := range v.Len() {
			numbers(v.Index(i), f)
		}
	default:
		f(v)
	}
}

func TestSums(t *testing.T) {
	t.Run("POP-02 a sum takes in every number of a tally and of outcomes", func(t *testing.T) {
		var tally, sum Tally
		var outcomes, all Outcomes
		n := int64(0)
		for _, x := range []any{&tally, &outcomes} {
			numbers(reflect.ValueOf(x).Elem(), func(v reflect.Value) { n++; v.SetInt(n) })
		}
		for range 3 {
			sum.Add(&tally)
			all.add(outcomes)
		}
		n = 0
		for _, x := range []any{&sum, &all} {
			numbers(reflect.ValueOf(x).Elem(), func(v reflect.Value) {
				if n++; v.Int() != 3*n {
					t.Errorf("%T: number %d is %d after three times %d", x, n, v.Int(), n)
				}
			})
		}
	})
}
