//go:build !mutants

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "mutants: nothing can be broken in this build; use go run -tags mutants ./cmd/internal/mutants")
	os.Exit(2)
}
