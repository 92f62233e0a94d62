package kernel

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

var errStop = errors.New("stop")

func mustRun(t *testing.T, k *Kernel) {
	t.Helper()
	if err := k.Run(); err != nil {
		t.Fatal(err)
	}
}

func TestKernelConformance(t *testing.T) {
	t.Run("KRN-02 what can suspend takes the process first and returns an error last", suspendersHaveTheForm)
	t.Run("KRN-02 a callback and a stranger cannot wait in a process's name", onlyTheBodyWaits)
	t.Run("KRN-05 the state of kernel, process and clock holds no float", stateIsIntegers)
	t.Run("KRN-06 an interrupt from outside ends even a lone endless sleeper", interruptEnds)
	t.Run("KRN-07 a panic is captured with the stack of the code that panicked", panicHasItsStack)
	t.Run("KRN-07 a policy that chooses outside the set ends the run with a panic", badPolicy)
	t.Run("CON-18 abort and end of one instant: both outcomes occur, as the policy's seed has it", abortAgainstEnd)
	t.Run("CON-18 teardown ends processes that swallow the unwinding or never ran", teardownIsThorough)
	t.Run("CON-18 a panic in shielded code leaves the shield", shieldIsLeft)
	t.Run("CON-19 the heap stays small after 200,000 cancelled timers", cancelledTimersAreGone)
	t.Run("CON-19 200,000 waits ended by their signal leave no timer behind", endedWaitsAreGone)
	t.Run("CON-19 a sleeper that is next itself moves the clock without a switch", selfNextDoesNotSwitch)
	t.Run("KRN-01 sleeping, waiting and mail allocate nothing once warm", steadyStateAllocatesNothing)
	t.Run("KRN-01 a kernel runs again after nil, and never after an error", runAgain)
}

// suspendersHaveTheForm follows the calls down to the coroutine's yield and checks
// every exported function that can reach it.
func suspendersHaveTheForm(t *testing.T) {
	reaches := map[string]bool{"yield": true}
	funcs := declared(t)
	for grown := true; grown; {
		grown = false
		for _, f := range funcs {
			if !reaches[f.Name.Name] && callsAny(f, reaches) {
				reaches[f.Name.Name], grown = true, true
			}
		}
	}
	var seen []string
	for _, f := range funcs {
		if !reaches[f.Name.Name] || !f.Name.IsExported() {
			continue
		}
		seen = append(seen, f.Name.Name)
		if !takesProcFirst(f) || !returnsErrorLast(f) {
			t.Errorf("%s can suspend and must take *Proc first and return an error last", f.Name.Name)
		}
	}
	slices.Sort(seen)
	want := []string{"Join", "Recv", "Sleep", "SleepUntil", "Steps", "Wait", "WaitUntil"}
	if !slices.Equal(seen, want) {
		t.Errorf("functions that can suspend: %v, want %v", seen, want)
	}
}

func declared(t *testing.T) (out []*ast.FuncDecl) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

func callsAny(f *ast.FuncDecl, names map[string]bool) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if s, ok := c.Fun.(*ast.SelectorExpr); ok && names[s.Sel.Name] {
				found = true
			}
		}
		return true
	})
	return found
}

func takesProcFirst(f *ast.FuncDecl) bool {
	if isProc(f.Recv.List[0].Type) {
		return true
	}
	params := f.Type.Params.List
	return len(params) > 0 && isProc(params[0].Type)
}

func isProc(e ast.Expr) bool {
	s, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == "Proc"
}

func returnsErrorLast(f *ast.FuncDecl) bool {
	rs := f.Type.Results
	if rs == nil {
		return false
	}
	id, ok := rs.List[len(rs.List)-1].Type.(*ast.Ident)
	return ok && id.Name == "error"
}

type fireFunc func(now vtime.Instant)

func (f fireFunc) Fire(now vtime.Instant) { f(now) }

