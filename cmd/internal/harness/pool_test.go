package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestConcurrentJobs(t *testing.T) {
	t.Run("CON-22 jobs begin and end in their order, whatever order their work ends in", poolOrder)
	t.Run("CON-22 CLI-02 after a failure no job begins, those that had begun are ended, and the first job's error is told", poolFails)
	t.Run("CON-22 CLI-02 a panic in any step of a job is told where the pool was run", poolPanics)
	t.Run("CON-22 jobs that are over wait for one that is not, and no more than a few begin meanwhile", poolWaits)
}

func always() bool { return true }

// poolOrder holds each job's work back until the next job's is done, so that
// work ends in the opposite order.
func poolOrder(t *testing.T) {
	const n = 5
	gates := make([]chan bool, n+1)
	for i := range gates {
		gates[i] = make(chan bool)
	}
	close(gates[n])
	var said []string
	err := Ordered(n, n, always, func(i int) (Task, error) {
		said = append(said, fmt.Sprint("begin ", i))
		return Task{func() { <-gates[i+1]; close(gates[i]) }, func() error { said = append(said, fmt.Sprint("end ", i)); return nil }}, nil
	})
	want := []string{"begin 0", "begin 1", "begin 2", "begin 3", "begin 4", "end 0", "end 1", "end 2", "end 3", "end 4"}
	if err != nil || !slices.Equal(said, want) {
		t.Errorf("%v %q", err, said)
	}
}

func poolFails(t *testing.T) {
	for _, failing := range []string{"begin 2", "end 1", "begin 2 end 0"} {
		var begun, ended []int
		step := func(what string, i int, list *[]int) error {
			*list = append(*list, i)
			if step := fmt.Sprint(what, " ", i); strings.Contains(failing, step) {
				return errors.New(step)
			}
			return nil
		}
		err := Ordered(100, 1, always, func(i int) (Task, error) {
			return Task{func() {}, func() error { return step("end", i, &ended) }}, step("begin", i, &begun)
		})
		if want := failing[len(failing)-len("end 0"):]; err == nil || failing != "begin 2" && err.Error() != want {
			t.Errorf("%s: %v", failing, err)
		}
		if len(begun) == 100 || failing == "begin 2" && !slices.Equal(ended, []int{0, 1}) || failing == "end 1" && !slices.Equal(ended, begun) {
			t.Errorf("%s: %v began, %v ended", failing, begun, ended)
		}
	}
}

func poolPanics(t *testing.T) {
	for _, bad := range []string{"begin", "work", "end"} {
		step := func(what string) {
			if what == bad {
				panic("fell over in " + what)
			}
		}
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, "fell over in "+bad) || !strings.Contains(p, "poolPanics") {
					t.Errorf("told %s", p)
				}
			}()
			_ = Ordered(2, 2, always, func(int) (Task, error) {
				step("begin")
				return Task{func() { step("work") }, func() error { step("end"); return nil }}, nil
			})
			t.Errorf("no panic after one in %s", bad)
		}()
	}
}

// poolWaits has a first job that is over when the others have begun as far as they
// may.
func poolWaits(t *testing.T) {
	const workers = 3
	begun, over := 0, make(chan bool)
	err := Ordered(100, workers, always, func(i int) (Task, error) {
		begun++
		if begun == workers+2 {
			close(over)
		}
		return Task{func() {
			if i == 0 {
				<-over
			}
		}, func() error {
			if i == 0 && begun > 2*workers+3 {
				t.Errorf("%d jobs began before the first ended", begun)
			}
			return nil
		}}, nil
	})
	if err != nil {
		t.Error(err)
	}
}
