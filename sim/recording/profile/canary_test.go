package profile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// canaries are strings that are put in the place of a session's own.
type canaries struct {
	n    int
	keep map[string]bool // what the client brings, and stays where it is
}

func (c *canaries) next() string {
	c.n++
	return fmt.Sprintf("canary%dyrana", c.n)
}

// fill replaces every string of a value, and every content of its blocks.
func (c *canaries) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && !c.keep[v.String()] {
			v.SetString(c.next())
		}
	case reflect.Pointer:
		if p, ok := v.Interface().(*llm.Payload); ok && p != nil {
			text := c.next()
			if strings.HasPrefix(p.Raw(), "{") {
				v.Set(reflect.ValueOf(llm.NewJSON(fmt.Sprintf(`{"file_path":%q,"prompt":%q,%q:1}`, text, c.next(), c.next()))))
			} else {
				v.Set(reflect.ValueOf(llm.NewText(llm.Prose, text+"\n"+c.next())))
			}
		} else if v.Elem().Kind() == reflect.Struct && !ok {
			c.fill(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				c.fill(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			c.fill(v.Index(i))
		}
	}
}

// noCanaries measures sessions whose every string is a canary, once with the tools and
// types that the client brings, once without.
func noCanaries(t *testing.T) {
	for _, keep := range []map[string]bool{nil, {"Read": true, "Task": true, "Explore": true, "r1": true, "s1": true, "s2": true, "c0": true, "c1": true}} {
		c := &canaries{keep: keep}
		var list []*recording.Session
		for range 120 { // enough that nothing is left out for being rare
			s := spawnSession()
			s.Files, s.Skipped = []recording.File{{Name: "f", SHA256: "x"}}, []recording.Skip{{What: "w", File: "f"}}
			s.Prices = &recording.PriceFile{Name: "p", Text: "t"}
			c.fill(reflect.ValueOf(s))
			list = append(list, s)
		}
		text := measured(Options{}, list...).Text()
		if at := strings.Index(text, "canary"); at >= 0 {
			t.Errorf("of %d canaries the profile holds %q", c.n, text[at:min(at+40, len(text))])
		}
		if c.n < 120*40 || strings.Contains(text, "type: Explore") != (keep != nil) {
			t.Errorf("%d canaries, which is too few: a session has more strings", c.n)
		}
	}
}