func onlyTheBodyWaits(t *testing.T) {
	for name, stranger := range map[string]func(k *Kernel, p *Proc){
		"callback": func(k *Kernel, p *Proc) { k.At(1, fireFunc(func(vtime.Instant) { p.Sleep(1) })) },
		"process":  func(k *Kernel, p *Proc) { k.Spawn("stranger", func(*Proc) error { return p.Sleep(1) }) },
		"kernel":   func(_ *Kernel, p *Proc) { s := NewSignal(New(Options{}), "s"); s.fired = true; s.Wait(p) },
	} {
		k := New(Options{})
		p := k.Spawn("p", func(p *Proc) error {
			if name == "kernel" {
				stranger(k, p)
			}
			return p.Sleep(10)
		})
		if name != "kernel" {
			stranger(k, p)
		}
		var e *PanicError
		if err := k.Run(); !errors.As(err, &e) {
			t.Errorf("%s: run ended with %v, want a panic", name, err)
		}
		k.Close()
	}
}

func stateIsIntegers(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type, string)
	walk = func(x reflect.Type, path string) {
		if seen[x] {
			return
		}
		seen[x] = true
		switch x.Kind() {
		case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
			t.Errorf("%s is a %s", path, x)
		case reflect.Pointer, reflect.Slice, reflect.Array:
			walk(x.Elem(), path)
		case reflect.Struct:
			for i := range x.NumField() {
				walk(x.Field(i).Type, path+"."+x.Field(i).Name)
			}
		}
	}
	for _, v := range []any{Kernel{}, Proc{}, Signal{}, Mailbox[int]{}, Timer{}, Limits{}, random{}, fifo{}, rng.Key{}, vtime.Instant(0), vtime.Duration(0)} {
		walk(reflect.TypeOf(v), reflect.TypeOf(v).String())
	}
	if !seen[reflect.TypeOf(slot{})] {
		t.Error("the walk did not reach the timers")
	}
}

func interruptEnds(t *testing.T) {
	k := New(Options{Limits: Limits{Steps: 1000}})
	k.Spawn("sleeper", func(p *Proc) error {
		for {
			if p.Now() == 10 {
				k.Interrupt()
			}
			if err := p.Sleep(1); err != nil {
				return err
			}
		}
	})
	defer k.Close()
	if err := k.Run(); err != ErrInterrupted || k.Now() != 10 {
		t.Fatalf("run ended at %s with %v, want the interrupt at 10ns", k.Now(), err)
	}
}

func explode() { panic("boom") }

func panicHasItsStack(t *testing.T) {
	k := New(Options{})
	p := k.Spawn("faulty", func(p *Proc) error {
		if err := p.Sleep(7); err != nil {
			return err
		}
		explode()
		return nil
	})
	var e *PanicError
	if err := k.Run(); !errors.As(err, &e) {
		t.Fatalf("run ended with %v, want a panic", err)
	}
	if e.Process != "faulty" || e.Instant != 7 || e.Value != "boom" || !strings.Contains(string(e.Stack), "kernel.explode") {
		t.Fatalf("got %v with stack\n%s", e, e.Stack)
	}
	if !p.Done() || p.Err() != error(e) {
		t.Fatalf("process done=%v with %v, want the panic", p.Done(), p.Err())
	}

	k = New(Options{})
	k.Spawn("p", func(p *Proc) error { return p.Sleep(9) })
	k.At(3, fireFunc(func(vtime.Instant) { explode() }))
	defer k.Close()
	if err := k.Run(); !errors.As(err, &e) || e.Process != "" || e.Instant != 3 || !strings.Contains(string(e.Stack), "kernel.explode") {
		t.Fatalf("callback: got %v with stack\n%s", err, e.Stack)
	}
}

type beyond struct{ fifo }

func (beyond) Choose(n int, _ func(int) *Proc) int { return n }

func badPolicy(t *testing.T) {
	k := New(Options{Policy: beyond{}})
	for _, name := range []string{"a", "b"} {
		k.Spawn(name, func(p *Proc) error { return nil })
	}
	defer k.Close()
	if err := k.Run(); err == nil || !strings.Contains(err.Error(), "chose 2 of 2") {
		t.Fatalf("run ended with %v", err)
	}
	if _, err := PolicyNamed("lifo", rng.Key{}); err == nil || !strings.Contains(err.Error(), "lifo") {
		t.Fatalf("unknown policy: %v", err)
	}
}

