package cli

import (
	"fmt"
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
		said := regexp.MustCompile(`interrupted: these are the first (\d+) of 1,000,000 sessions, (\d+) of 200,000 shards\n`).FindStringSubmatch(stdout)
		if code != ui.Interrupted || said == nil || said[2] == "0" || !strings.HasSuffix(stderr, "interrupted after "+said[2]+" of 200,000 shards\n") {
			t.Fatalf("%d\n%s%s", code, stdout, stderr)
		}
		shards, _ := strconv.Atoi(said[2]) // digits
		if head := fmt.Sprintf("crowd   %s of 1,000,000 sessions · %d of 200,000 shards of 5 · ", said[1], shards); said[1] != strconv.Itoa(5*shards) || !strings.HasPrefix(stdout, head) {
			t.Errorf("%s\nis not headed by %s", stdout, head)
		}
		digest := regexp.MustCompile(`digest +([0-9a-f]{32})\n`)
		first := digest.FindStringSubmatch(stdout)
		_, whole, _ := try(nil, "run", file, "--set", "population.sessions="+strconv.Itoa(5*shards))
		if second := digest.FindStringSubmatch(whole); first == nil || second == nil || first[1] != second[1] {
			t.Errorf("%v, and of as many sessions %v\n%s", first, second, whole)
		}
	})
	t.Run("POP-02 CLI-02 Ctrl-C before a shard is over leaves no figures, and says so", func(t *testing.T) {
		signals := make(chan os.Signal)
		code, stdout, stderr := try(func(s *ui.Env) {
			s.Interrupt = signals
			s.Now = func() time.Time {
				if s.Waiting.Load() {
					for signals <- os.Interrupt; s.Waiting.Load(); {
						time.Sleep(time.Millisecond)
					}
				}
				return time.Unix(0, 0)
			}
		}, "run", "explore-at-scale", "--variant", "omitted", "--variant", "short-md", "--set", "population={sessions:60,workspace:5,shard:5}")
		want := regexp.MustCompile(`^explore-at-scale   0 of 60 sessions · 0 of 12 shards of 5 · seed 42 · .*\n\n` +
			`unfinished   omitted: interrupted before any of 12 shards was over: there are no figures\n +short-md was not begun\n` +
			`assumed      population: workspaces of 5 sessions, which share a cache and begin all at once\n`)
		if code != ui.Interrupted || !want.MatchString(stdout) || strings.Contains(stdout, "calls") || strings.Contains(stdout, "none broken") || stderr != "interrupted after 0 of 12 shards\n" {
			t.Errorf("%d\n%s%s", code, stdout, stderr)
		}
	})
}
