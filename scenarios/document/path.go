package document

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// pathError is a step of a path that leads nowhere.
type pathError struct {
	msg, hint string
}

// Overlay lays over on base, guided by type: mappings merge key by key, every
// other value replaces, and a null takes the key away.
func (l *Language) Overlay(base, over *Node, t reflect.Type, errs *Problems) *Node {
	t = Deref(t)
	if over.Kind == Null {
		return nil
	}
	if base == nil || base.Kind != Map || over.Kind != Map || isLeaf(t) || is[form](reflect.PointerTo(t)) && !is[entries](t) {
		return over
	}
	out := &Node{Kind: Map, Pos: base.Pos, Pairs: append([]Pair(nil), base.Pairs...)}
	for _, p := range over.Pairs {
		if ft, known := childType(t, p.Key); known {
			out.put(p, l.Overlay(out.Get(p.Key), p.Val, ft, errs))
			continue
		}
		out.put(p, p.Val) // reported as an unknown key when the tree is decoded
	}
	return out
}

// childType is the type under a key of a mapping.
func childType(t reflect.Type, key string) (reflect.Type, bool) {
	if e, ok := entriesOf(t); ok || t.Kind() != reflect.Struct {
		return e, ok
	}
	f, ok := FindField(t, key)
	return f.Typ, ok
}

// put sets or, with nil, removes a key of a node that is not shared yet.
func (n *Node) put(p Pair, val *Node) {
	for i := range n.Pairs {
		if n.Pairs[i].Key != p.Key {
			continue
		}
		if val == nil {
			n.Pairs = append(n.Pairs[:i:i], n.Pairs[i+1:]...)
		} else {
			n.Pairs[i] = Pair{p.Key, p.Pos, val}
		}
		return
	}
	if val != nil {
		n.Pairs = append(n.Pairs, Pair{p.Key, p.Pos, val})
	}
}

// SetPath returns base with val laid over the value at path; nil after an error. The
// steps of a path are parted by dots: keys, names or numbers from 1 of the elements
// of lists; below a mapping of any names the rest is one key. The name of a block may
// be left out.
func (l *Language) SetPath(base *Node, t reflect.Type, path string, val *Node, from Pos, errs *Problems) *Node {
	s := setter{lang: l, full: path, val: val, pos: from, errs: errs}
	out, bad := s.set(base, Deref(t), path)
	if bad != nil {
		errs.Add(from, bad.hint, "%s", bad.msg)
		return nil
	}
	return out
}

type setter struct {
	lang *Language
	full string
	val  *Node
	pos  Pos
	errs *Problems
}

func (s *setter) set(n *Node, t reflect.Type, rest string) (*Node, *pathError) {
	t = Deref(t)
	_, named := entriesOf(t)
	switch {
	case rest == "":
		return s.lang.Overlay(n, s.val, t, s.errs), nil
	case named:
		if bad := s.below(n, rest); bad != nil {
			return nil, bad
		}
		return s.setKey(n, t, rest, "")
	case t.Kind() == reflect.Slice:
		return s.setElement(n, t, rest)
	case t.Kind() == reflect.Struct && !isLeaf(t):
		key, after := CutPath(rest)
		return s.setKey(n, t, key, after)
	}
	return nil, s.unknown(rest, nil)
}

// below refuses a path that goes on below a name that is there: the rest of a path
// is one name, which would be a new one.
func (s *setter) below(n *Node, rest string) *pathError {
	if n == nil || n.Kind != Map || n.Get(rest) != nil {
		return nil
	}
	for _, p := range n.Pairs {
		if after, ok := strings.CutPrefix(rest, p.Key+"."); ok {
			at := strings.TrimSuffix(s.full, "."+after)
			return &pathError{"path " + Quoted(s.full) + " ends below a name, and a name is the last step", "write " + at + ": {" + after + ": …}"}
		}
	}
	return nil
}

// setKey goes on below one key of a mapping.
func (s *setter) setKey(n *Node, t reflect.Type, key, after string) (*Node, *pathError) {
	ct, ok := childType(t, key)
	if t == s.lang.Top && !ok {
		if b, in := blockOf(t, key); in {
			return s.setKey(n, t, b.Key, key+joinRest(after))
		}
	}
	if said := s.lang.Said[t.Name()+"."+key]; !ok && said != "" {
		return nil, &pathError{"unknown path " + Quoted(s.full), said}
	}
	if !ok {
		return nil, s.unknown(key+joinRest(after), keysOf(t))
	}
	out := &Node{Kind: Map, Pos: s.pos}
	if n != nil && n.Kind == Map {
		out.Pos, out.Pairs = n.Pos, append([]Pair(nil), n.Pairs...)
	}
	val, bad := s.set(out.Get(key), ct, after)
	if bad != nil {
		return nil, bad
	}
	out.put(Pair{Key: key, Pos: s.pos}, val)
	return out, nil
}

