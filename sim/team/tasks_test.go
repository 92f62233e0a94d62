package team

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func list(t *testing.T, n int) *List {
	t.Helper()
	l := &List{}
	for range n {
		if _, err := l.Create(Task{Subject: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func to(s Status) Change { return Change{Status: &s} }

func TestTasks(t *testing.T) {
	t.Run("SWM-08 of any number of claims of one task one wins, and the owner changes only as the owner or the lead says", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			l := &List{}
			_, _ = l.Create(Task{Subject: "s"})
			owner := ""
			for range rapid.IntRange(1, 12).Draw(t, "steps") {
				by := rapid.SampledFrom([]string{"alice", "bob", "carol"}).Draw(t, "by")
				c := to(rapid.SampledFrom([]Status{Taken, Taken, Done, Open}).Draw(t, "status"))
				if rapid.Bool().Draw(t, "names") {
					c.Owner = &by
				}
				x, err := l.Update(by, 1, c)
				if owner != "" && owner != by && (err == nil || x.Owner != owner) {
					t.Fatalf("%s took it from %s: %v", by, owner, x)
				}
				if err == nil {
					owner = x.Owner
				}
			}
		})
	})
	t.Run("SWM-08 a task that waits for others cannot be begun, and nothing waits for itself", testDependencies)
	t.Run("SWM-08 what a list refuses changes nothing", testRefused)
	t.Run("SWM-08 the open tasks of one who leaves can be taken by others", func(t *testing.T) {
		tm := newTeam(t, "alice", "bob")
		tm.Tasks = *list(t, 3)
		for id, s := range []Status{Taken, Done} {
			if _, err := tm.Tasks.Update("alice", id+1, to(s)); err != nil {
				t.Fatal(err)
			}
		}
		if got := tm.Leave("alice"); len(got) != 1 || got[0].ID != 1 || got[0].Owner != "" || got[0].Status != Open {
			t.Error(got)
		}
		if x, err := tm.Tasks.Update("bob", 1, to(Taken)); err != nil || x.Owner != "bob" {
			t.Error(x, err)
		}
	})
	t.Run("SWM-08 a list holds texts, metadata and at most a thousand tasks", func(t *testing.T) {
		l := list(t, MaxTasks)
		if _, err := l.Create(Task{}); err == nil {
			t.Error("one more")
		}
		what := "new"
		if x, err := l.Update("alice", 1, Change{Subject: &what, Active: &what, Description: &what, Metadata: []Pair{{"b", "1"}, {"a", `"x"`}}}); err != nil || x.Subject+x.Active+x.Description != "newnewnew" || len(x.Metadata) != 2 || x.Metadata[0].Key != "a" {
			t.Error(x, err)
		}
		if x, _ := l.Update("alice", 1, Change{Metadata: []Pair{{"a", "null"}}}); len(x.Metadata) != 1 {
			t.Error(x)
		}
		if _, err := l.Update("alice", 1, to(Deleted)); err != nil || len(l.All()) != MaxTasks-1 {
			t.Error(err)
		}
	})
}

func testDependencies(t *testing.T) {
	l := list(t, 3)
	for _, c := range []struct {
		id            int
		blocks, after []int
		want          string
	}{
		{2, nil, []int{1}, ""},
		{2, []int{3}, nil, ""},
		{1, nil, []int{1}, "wait for itself"},
		{1, []int{1}, nil, "wait for itself"},
		{1, nil, []int{3}, "wait for itself"},
		{3, []int{1}, nil, "wait for itself"},
		{1, nil, []int{9}, "no task 9"},
		{1, []int{9}, nil, "no task 9"},
	} {
		if _, err := l.Update("alice", c.id, Change{Blocks: c.blocks, After: c.after}); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	third, _ := l.Get(3)
	first, _ := l.Get(1)
	if !slices.Equal(l.Waits(third), []int{2}) || !slices.Equal(l.Blocks(first), []int{2}) {
		t.Error(third, first)
	}
	for _, s := range []Status{Taken, Done} {
		if _, err := l.Update("alice", 3, to(s)); err == nil || !strings.Contains(err.Error(), "waits for #2") {
			t.Error(s, err)
		}
	}
	for id := 1; id <= 3; id++ {
		if _, err := l.Update("alice", id, to(Done)); err != nil {
			t.Error(err)
		}
	}
}

func testRefused(t *testing.T) {
	l := list(t, 2)
	bob, what := "bob", "new"
	if _, err := l.Update(LeadName, 1, Change{Owner: &bob}); err != nil {
		t.Fatal(err)
	}
	before := l.All()
	self := Change{Subject: &what, After: []int{2}, Blocks: []int{2}}
	for _, err := range []error{
		func() error { _, err := l.Update("alice", 1, to(Taken)); return err }(),
		func() error { _, err := l.Update("alice", 1, Change{Subject: &what}); return err }(),
		func() error { _, err := l.Update("alice", 3, to(Taken)); return err }(),
		func() error { _, err := l.Update("alice", 2, self); return err }(),
	} {
		if err == nil {
			t.Error("it was not refused")
		}
	}
	for i, x := range l.All() {
		if x.Subject != before[i].Subject || x.Owner != before[i].Owner || len(x.After) != 0 {
			t.Error(x)
		}
	}
	if _, err := l.Update("bob", 1, to(Done)); err != nil {
		t.Error(err)
	}
	if _, err := l.Update("bob", 1, Change{Owner: &bob}); err == nil {
		t.Error("a completed task was given out")
	}
}
