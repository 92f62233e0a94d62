// Command statements reads what `go test -json` prints: it reports failures and
// writes STATEMENTS.md, which tests prove which statements of the specification.
//
//	go test -json ./... | go run ./cmd/internal/statements -write STATEMENTS.md
//	go test -json ./... | go run ./cmd/internal/statements -check STATEMENTS.md
//
// Rules:
//   - A proof is a test or subtest that ran and whose own name holds the whole id of
//     a statement, such as CACHE-13. There is no second list to keep.
//   - A proof that needs recorded data says so, since it is skipped where that data
//     is not.
//   - It exits with 1 when a test failed, or was skipped although recorded data was
//     there, or when the list is out of date.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the command; it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("statements", flag.ContinueOnError)
	flags.SetOutput(stderr)
	check := flags.String("check", "", "fail if this `file` is not the list")
	write := flags.String("write", "", "write the list into this `file`")
	mutants := flags.String("mutants", "", "results of the mutants, as make mutants writes them")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	log, err := read(stdin, stdout)
	var broken map[id]score
	if err == nil && *mutants != "" {
		broken, err = readMutants(*mutants)
	}
	if err != nil {
		fmt.Fprintf(stderr, "statements: %v\n", err)
		return 1
	}
	list := render(log.proofs(), broken)
	passed, failed, skipped := log.count()
	fmt.Fprintf(stdout, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	switch {
	case failed > 0 || log.unbuilt:
		return 1
	case skipped > 0 && os.Getenv("AGENTSIM_DATA") != "":
		fmt.Fprintf(stderr, "skipped although AGENTSIM_DATA is set:\n%s", log.skips())
		return 1
	case *write != "":
		err = os.WriteFile(*write, list, 0o644)
	case *check != "" && skipped > 0:
		fmt.Fprintf(stdout, "%s was not compared: some tests need recorded data (AGENTSIM_DATA)\n", *check)
	case *check != "":
		err = compare(*check, list)
	}
	if err != nil {
		fmt.Fprintf(stderr, "statements: %v\n", err)
		return 1
	}
	return 0
}

// compare holds the file against what it should be.
func compare(name string, list []byte) error {
	old, err := os.ReadFile(name)
	if err == nil && !bytes.Equal(old, list) {
		err = fmt.Errorf("%s is out of date: run make accept", name)
	}
	return err
}