// setElement goes on below one element of a list.
func (s *setter) setElement(n *Node, t reflect.Type, rest string) (*Node, *pathError) {
	key, after := CutPath(rest)
	i, bad := s.element(n, key, rest)
	if bad != nil {
		return nil, bad
	}
	val, bad := s.set(n.Items[i], t.Elem(), after)
	if bad != nil {
		return nil, bad
	}
	out := &Node{Kind: List, Pos: n.Pos, Items: append([]*Node(nil), n.Items...)}
	if val == nil {
		out.Items = append(out.Items[:i:i], out.Items[i+1:]...)
	} else {
		out.Items[i] = val
	}
	return out, nil
}

// element finds an element by its name, else by its number from 1.
func (s *setter) element(n *Node, key, rest string) (int, *pathError) {
	var names []string
	if n != nil {
		for _, it := range n.Items {
			names = append(names, it.Name())
		}
	}
	first := slices.Index(names, key)
	if i, err := strconv.Atoi(key); err == nil && first < 0 && i >= 1 && i <= len(names) {
		return i - 1, nil
	}
	if first < 0 {
		return 0, s.unknown(rest, names)
	}
	if again := slices.Index(names[first+1:], key); again >= 0 {
		up := strings.TrimSuffix(s.full, rest)
		return 0, &pathError{"path " + Quoted(s.full) + " names two elements: " + strconv.Itoa(first+1) + " and " + strconv.Itoa(first+again+2) + " are both called " + Quoted(key),
			"write " + up + strconv.Itoa(first+1) + joinRest(strings.TrimPrefix(strings.TrimPrefix(rest, key), ".")) + ", or give each a name of its own"}
	}
	return first, nil
}

// Name is what an element of a list is called, "" for one without a name.
func (n *Node) Name() string {
	for _, id := range idKeys {
		if v := n.Get(id); v != nil && v.Text != "" {
			return v.Text
		}
	}
	return ""
}

// unknown tells that nothing stands at the rest of the path, with the nearest
// path that exists.
func (s *setter) unknown(rest string, siblings []string) *pathError {
	msg := "unknown path " + Quoted(s.full)
	if strings.ContainsAny(s.full, "[]\"'") {
		return &pathError{msg, "steps are parted by dots alone, such as work.2.after"}
	}
	done := strings.TrimSuffix(s.full, rest)
	key, after := CutPath(rest)
	if near := Nearest(key, siblings); near != "" && s.lang.pathExists(done+near+joinRest(after)) {
		return &pathError{msg, "did you mean " + Quoted(done+near+joinRest(after)) + "?"}
	}
	if s.full == key {
		return &pathError{msg, s.lang.pathsWith(key)}
	}
	if done == "" {
		return &pathError{msg, ""}
	}
	if len(siblings) > 0 {
		return &pathError{msg, OneOf(siblings)}
	}
	return &pathError{msg, "nothing stands below " + Quoted(strings.TrimRight(done, "."))}
}

// pathsWith lists the paths whose last step has a word, "" for none.
func (l *Language) pathsWith(word string) string {
	var out []string
	for _, p := range l.Paths() {
		last := p[strings.LastIndexByte(p, '.')+1:]
		if slices.Contains(strings.Split(last, "_"), word) || last == word {
			out = append(out, Quoted(p))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(out, " or ") + "?"
}

// pathExists reports whether a path leads to a key of a document, whatever the
// elements of lists are called.
func (l *Language) pathExists(path string) bool {
	t := l.Top
	for path = l.Long(path); path != ""; {
		key, rest := CutPath(path)
		t = Deref(t)
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		} else if ct, ok := childType(t, key); ok {
			t = ct
		} else {
			return false
		}
		path = rest
	}
	return true
}

func joinRest(rest string) string {
	if rest == "" {
		return rest
	}
	return "." + rest
}

// CutPath takes the first step off a path.
func CutPath(path string) (key, rest string) {
	key, rest, ok := strings.Cut(path, ".")
	if !ok || key == "" || rest == "" {
		return path, ""
	}
	return key, rest
}
