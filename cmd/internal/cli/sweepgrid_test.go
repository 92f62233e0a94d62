package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"
)

func TestSweepGrid(t *testing.T) {
	t.Run("CLI-06 runs are stored about each second, however few they are", storedEachSecond)
	t.Run("CLI-06 a grid that is too large is refused before it is laid out, also where its size fits in no integer", tooLarge)
}

// storedEachSecond reads the database while the sweep goes on, each time the
// clock is asked: a second later than before. A batch is handed over when the one
// before is stored, so at the end some are in the file.
func storedEachSecond(t *testing.T) {
	path, most := filepath.Join(t.TempDir(), "x.db"), 0
	var mu sync.Mutex
	now := time.Unix(0, 0)
	code, _, stderr := try(func(s *ui.Env) {
		s.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(time.Second)
			if db, err := sqlite.Open(path); err == nil {
				if runs, err := db.Runs(); err == nil {
					most = max(most, len(runs))
				}
				db.Close()
			}
			return now
		}
	}, "sweep", "hello", "--seeds", "20", "--workers", "1", "--db", path)
	if code != ui.Pass || most == 0 || most > 20 {
		t.Errorf("code %d, %d runs in the database before the end\n%s", code, most, stderr)
	}
}

func tooLarge(t *testing.T) {
	code, _, stderr := try(nil, "sweep", "hello", "--set", "a="+thousand(), "--set", "b="+thousand(), "--set", "c="+thousand(), "--set", "d="+thousand())
	if code != ui.Usage || !strings.Contains(stderr, "a sweep has at most so many") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func thousand() string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "%d,", i)
	}
	return strings.TrimSuffix(b.String(), ",")
}
