package transcript

import (
	"errors"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestStories runs the commands
//
//	lines    the canonical line of an example of each kind
//	compare  the lines before = as the record, those after as the new run
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				switch d.Cmd {
				case "lines":
					return exampleLines()
				case "compare":
					return compareLines(t, d.Input)
				}
				d.Fatalf(t, "unknown command %s", d.Cmd)
				return ""
			})
		})
	})
}

func exampleLines() string {
	var out strings.Builder
	s := NewText(&out)
	for _, e := range events() {
		s.Emit(e)
	}
	return out.String()
}

func linesOf(s string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for line := range strings.Lines(s) {
			if !yield(strings.TrimSuffix(line, "\n"), nil) {
				return
			}
		}
	}
}

func compareLines(t *testing.T, input string) string {
	want, got, ok := strings.Cut("\n"+input+"\n", "\n=\n")
	if !ok {
		t.Fatal("no = between the two")
	}
	d, err := Compare(linesOf(strings.TrimPrefix(want, "\n")), linesOf(got))
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		return "equal\n"
	}
	return d.String() + "\n"
}

func TestSinks(t *testing.T) {
	t.Run("CON-01 the versions of both forms are part of every digest", digestHeader)
	t.Run("CON-20 the digest is a function of the lines, however they arrive", digestWays)
	t.Run("CON-20 an event costs no allocation on its way into the digest", noAllocation)
	t.Run("KRN-07 the last lines are kept for a report", ring)
	t.Run("REC-04 an unreadable record is an error and no difference", brokenRecord)
	t.Run("CON-20 a sink that fails writes nothing after that and says so", failingText)
}

func digestHeader(t *testing.T) {
	d := NewDigest()
	if got, want := string(d.buf), "agentsim transcript 1 canonical form 1\n"; got != want {
		t.Errorf("a digest begins with %q, want %q", got, want)
	}
	empty := d.Sum()
	if d.hash.Reset(); d.Sum() == empty {
		t.Error("the header is not hashed")
	}
}

func digestWays(t *testing.T) {
	direct, tee, rendered := NewDigest(), NewDigest(), NewDigest()
	ways := Tee(direct, nil, Tee(tee), Lines(rendered))
	sums := map[string]bool{}
	for i := range 200 { // past the size at which text is hashed
		for _, e := range events() {
			e.Seq += uint64(i)
			ways.Emit(e)
		}
		if i%50 == 0 {
			sums[direct.Sum()] = true // asking for it changes nothing
		}
	}
	if direct.Sum() != tee.Sum() || direct.Sum() != rendered.Sum() {
		t.Errorf("digests %s, %s, %s", direct.Sum(), tee.Sum(), rendered.Sum())
	}
	if len(sums) != 4 || direct.Events() != 200*uint64(len(events())) || len(direct.Sum()) != 32 {
		t.Errorf("%d sums, %d events, %s", len(sums), direct.Events(), direct.Sum())
	}
}

func noAllocation(t *testing.T) {
	for _, e := range events() {
		s := Lines(NewDigest(), NewRing(3))
		if n := testing.AllocsPerRun(100, func() { s.Emit(e) }); n != 0 {
			t.Errorf("%s: %v allocations", e.Body.Kind(), n)
		}
	}
}

func ring(t *testing.T) {
	r, few := NewRing(3), NewRing(100)
	both := Lines(r, few)
	all := strings.Split(strings.TrimSpace(exampleLines()), "\n")
	for _, e := range events() {
		both.Emit(e)
	}
	if got := strings.Join(r.Last(), "\n"); got != strings.Join(all[len(all)-3:], "\n") {
		t.Errorf("the last three lines:\n%s", got)
	}
	if got := strings.Join(few.Last(), "\n"); got != strings.Join(all, "\n") {
		t.Errorf("fewer lines than the ring holds:\n%s", got)
	}
}

var errBroken = errors.New("broken")

func brokenRecord(t *testing.T) {
	broken := func(yield func(string, error) bool) {
		_ = yield("a", nil) && yield("", errBroken)
	}
	for _, sides := range [][2]iter.Seq2[string, error]{{broken, linesOf("a\nb\n")}, {linesOf("a\nb\n"), broken}, {broken, linesOf("a\n")}} {
		if d, err := Compare(sides[0], sides[1]); d != nil || !errors.Is(err, errBroken) {
			t.Errorf("got %v, %v", d, err)
		}
	}
}

// fullDisk takes one write.
type fullDisk struct{ writes int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.writes++; f.writes > 1 {
		return 0, errBroken
	}
	return len(p), nil
}

func failingText(t *testing.T) {
	w := &fullDisk{}
	s := NewText(w)
	for _, e := range events() {
		s.Emit(e)
	}
	if w.writes != 2 || !errors.Is(s.Err(), errBroken) {
		t.Errorf("%d writes, error %v", w.writes, s.Err())
	}
}
