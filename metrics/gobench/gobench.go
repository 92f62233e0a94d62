// Package gobench writes results in the Go benchmark format, which benchstat and
// its relatives read.
//
// Rules:
//   - Each metric is a unit of its own, declared with the direction in which it
//     is better and with assume=exact: two results of one name that differ are
//     then told as what they are, nondeterminism.
//   - A run is a benchmark of its own, seed included, since runs of two seeds may
//     differ.
//   - Values are written exactly as long as a double holds them: money in
//     dollars, time in seconds, a ratio as the nearest double.
package gobench

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agentsim/metrics"
	"agentsim/metrics/baseline"
)

// Write writes the runs' figures. The error is w's.
func Write(w io.Writer, semantics int, runs []*baseline.Run) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "agentsim-semantics: %d\n", semantics)
	for _, m := range baseline.Metrics() {
		if !slices.ContainsFunc(runs, func(r *baseline.Run) bool { _, ok := r.Figures[m.Name]; return ok }) {
			continue
		}
		better := ""
		if m.Better != "" {
			better = " better=" + m.Better
		}
		fmt.Fprintf(&b, "Unit %s%s assume=exact\n", Unit(m), better)
	}
	for _, r := range runs {
		fmt.Fprintf(&b, "Benchmark%s 1", name(r))
		for _, m := range baseline.Metrics() {
			if v, ok := r.Figures[m.Name]; ok {
				fmt.Fprintf(&b, " %s %s", number(v), Unit(m))
			}
		}
		b.WriteByte('\n')
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Unit is a metric's name as a unit: with what it is measured in where that is
// no count.
func Unit(m baseline.Metric) string {
	switch m.Unit {
	case metrics.Picodollars:
		return m.Name + "-USD"
	case metrics.Nanoseconds:
		return m.Name + "-sec"
	}
	return m.Name
}

// name is ForkVsSubagent/variant=fork/seed=42. A benchmark's name begins with a
// capital letter and holds no blanks.
func name(r *baseline.Run) string {
	var b strings.Builder
	up := true
	for _, c := range r.Scenario {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			up = true
			continue
		case up:
			c = unicode.ToUpper(c)
		}
		up = false
		b.WriteRune(c)
	}
	if r.Variant != "" {
		b.WriteString("/variant=" + strings.NewReplacer(" ", "_", "/", "_").Replace(r.Variant))
	}
	return b.String() + "/seed=" + strconv.FormatUint(r.Seed, 10)
}

// number writes a value so that its text is exact where a decimal can be.
func number(v metrics.Value) string {
	switch v.Unit {
	case metrics.Picodollars:
		return metrics.Decimal(v.Num, 12)
	case metrics.Nanoseconds:
		return metrics.Decimal(v.Num, 9)
	}
	if v.Den == 1 {
		return strconv.FormatInt(v.Num, 10)
	}
	return strconv.FormatFloat(v.Float(), 'g', -1, 64)
}
