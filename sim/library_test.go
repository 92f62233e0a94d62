package sim_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
)

// libraryRuns calls fn with every variant of every scenario of the library.
func libraryRuns(t testing.TB, fn func(name string, spec *sim.Spec)) {
	t.Helper()
	for _, entry := range scenarios.Names() {
		f, err := scenarios.Open(entry)
		if err != nil {
			t.Fatal(err)
		}
		for _, variant := range f.VariantNames() {
			sc, err := f.Effective(variant, nil)
			if err != nil {
				t.Fatal(err)
			}
			spec, err := sim.NewSpec(sc, variant)
			if err != nil {
				t.Fatal(err)
			}
			fn(entry+"/"+variant, spec)
		}
	}
}

func TestLibrary(t *testing.T) {
	t.Run("KRN-08 every run of the library gives one digest under other processor counts and garbage collection", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes seconds")
		}
		libraryRuns(t, func(name string, spec *sim.Spec) {
			diff, err := verify(spec)
			if err != nil || diff != nil {
				t.Errorf("%s: %v %v", name, err, diff)
			}
		})
	})
	t.Run("KRN-08 KRN-01 every run of the library gives one digest in processes with another time zone, locale and home", func(t *testing.T) {
		here := libraryDigests(t, "TZ=UTC", "LANG=C", "GOMAXPROCS=1", "GOGC=20")
		there := libraryDigests(t, "TZ=Asia/Kathmandu", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8", "HOME=/", "GOMAXPROCS=4", "GOGC=off", "FORK_SUBAGENT=true")
		if here != there || strings.Count(here, "\n") < 8 {
			t.Errorf("digests differ, or are few:\n%s\n%s", here, there)
		}
	})
	t.Run("CACHE-L1 CACHE-L2 CACHE-L3 no call of the library breaks a conservation law", func(t *testing.T) {
		var checks int64
		libraryRuns(t, func(name string, spec *sim.Spec) {
			res, err := sim.Run(spec, sim.Options{})
			if err != nil || res.Outcome != sim.Completed {
				t.Errorf("%s: %v %v", name, res, err)
				return
			}
			checks += res.Checks
		})
		if checks < 500 {
			t.Errorf("only %d checks were made", checks)
		}
	})
}

// digestsAsked is set in the process that prints the library's digests.
const digestsAsked = "AGENTSIM_TEST_DIGESTS"

// libraryDigests runs the library in a process of its own.
func libraryDigests(t *testing.T, env ...string) string {
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
	var lines []string
	for _, line := range strings.SplitAfter(string(out), "\n") {
		if strings.HasPrefix(line, "digest ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// TestPrintDigests is the other process of libraryDigests; it does nothing in
// this one.
func TestPrintDigests(t *testing.T) {
	if os.Getenv(digestsAsked) == "" {
		return
	}
	var b bytes.Buffer
	libraryRuns(t, func(name string, spec *sim.Spec) {
		fmt.Fprintf(&b, "digest %s %s %s\n", name, spec.RunID(), runOf(t, spec).Digest)
	})
	os.Stdout.Write(b.Bytes())
}
