package sim_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// eachOfLibrary calls fn with every variant of every scenario of the library.
func eachOfLibrary(fn func(name string, spec *sim.Spec) error) error {
	for _, entry := range scenarios.Names() {
		f, err := scenarios.Open(entry)
		if err != nil {
			return err
		}
		for _, variant := range f.VariantNames() {
			sc, err := f.Effective(variant, nil)
			if err != nil {
				return err
			}
			spec, err := sim.NewSpec(sc, variant)
			if err != nil {
				return err
			}
			if err := fn(entry+"/"+variant, spec); err != nil {
				return err
			}
		}
	}
	return nil
}

// libraryRuns is eachOfLibrary for what cannot fail.
func libraryRuns(t testing.TB, fn func(name string, spec *sim.Spec)) {
	t.Helper()
	if err := eachOfLibrary(func(name string, spec *sim.Spec) error { fn(name, spec); return nil }); err != nil {
		t.Fatal(err)
	}
}

// libraryRun is a run of the library and what it came to.
type libraryRun struct {
	name string
	spec *sim.Spec
	res  *sim.Result
	bill *metrics.Run
}

// libraryOnce runs the library once, for all tests that ask what it comes to.
var libraryOnce = sync.OnceValues(func() (all []libraryRun, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	err = eachOfLibrary(func(name string, spec *sim.Spec) error {
		fold := metrics.New(metrics.Options{Price: spec.Priced})
		res, err := sim.Run(spec, sim.Options{Sinks: []transcript.Sink{fold}})
		if err == nil && res.Outcome != sim.Completed {
			err = fmt.Errorf("%s ended as %s: %s", name, res.Outcome, res.Detail)
		}
		all = append(all, libraryRun{name, spec, res, fold.Run()})
		return err
	})
	return all, err
})

// libraryResults are what the library's runs came to.
func libraryResults(t *testing.T) []libraryRun {
	t.Helper()
	all, err := libraryOnce()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestLibrary(t *testing.T) {
	t.Run("KRN-08 KRN-01 every run of the library gives one digest in a process with another processor count, garbage collection, time zone, locale and home", func(t *testing.T) {
		if testing.Short() {
			t.Skip("runs the library")
		}
		there := libraryDigests(t, "TZ=Asia/Kathmandu", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8", "HOME=/", "GOMAXPROCS=1", "GOGC=20", "FORK_SUBAGENT=true")
		for _, r := range libraryResults(t) {
			if line := r.digestLine(); !slices.Contains(there, line) {
				t.Errorf("%q is not among\n%s", line, strings.Join(there, "\n"))
			}
		}
		if len(there) < 8 {
			t.Errorf("only %d runs", len(there))
		}
	})
	t.Run("CACHE-L1 CACHE-L2 CACHE-L3 no call of the library breaks a conservation law", func(t *testing.T) {
		var checks int64
		for _, r := range libraryResults(t) {
			checks += r.res.Checks
		}
		if checks < 500 {
			t.Errorf("only %d checks were made", checks)
		}
	})
}

// digestLine is what a process prints of a run.
func (r *libraryRun) digestLine() string {
	return fmt.Sprintf("digest %s %s %s", r.name, r.spec.RunID(), r.res.Digest)
}

// digestsAsked is set in the process that prints the library's digests.
const digestsAsked = "AGENTSIM_TEST_DIGESTS"

// libraryDigests runs the library in a process of its own.
func libraryDigests(t *testing.T, env ...string) (lines []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestPrintDigests$", "-test.count=1")
	cmd.Env = append(os.Environ(), append(env, digestsAsked+"=1")...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "digest ") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// TestPrintDigests is the other process of libraryDigests; it does nothing in
// this one.
func TestPrintDigests(t *testing.T) {
	if os.Getenv(digestsAsked) == "" {
		return
	}
	for _, r := range libraryResults(t) {
		fmt.Println(r.digestLine())
	}
}
