package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arith is the value of a sum, in 64 bits that wrap. An error was said; then ok
// is false.
func (m *machine) arith(x syntax.ArithmExpr, st *streams) (n int64, ok bool) {
	defer m.leave()
	if !m.enter() || !m.charge(1) {
		return 0, false
	}
	switch x := x.(type) {
	case *syntax.Word:
		s, ok := m.text(x, st)
		if !ok {
			return 0, false
		}
		return m.number(s, st, 0)
	case *syntax.ParenArithm:
		return m.arith(x.X, st)
	case *syntax.UnaryArithm:
		return m.unary(x, st)
	case *syntax.BinaryArithm:
		return m.binaryArith(x, st)
	}
	return m.badSum("this expression is not known", st)
}

func (m *machine) badSum(text string, st *streams) (int64, bool) {
	st.err.put("bash: " + brief(text) + "\n")
	m.status = 1
	return 0, false
}

// number reads a number or the value of a variable, which may name another.
func (m *machine) number(s string, st *streams, level int) (int64, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, true
	}
	if syntax.ValidName(s) {
		if level > 20 {
			return m.badSum(s+": names itself in a sum", st)
		}
		v, set := m.lookup(s)
		if !set && m.opts.nounset {
			return m.badSum(s+": unbound variable", st)
		}
		return m.number(v, st, level+1)
	}
	if base, digits, ok := strings.Cut(s, "#"); ok {
		b, err := strconv.ParseInt(base, 10, 8)
		n, err2 := strconv.ParseInt(digits, int(max(2, min(b, 36))), 64)
		if err == nil && err2 == nil && b >= 2 && b <= 36 {
			return n, true
		}
	}
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil || strings.Contains(s, "_") {
		return m.badSum(s+": is no number", st)
	}
	return n, true
}

// unary is -x, !x, ~x, ++x, x--.
func (m *machine) unary(x *syntax.UnaryArithm, st *streams) (int64, bool) {
	if x.Op == syntax.Inc || x.Op == syntax.Dec {
		name, ok := variable(x.X)
		if !ok {
			return m.badSum("++ and -- need a variable", st)
		}
		old, ok := m.number(name, st, 0)
		if !ok {
			return 0, false
		}
		now := old + 1
		if x.Op == syntax.Dec {
			now = old - 1
		}
		m.set(name, formatInt(now))
		if x.Post {
			return old, true
		}
		return now, true
	}
	n, ok := m.arith(x.X, st)
	switch x.Op {
	case syntax.Not:
		n = flag(n == 0)
	case syntax.BitNegation:
		n = ^n
	case syntax.Minus:
		n = -n
	}
	return n, ok
}

func variable(x syntax.ArithmExpr) (string, bool) {
	w, ok := x.(*syntax.Word)
	if !ok || !syntax.ValidName(w.Lit()) {
		return "", false
	}
	return w.Lit(), true
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// binaryArith is x op y, with the assignments and the choices.
func (m *machine) binaryArith(x *syntax.BinaryArithm, st *streams) (int64, bool) {
	if op, ok := assigning[x.Op]; ok {
		return m.assignSum(x, op, st)
	}
	a, ok := m.arith(x.X, st)
	if !ok {
		return 0, false
	}
	switch x.Op {
	case syntax.AndArit:
		if a == 0 {
			return 0, true
		}
	case syntax.OrArit:
		if a != 0 {
			return 1, true
		}
	case syntax.TernQuest:
		choice, ok := x.Y.(*syntax.BinaryArithm)
		if !ok {
			return m.badSum("? needs a :", st)
		}
		if a != 0 {
			return m.arith(choice.X, st)
		}
		return m.arith(choice.Y, st)
	}
	b, ok := m.arith(x.Y, st)
	if !ok {
		return 0, false
	}
	return m.operateSum(x.Op, a, b, st)
}

// assigning is the operator within each assignment, 0 of a plain one.
var assigning = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.Assgn: 0, syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul,
	syntax.QuoAssgn: syntax.Quo, syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And, syntax.OrAssgn: syntax.Or,
	syntax.XorAssgn: syntax.Xor, syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

func (m *machine) assignSum(x *syntax.BinaryArithm, op syntax.BinAritOperator, st *streams) (int64, bool) {
	name, ok := variable(x.X)
	if !ok {
		return m.badSum("= needs a variable", st)
	}
	n, ok := m.arith(x.Y, st)
	if ok && op != 0 {
		var old int64
		if old, ok = m.number(name, st, 0); ok {
			n, ok = m.operateSum(op, old, n, st)
		}
	}
	if ok {
		m.set(name, formatInt(n))
	}
	return n, ok
}

func (m *machine) operateSum(op syntax.BinAritOperator, a, b int64, st *streams) (int64, bool) {
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		return m.divide(op, a, b, st)
	case syntax.Pow:
		return m.power(a, b, st)
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.Shl:
		return a << (uint64(b) & 63), true
	case syntax.Shr:
		return a >> (uint64(b) & 63), true
	case syntax.AndArit, syntax.OrArit:
		return flag(b != 0), true
	case syntax.Comma:
		return b, true
	}
	return m.compareSum(op, a, b, st)
}

func (m *machine) compareSum(op syntax.BinAritOperator, a, b int64, st *streams) (int64, bool) {
	switch op {
	case syntax.Eql:
		return flag(a == b), true
	case syntax.Neq:
		return flag(a != b), true
	case syntax.Gtr:
		return flag(a > b), true
	case syntax.Lss:
		return flag(a < b), true
	case syntax.Geq:
		return flag(a >= b), true
	case syntax.Leq:
		return flag(a <= b), true
	}
	return m.badSum("operator "+op.String()+" is not known", st)
}

func (m *machine) divide(op syntax.BinAritOperator, a, b int64, st *streams) (int64, bool) {
	switch {
	case b == 0:
		return m.badSum("division by 0", st)
	case b == -1: // the smallest number has no counterpart
		if op == syntax.Rem {
			return 0, true
		}
		return -a, true
	case op == syntax.Rem:
		return a % b, true
	}
	return a / b, true
}

func (m *machine) power(a, b int64, st *streams) (int64, bool) {
	if b < 0 {
		return m.badSum("exponent less than 0", st)
	}
	n := int64(1)
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			n *= a
		}
		a *= a
	}
	return n, true
}