func abortAgainstEnd(t *testing.T) {
	outcomes := map[error]int{}
	for seed := range uint64(32) {
		k := New(Options{Policy: Random(rng.Root(seed))})
		worker := k.Spawn("worker", func(p *Proc) error { return p.Sleep(10) })
		k.Spawn("user", func(p *Proc) error {
			if err := p.Sleep(10); err != nil {
				return err
			}
			if ended := worker.Done(); worker.Abort(errStop) == ended {
				t.Errorf("seed %d: Abort is %v for a process with Done %v", seed, !ended, ended)
			}
			return nil
		})
		mustRun(t, k)
		outcomes[worker.Err()]++
	}
	if outcomes[nil] == 0 || outcomes[errStop] == 0 || len(outcomes) != 2 {
		t.Fatalf("outcomes over 32 seeds: %v, want both ends and aborts", outcomes)
	}
}

func teardownIsThorough(t *testing.T) {
	k := New(Options{Limits: Limits{Time: 5}})
	var log []string
	k.Spawn("stubborn", func(p *Proc) error {
		for i := 0; ; i++ {
			func() {
				defer func() { recover() }()
				if err := p.Sleep(10); err != nil {
					log = append(log, "stubborn got an error")
				}
			}()
			if log = append(log, "stubborn"); i == 1 {
				return nil
			}
		}
	})
	joiner := k.Spawn("joiner", func(p *Proc) error {
		defer func() { log = append(log, "joiner") }()
		defer p.Shield(10, func() error { return p.Sleep(1) })
		return p.Join(k.oldest)
	})
	k.Spawn("aborted", func(p *Proc) error {
		defer func() {
			log = append(log, "aborted")
			err := p.Sleep(1)
			log = append(log, "aborted waits and gets "+err.Error())
		}()
		return p.Shield(100, func() error { return p.Sleep(50) })
	}).Abort(errStop)
	late := New(Options{Limits: Limits{Procs: 1}})
	never := late.Spawn("never ran", func(*Proc) error { log = append(log, "ran"); return nil })
	late.Spawn("one too many", nil)
	var limit *LimitError
	if err := k.Run(); !errors.As(err, &limit) || limit.Name != LimitTime {
		t.Fatalf("run ended with %v", err)
	}
	k.Close()
	k.Close()
	if err := late.Run(); !errors.As(err, &limit) || limit.Name != LimitProcesses {
		t.Fatalf("run ended with %v", err)
	}
	late.Close()
	if want := []string{"stubborn", "stubborn", "joiner", "aborted"}; !slices.Equal(log, want) {
		t.Errorf("teardown did %v, want %v", log, want)
	}
	if k.live != 0 || late.live != 0 || never.Err() != ErrClosed || joiner.Err() != ErrClosed || k.At(k.Now(), nothing{}).Cancel() {
		t.Errorf("after Close: live %d and %d, results %v and %v", k.live, late.live, never.Err(), joiner.Err())
	}
}

func shieldIsLeft(t *testing.T) {
	k := New(Options{})
	p := k.Spawn("p", func(p *Proc) error {
		func() {
			defer func() { recover() }()
			p.Shield(100, func() error { panic("inside") })
		}()
		return p.Sleep(1)
	})
	p.Abort(errStop)
	mustRun(t, k)
	if p.Err() != errStop || p.Aborted() != errStop {
		t.Fatalf("after the shield the sleep returned %v, want the abort", p.Err())
	}
}

func cancelledTimersAreGone(t *testing.T) {
	k := New(Options{})
	most := 0
	k.Spawn("p", func(p *Proc) error {
		for range 200_000 {
			timer := k.At(p.Now().Add(vtime.Hour), nothing{})
			most = max(most, k.timers.len())
			if !timer.Cancel() || timer.Cancel() {
				return errStop
			}
		}
		return p.Sleep(1)
	})
	mustRun(t, k)
	if most > 1 || len(k.timers.slots) > 2 {
		t.Fatalf("at most %d entries and %d slots, want 1 and no more than 2", most, len(k.timers.slots))
	}
}

func endedWaitsAreGone(t *testing.T) {
	k := New(Options{})
	var s Signal
	s.Init(k, "answer")
	k.Spawn("waiter", func(p *Proc) error {
		for range 200_000 {
			if fired, err := s.WaitUntil(p, p.Now().Add(vtime.Hour)); err != nil || !fired {
				return errors.Join(errStop, err)
			}
			s.Init(k, "answer")
		}
		return nil
	})
	waiter := k.oldest
	k.Spawn("answerer", func(p *Proc) error {
		for !waiter.Done() {
			s.Fire()
			if err := p.Sleep(1); err != nil {
				return err
			}
		}
		return nil
	})
	mustRun(t, k)
	if waiter.Err() != nil || len(k.timers.slots) > 3 {
		t.Fatalf("waiter %v, %d slots were in use at once, want no more than 3", waiter.Err(), len(k.timers.slots))
	}
}

