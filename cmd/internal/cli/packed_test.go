package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording/recordingtest"
	"agentsim/sim/transcript/sqlite"
)

func TestPackedRecord(t *testing.T) {
	t.Run("SPD-07-packed every command says of packed runs what it says of the same runs in full, and writes the same files", sameOfPacked)
	t.Run("SPD-07-packed a session of recorded length takes less than a ninetieth of its prompts", ninetieth)
}

// ofRecords are the commands that read a record; A is a run's id and B another one's.
var ofRecords = []string{
	"inspect", "inspect A", "inspect A -o json", "inspect A --misses", "inspect A --phases", "inspect A --call 2", "inspect A --call 2 --blocks", "inspect A --said main",
	"inspect A --reprice provider.ttl=1h", "inspect C", "inspect C --misses", "inspect C --call 2 --blocks", "inspect C --said main",
	"replay A", "replay B", "report A B --output report.html", "export A --output sessions", "export A B --format perfetto --output traces", "export C --output exported",
	"compare A B", "lab lint A", "lab lint C", "lab diff A:1 A:2", "lab diff A:1 B:2", "lab diff C:1 C:2", "whatif C", "whatif C --structure fork", "whatif A", "whatif A --ttl main=1h",
	"scenario from C -o c.yaml", "scenario from A -o a.yaml", "profile C", "crossover A B", "lab db check", "run injection --variant guarded-background --record calls", "runs rm B", "inspect",
}

// sameOfPacked runs each command in two directories: in one the runs are packed.
func sameOfPacked(t *testing.T) {
	long(t)
	var said [2][]string
	removed := ""
	for i, level := range []string{"full", "packed"} {
		t.Chdir(t.TempDir())
		if err := errorsOf(os.MkdirAll("projects", 0o755), os.WriteFile("projects/33333333-2222-4333-8444-555555555555.jsonl", []byte(secretSession), 0o644)); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"run injection --variant guarded-background", "run fork-vs-subagent --variant fork --variant subagent-background", "import projects --with-content"} {
			code, out, errs := try(nil, append(strings.Fields(line), "--record", level)...)
			if code != ui.Pass {
				t.Fatal(line, out, errs)
			}
			said[i] = append(said[i], out+errs)
		}
		ids := strings.NewReplacer("A", runOf(t, "fork-vs-subagent", "fork"), "B", usualRun(t, "injection"), "C", usualRun(t, "claude-code/33333333"))
		for _, line := range ofRecords {
			args := strings.Fields(line)
			for k := range args {
				if regexp.MustCompile(`^[ABC](:|$)`).MatchString(args[k]) {
					args[k] = ids.Replace(args[k])
				}
			}
			code, out, errs := try(nil, args...)
			switch line {
			case "inspect":
				out = strings.ReplaceAll(regexp.MustCompile(" +").ReplaceAllString(out, " "), " packed ", " full ")
			case "runs rm B":
				removed += out
				out = ""
			}
			out = strings.ReplaceAll(out, "at level packed", "at level full") // where a run says what it is
			said[i] = append(said[i], fmt.Sprintf("%s: exit code %d\n%s%s", line, code, out, errs))
		}
		said[i] = append(said[i], filesBut(t, rundb.UsualName)...)
	}
	if d := cmp.Diff(said[0], said[1]); d != "" {
		t.Errorf("of packed runs is said otherwise:\n%s", d)
	}
	if !regexp.MustCompile(`with [1-9]\d blocks and [1-9]\d contents that only they held\n.*with 0 blocks and 0 contents that only they held, and 1?[0-9],\d{3} bytes of packed rows\n$`).MatchString(removed) {
		t.Errorf("removed are %s", removed)
	}
	passed := 0
	for _, text := range said[1] {
		if strings.Contains(text, ": exit code 0\n") {
			passed++
		}
	}
	if passed < 34 {
		t.Errorf("only %d of %d commands passed:\n%s", passed, len(ofRecords), strings.Join(said[1], "\n")[:4000])
	}
}

// runOf is the run of a variant.
func runOf(t *testing.T, name, variant string) string {
	t.Helper()
	return column(t, rundb.UsualName, `SELECT substr(id, 1, 8) FROM runs WHERE name = '`+name+`' AND variant = '`+variant+`'`)[0]
}

// filesBut are the files below the current directory with what is in them, but one.
func filesBut(t *testing.T, name string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == name {
			return err
		}
		text, err := os.ReadFile(path)
		out = append(out, path+"\n"+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sizes records what a line runs or imports in full and packed: the bytes of its
// prompts, and of both files.
func sizes(t testing.TB, line string) (prompts, full, packed int64) {
	t.Helper()
	args := strings.Fields(line)
	for _, level := range []string{"full", "packed"} {
		if code, out, errs := try(nil, append(args, "--record", level, "--db", level+".db")...); code != ui.Pass {
			t.Fatal(line, out, errs)
		}
	}
	eachPrompt(t, func(text []byte) { prompts += int64(len(text)) })
	return prompts, size(t, "full.db"), size(t, "packed.db")
}

func size(t testing.TB, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// eachPrompt gives the prompts of all calls, as they are unpacked.
func eachPrompt(t testing.TB, each func(text []byte)) {
	t.Helper()
	db, err := sqlite.Open("packed.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		calls, err := db.Calls(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			text, err := db.RequestBytes(r.ID, c.Seq)
			if err != nil {
				t.Fatal(err)
			}
			each(text)
		}
	}
}

// smaller is how many times smaller than the prompts a packed record is to be.
const smaller = 90

func ninetieth(t *testing.T) {
	t.Chdir(t.TempDir())
	prompts, full, packed := sizes(t, "run day-session")
	if prompts < 80_000_000 || packed*smaller > prompts {
		t.Errorf("prompts of %d bytes, in full %d, packed %d: %.1f times smaller", prompts, full, packed, float64(prompts)/float64(packed))
	}
}

// BenchmarkPacked tells how large records are, simulated ones whose sessions are as long
// as recorded ones, and recorded ones; and what the library makes of the file in full,
// and of the prompts one after the other.
func BenchmarkPacked(b *testing.B) {
	for _, name := range []string{"day-session", "all-ways", "marot__spotter", "entireio__git-sync"} {
		b.Run(name, func(b *testing.B) {
			line := "run " + name
			if strings.Contains(name, "__") {
				line = "import --with-content " + recordingtest.Path(b, "sessions", name)
			}
			for b.Loop() {
				b.Chdir(b.TempDir())
				prompts, full, packed := sizes(b, line)
				zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(128<<20))
				if err != nil {
					b.Fatal(err)
				}
				file, err := os.ReadFile("full.db")
				if err != nil {
					b.Fatal(err)
				}
				whole, streamed := int64(len(zip.EncodeAll(file, nil))), counter(0)
				zip.Reset(&streamed)
				eachPrompt(b, func(text []byte) { _, _ = zip.Write(text) })
				if err := zip.Close(); err != nil {
					b.Fatal(err)
				}
				of := func(n int64) string {
					return fmt.Sprintf("%d bytes (%.1f times smaller)", n, float64(prompts)/float64(n))
				}
				b.Logf("%s: prompts %d bytes; in full %s; packed %s, bar %d; beside it zstd of the file in full %s, of the prompts %s",
					name, prompts, of(full), of(packed), smaller, of(whole), of(int64(streamed)))
				b.ReportMetric(float64(prompts)/float64(packed), "times")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
