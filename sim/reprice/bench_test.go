package reprice_test

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/reprice"
)

// BenchmarkPlay reads the record of a run of 1,000 calls, ten conversations of a
// hundred, and asks the cache by its own settings and by another.
func BenchmarkPlay(b *testing.B) {
	db := database(b)
	id, _ := record(b, db, specOf(b, thousand()))
	b.ReportAllocs()
	for b.Loop() {
		r, err := reprice.Load(db, id)
		if err != nil {
			b.Fatal(err)
		}
		own, _, err := r.Play([]string{"provider.ttl=1h"}, nil)
		if err != nil || len(own.Calls) != 1000 {
			b.Fatal(len(own.Calls), err)
		}
	}
}

func thousand() string {
	var s strings.Builder
	s.WriteString("agentsim: 1\nname: thousand\nprovider: {model: claude-sonnet-4-5-20250929, ttl: 5m}\nscript:\n  roots:\n")
	for i := range 10 {
		fmt.Fprintf(&s, "  - {name: r%d, user: {tokens: 3000}, then: [%s]}\n", i, strings.Repeat("{after: 1s, message: {tokens: 200}}, ", 98)+"{after: 1s, message: more}")
	}
	s.WriteString("scripts:\n  - {agent: \"*\", turns: [" + strings.Repeat("{text: {tokens: 100}}, ", 99) + "{text: end}]}\n")
	return s.String()
}
