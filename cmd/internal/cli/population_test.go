package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
)

func TestPopulationStopped(t *testing.T) {
	t.Run("POP-02 CLI-02 Ctrl-C prints what the first shards came to, which is what as many sessions come to", func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "crowd.yaml")
		text := "agentsim: 1\nname: crowd\nprovider: {model: claude-sonnet-5-5}\npopulation: {sessions: 1_000_000, shard: 5}\nscript: {main: {user: Where?}, answers: [{agent: main, turns: [{say: There.}]}]}\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var looks atomic.Int64 // at the clock: the store takes one for each shard
		signals := make(chan os.Signal, 1)
		code, stdout, stderr := try(func(s *ui.Env) {
			s.Interrupt = signals
			s.Now = func() time.Time {
				if looks.Add(1) == 100 {
					signals <- os.Interrupt
				}
				return time.Unix(0, 0)
			}
		}, "run", file, "--record", "totals", "--db", filepath.Join(dir, "x.db"))
		said := regexp.MustCompile(`interrupted: these are the first (\d+) of 200000 shards`).FindStringSubmatch(stdout)
		if code != ui.Interrupted || said == nil || said[1] == "0" || !strings.Contains(stderr, "interrupted after "+said[1]+" of 200,000 shards") {
			t.Fatalf("%d\n%s%s", code, stdout, stderr)
		}
		shards, _ := strconv.Atoi(said[1]) // digits
		digest := regexp.MustCompile(`digest +([0-9a-f]{32})\n`)
		first := digest.FindStringSubmatch(stdout)
		_, whole, _ := try(nil, "run", file, "--set", "population.sessions="+strconv.Itoa(5*shards))
		if second := digest.FindStringSubmatch(whole); first == nil || second == nil || first[1] != second[1] {
			t.Errorf("%v, and of as many sessions %v\n%s", first, second, whole)
		}
	})
}
