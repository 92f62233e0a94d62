package tidy

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// oneLoop checks that exactly one function of the tree calls the model.
func oneLoop(t *tree) (out []finding) {
	type site struct {
		f  *file
		at ast.Node
	}
	var callers []site
	t.eachFunction(func(f *file, fn *ast.FuncDecl) {
		ast.Inspect(fn, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && t.callsInterface(call, modelPackage, modelInterface) {
				if len(callers) == 0 || callers[len(callers)-1].at != fn {
					callers = append(callers, site{f, fn})
				}
			}
			return true
		})
	})
	pkg := t.checked[modelPackage]
	if len(callers) == 1 || pkg == nil || pkg.Scope().Lookup(modelInterface) == nil {
		return nil
	}
	if len(callers) == 0 {
		return []finding{{"one loop", strings.TrimPrefix(modelPackage, module+"/"), 1, "no function calls " + modelInterface + "; exactly one is to"}}
	}
	for _, c := range callers {
		out = append(out, t.finding("one loop", c.f, c.at, "%d functions call the model, exactly one may; instead: go through the one loop", len(callers)))
	}
	return out
}

// recording checks that only the agent layer emits events.
func recording(t *tree) (out []finding) {
	t.eachFunction(func(f *file, fn *ast.FuncDecl) {
		if within(f.room(), recorders...) {
			return
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && t.callsInterface(call, module+"/sim/transcript", "Sink") {
				out = append(out, t.finding("recording", f, call, "only the agent layer records; instead: return what happened to it"))
			}
			return true
		})
	})
	return out
}

// suspending checks the signature of what may wait, which is what hands a
// process on to something that may, or waits on it: the process comes first and
// an error comes back.
func suspending(t *tree) (out []finding) {
	t.eachFunction(func(f *file, fn *ast.FuncDecl) {
		obj, ok := t.info.Defs[fn.Name].(*types.Func)
		if !ok || f.room() == "sim/kernel" || !within(f.room(), world...) {
			return
		}
		sig := obj.Signature()
		for i := range sig.Params().Len() {
			if i > 0 && isProc(sig.Params().At(i).Type()) {
				out = append(out, t.finding("suspending", f, fn, "%s takes *kernel.Proc, but not first", fn.Name.Name))
			}
		}
		if !returnsError(sig) && t.waits(fn) {
			out = append(out, t.finding("suspending", f, fn, "%s may suspend and returns no error; instead: return it, so that an abort gets through", fn.Name.Name))
		}
	})
	return out
}

// waits reports whether a function's own code calls what may suspend; the
// bodies that it spawns are functions of their own.
func (t *tree) waits(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok && t.maySuspend(call) {
			found = true
		}
		return true
	})
	return found
}

// maySuspend reports whether a call's target takes a process first, or is one
// of a process's own waits, and returns an error.
func (t *tree) maySuspend(call *ast.CallExpr) bool {
	sig, ok := t.info.Types[call.Fun].Type.(*types.Signature)
	if !ok || !returnsError(sig) {
		return false
	}
	if sig.Params().Len() > 0 && isProc(sig.Params().At(0).Type()) && !sig.Variadic() {
		return true
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	sel, ok := t.info.Selections[s]
	return ok && isProc(sel.Recv()) && slices.Contains(procWaits, s.Sel.Name)
}

func returnsError(sig *types.Signature) bool {
	last := sig.Results().Len() - 1
	return last >= 0 && sig.Results().At(last).Type().String() == "error"
}

func isProc(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && isNamed(p.Elem(), module+"/sim/kernel", "Proc")
}

func isNamed(t types.Type, pkg, name string) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}

// callsInterface reports whether a call goes through the named interface.
func (t *tree) callsInterface(call *ast.CallExpr, pkg, name string) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	sel, ok := t.info.Selections[s]
	return ok && isNamed(sel.Recv(), pkg, name)
}

func (t *tree) eachFunction(do func(*file, *ast.FuncDecl)) {
	for _, f := range t.files {
		if f.test {
			continue
		}
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				do(f, fn)
			}
		}
	}
}
