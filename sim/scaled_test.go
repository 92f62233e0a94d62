package sim_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

func TestScaledLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("plays the library twice")
	}
	t.Run("KRN-09 CON-05 durations scaled by seven scale every instant of the library's runs by seven, though its figures have other numbers of digits", func(t *testing.T) {
		compared := 0
		for _, entry := range scenarios.Names() {
			f, err := scenarios.Open(entry)
			if err != nil {
				t.Fatal(err)
			}
			for _, variant := range f.VariantNames() {
				one, seven := scaled(t, f, variant, 1), scaled(t, f, variant, 7)
				if one == nil || seven == nil {
					continue
				}
				compared++
				i := 0
				for i < min(len(one), len(seven)) && seven[i] == 7*one[i] {
					i++
				}
				if i < max(len(one), len(seven)) {
					t.Errorf("%s/%s: %d events became %d; event %d at %v became %v", entry, variant, len(one), len(seven), i, one[min(i, len(one)-1)], seven[min(i, len(seven)-1)])
				}
			}
		}
		if compared < 60 {
			t.Errorf("only %d runs were compared", compared)
		}
	})
}

// scaled are the instants of a library's run whose durations are set to a
// thousandth, so that no lifetime of the cache ends, times k; nil where it holds
// times that cannot be set.
func scaled(t *testing.T, f *scenarios.File, variant string, k vtime.Duration) []vtime.Instant {
	t.Helper()
	sc, err := f.Effective(variant, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(sc.Project.Servers, func(s scenarios.ServerSpec) bool { return s.Connects > 30*vtime.Second }) {
		return nil // who needs such a server stops waiting after a time that no scenario sets
	}
	limits := sc.Limits
	scale(reflect.ValueOf(sc), k)
	sc.Limits = limits
	setTimes(sc, vtime.Microsecond*k)
	v := &timing{}
	runOf(t, spec, v)
	if v.fixed != "" {
		return nil
	}
	return v.at
}

// scale sets every duration of a scenario to a thousandth times k.
func scale(v reflect.Value, k vtime.Duration) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scale(v.Elem(), k)
		}
	case reflect.Slice:
		for i := range v.Len() {
			scale(v.Index(i), k)
		}
	case reflect.Struct:
		if span, ok := v.Addr().Interface().(*rng.Span); ok && span.Dist == nil {
			span.Lo, span.Hi = span.Lo/1000*int64(k), span.Hi/1000*int64(k)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scale(v.Field(i), k)
			}
		}
	case reflect.Int64:
		if v.Type() == reflect.TypeFor[vtime.Duration]() {
			v.SetInt(v.Int() / 1000 * int64(k))
		}
	}
}

// timing is a sink that keeps when each event was, and what took a time that no
// scenario sets.
type timing struct {
	at    []vtime.Instant
	fixed string
}

func (s *timing) Emit(e *transcript.Event) {
	s.at = append(s.at, e.At)
	switch b := e.Body.(type) {
	case *transcript.ToolCall:
		if !slices.Contains(strings.Fields("Agent Task Read Grep Glob Edit"), b.Name) {
			s.fixed = b.Name
		}
	case *transcript.APIError:
		s.fixed = "a wait that the server names or the client draws"
	}
}
