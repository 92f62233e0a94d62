package cli

import (
	"fmt"
	"strconv"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/transcript/sqlite"
)

// printFanOuts prints siblings that wrote the same prefix since none could read
// what another was writing. Their first calls continue nothing, so they are no
// misses by themselves.
func printFanOuts(s *ui.Env, fans []sqlite.FanOut) error {
	if len(fans) == 0 {
		return nil
	}
	s.Printf("\nsiblings started before the first one's response began, which could not read what it wrote\n")
	t := report.NewTable(" CALL", "AGENT", "TYPE", " SIBLINGS", " WITHIN", " READ", " WRITTEN AGAIN", "SHARED")
	for i := range fans {
		f := &fans[i]
		var read int64
		for k := range f.Others {
			read += f.Others[k].Usage.Read
		}
		shared := "not known without content"
		if f.Shared > 0 {
			shared = fmt.Sprintf("blocks 1–%d", f.Shared)
		}
		t.Row(strconv.FormatInt(f.First.N, 10), f.First.Lineage, f.First.Type, strconv.Itoa(len(f.Others)), report.Time(f.Within()), ui.Count(read),
			"at most "+ui.Count(f.Again()), shared)
	}
	if err := t.Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	s.Printf("one that starts after that response has begun reads the shared part; agentsim whatif --stagger says what it saves\n")
	return nil
}
