package transcript

import (
	"encoding/hex"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/zeebo/xxh3"
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
	t.Run("CON-20 the digest is a function of the events, however they arrive", digestWays)
	t.Run("CON-20 an event costs no allocation on its way into the digest", noAllocation)
	t.Run("KRN-07 the last lines are kept for a report", lastLines)
	t.Run("REC-04 an unreadable record is an error and no difference", brokenRecord)
	t.Run("REC-04 a digest of another form says so", otherForm)
	t.Run("CON-20 a sink that fails writes nothing after that and says so", failingText)
}

func digestHeader(t *testing.T) {
	h := xxh3.Hash128([]byte("agentsim events 2 requests 1\n")).Bytes()
	if got, want := NewDigest().Sum(), "2:"+hex.EncodeToString(h[:]); got != want {
		t.Errorf("a digest begins as %s, want %s", got, want)
	}
}

func digestWays(t *testing.T) {
	direct, tee, seldom := NewDigest(), NewDigest(), NewDigest()
	ways := Tee(direct, nil, Tee(tee), seldom)
	sums := map[string]bool{}
	for i := range 200 { // past the size at which forms are hashed
		for _, e := range events() {
			e.Seq += uint64(i)
			ways.Emit(e)
			if i%50 == 0 {
				sums[direct.Sum()] = true // asking for it changes nothing
			}
		}
	}
	if direct.Sum() != tee.Sum() || direct.Sum() != seldom.Sum() {
		t.Errorf("digests %s, %s, %s", direct.Sum(), tee.Sum(), seldom.Sum())
	}
	if n := len(events()); len(sums) != 4*n || direct.Events() != 200*uint64(n) || len(direct.Sum()) != len("2:")+32 {
		t.Errorf("%d sums, %d events, %s", len(sums), direct.Events(), direct.Sum())
	}
}

func noAllocation(t *testing.T) {
	for _, e := range events() {
		d := NewDigest()
		if n := testing.AllocsPerRun(100, func() { d.Emit(e) }); n != 0 {
			t.Errorf("%s: %v allocations", e.Body.Kind(), n)
		}
	}
}

func lastLines(t *testing.T) {
	all := strings.Split(strings.TrimSpace(exampleLines()), "\n")
	d := NewDigest()
	for round := range 40 {
		for i, e := range events() {
			d.Emit(e)
			if i%7 == 0 {
				d.Sum()
			}
			want := all[:i+1]
			if round > 0 {
				want = append(slices.Clone(all), want...)
			}
			want = want[max(0, len(want)-lastEvents):]
			if got := d.Last(); !slices.Equal(got, want) {
				t.Fatalf("after %d events of round %d:\n%s\nwant\n%s", i+1, round, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

func otherForm(t *testing.T) {
	for digest, want := range map[string]string{
		NewDigest().Sum():                  "",
		"":                                 "", // of a run that has not ended
		"7" + NewDigest().Sum():            "form 72",
		"883eecda3f5eb0b03c4a75bdf217204e": "over the text of its events (form 1)",
	} {
		if got := OtherForm(digest); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", digest, got, want)
		}
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
