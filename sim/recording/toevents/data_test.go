package toevents_test

import (
	"io/fs"
	"os"
	"testing"

	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
	"agentsim/sim/recording/judge"
	"agentsim/sim/recording/recordingtest"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript"

	"github.com/google/go-cmp/cmp"
)

// dataDir finds the recorded sessions.
func dataDir(t *testing.T) string {
	t.Helper()
	return recordingtest.Path(t, "sessions")
}

// TestRecorded imports real sessions.
func TestRecorded(t *testing.T) {
	dir := dataDir(t)
	t.Run("REC-06 CACHE-L6 every real session comes back from the tables as it was read, and its bill is the sum over its requests", func(t *testing.T) {
		db := newDB(t)
		imported, requests := 0, 0
		read(t, dir, func(s *recording.Session) {
			id := store(t, db, s)
			info, err := db.FindRun(id)
			if err != nil {
				t.Fatal(err)
			}
			if want := billOf(s); info.Cost != want || info.Usage != s.Usage() {
				t.Errorf("%s %s: the run costs %d for %v, its requests %d for %v", s.Format, s.ID, info.Cost, info.Usage, want, s.Usage())
			}
			got, err := db.Recording(id)
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.Requests {
				s.Requests[i].Said, s.Requests[i].Answer, s.Requests[i].Blocks = nil, nil, nil
			}
			if d := cmp.Diff(s, got); d != "" {
				t.Errorf("%s %s: not what was read:\n%.2000s", s.Format, s.ID, d)
			}
			imported, requests = imported+1, requests+len(s.Requests)
		})
		t.Logf("%d imports, %d requests", imported, requests)
		if imported < 10 {
			t.Errorf("only %d sessions were imported", imported)
		}
	})
	t.Run("REC-06 the rows of requests are told in order too, and each digest is the same twice", func(t *testing.T) {
		rows := 0
		for s := range readAll(t, dir, "requests.jsonl.gz") {
			w := &watch{alive: map[int32]bool{}, asked: map[int32]bool{}}
			var sums [2]string
			for i := range sums {
				d := transcript.NewDigest()
				if err := toevents.Emit(s, judge.Classify(s), transcript.Tee(d, w)); err != nil {
					t.Fatal(err)
				}
				sums[i] = d.Sum()
				if w.told != len(s.Requests) || len(w.faults) > 0 {
					t.Fatalf("%s: %d of %d requests told; %v", s.ID, w.told, len(s.Requests), w.faults)
				}
				w = &watch{alive: map[int32]bool{}, asked: map[int32]bool{}}
			}
			if sums[0] != sums[1] {
				t.Errorf("%s has two digests", s.ID)
			}
			rows += len(s.Requests)
		}
		if rows < 15_000 {
			t.Errorf("only %d rows were told", rows)
		}
	})
}

// read imports every session but the rows.
func read(t *testing.T, dir string, each func(*recording.Session)) {
	t.Helper()
	roots, err := fs.Glob(os.DirFS(dir), "*__*")
	if err != nil || len(roots) == 0 {
		t.Fatal(roots, err)
	}
	if _, err := importer.Read(os.DirFS(dir), roots, importer.Options{Content: true}, func(s *recording.Session) error {
		each(s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// readAll gives the sessions of one file.
func readAll(t *testing.T, dir, name string) func(func(*recording.Session) bool) {
	return func(yield func(*recording.Session) bool) {
		_, err := importer.Read(os.DirFS(dir), []string{name}, importer.Options{}, func(s *recording.Session) error {
			if !yield(s) {
				t.Fatal("ended early")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func billOf(s *recording.Session) (sum int64) {
	for i := range s.Requests {
		if r := &s.Requests[i]; r.Billed {
			c, _ := price(r.Model, r.Usage)
			sum += c
		}
	}
	return sum
}