func selfNextDoesNotSwitch(t *testing.T) {
	k := New(Options{})
	k.Spawn("alone", func(p *Proc) error {
		for range 1000 {
			if err := p.Sleep(5); err != nil {
				return err
			}
		}
		return nil
	})
	mustRun(t, k)
	if k.switches != 1 || k.steps != 1001 || k.Now() != 5000 {
		t.Fatalf("%d switches, %d steps, now %s; want 1 switch, 1001 steps, 5µs", k.switches, k.steps, k.Now())
	}
	// At an equal instant the other one asked first and goes first.
	k = New(Options{})
	k.Spawn("other", func(p *Proc) error { return p.Sleep(5) })
	k.Spawn("self", func(p *Proc) error { return p.Sleep(5) })
	mustRun(t, k)
	if k.switches != 4 {
		t.Fatalf("%d switches with a tie, want 4", k.switches)
	}
}

func steadyStateAllocatesNothing(t *testing.T) {
	k := New(Options{})
	ping, pong := NewMailbox[int](k, "ping"), NewMailbox[int](k, "pong")
	k.Spawn("echo", func(p *Proc) error {
		for {
			v, err := ping.Recv(p)
			if err != nil {
				return err
			}
			pong.Send(v)
		}
	})
	var s Signal
	arm := &firing{&s}
	k.Spawn("measured", func(p *Proc) error {
		round := func() {
			ping.Send(1)
			pong.Recv(p)
			s.Init(k, "s")
			k.At(p.Now().Add(3), arm)
			s.WaitUntil(p, p.Now().Add(9))
			p.Sleep(2)
			k.At(p.Now().Add(1), arm).Cancel()
		}
		round()
		if n := testing.AllocsPerRun(100, round); n != 0 {
			t.Errorf("%v allocations a round, want none", n)
		}
		return nil
	})
	var dead *DeadlockError
	if err := k.Run(); !errors.As(err, &dead) || len(dead.Waits) != 1 || dead.Waits[0].Process != "echo" {
		t.Fatalf("run ended with %v, want echo left waiting", err)
	}
	k.Close()
}

type firing struct{ s *Signal }

func (f *firing) Fire(vtime.Instant) { f.s.Fire() }

func runAgain(t *testing.T) {
	k := New(Options{})
	phases := []uint8{}
	k.Spawn("first", func(p *Proc) error { return p.Sleep(5) })
	mustRun(t, k)
	p := k.Spawn("second", func(p *Proc) error {
		phases = append(phases, k.Phase())
		k.At(p.Now(), fireFunc(func(vtime.Instant) { phases = append(phases, k.Phase()) }))
		return errors.Join(p.Sleep(5), p.Kernel().Run())
	})
	var e *PanicError
	if err := k.Run(); !errors.As(err, &e) || k.Now() != 10 || p.ID() != 2 || p.Name() != "second" {
		t.Fatalf("second run ended at %s with %v; want the panic of a run inside a run at 10ns", k.Now(), err)
	}
	if !slices.Equal(phases, []uint8{1, 0}) {
		t.Errorf("phases %v, want a process and then a callback", phases)
	}
	if err := k.Run(); err != error(e) {
		t.Errorf("third run ended with %v, want the same panic", err)
	}
	for name, misuse := range map[string]func(p *Proc){
		"a past callback":        func(p *Proc) { p.Sleep(5); k.At(p.Now()-1, nothing{}) },
		"a negative sleep":       func(p *Proc) { p.Sleep(-1) },
		"a negative shield":      func(p *Proc) { p.Shield(-1, func() error { return nil }) },
		"an abort for no reason": func(p *Proc) { p.Abort(nil) },
		"closing from inside":    func(p *Proc) { p.Kernel().Close() },
	} {
		k = New(Options{})
		k.Spawn("p", func(p *Proc) error { misuse(p); return nil })
		if err := k.Run(); !errors.As(err, &e) {
			t.Errorf("%s: run ended with %v, want a panic", name, err)
		}
	}
}
