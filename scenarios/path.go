package scenarios

import (
	"reflect"
	"strconv"
	"strings"
)

// pathError is a step of a path that leads nowhere.
type pathError struct {
	msg, hint string
}

// overlay lays over on base, guided by type: mappings merge key by key, every
// other value replaces, and a null takes the key away. A key that is no field
// but holds a dot or bracket is a path.
func overlay(base, over *node, t reflect.Type, errs *errorList) *node {
	t = deref(t)
	if over.kind == kindNull {
		return nil
	}
	if base == nil || base.kind != kindMap || over.kind != kindMap || isLeaf(t) || t == contentType {
		return over
	}
	out := &node{kind: kindMap, pos: base.pos, pairs: append([]pair(nil), base.pairs...)}
	for _, p := range over.pairs {
		ft, known := childType(t, p.key)
		switch {
		case known:
			out.put(p, overlay(out.get(p.key), p.val, ft, errs))
		case strings.ContainsAny(p.key, ".["):
			if next := setPath(out, t, p.key, p.val, p.pos, errs); next != nil {
				out = next
			}
		default: // told as an unknown key when the tree is decoded
			out.put(p, p.val)
		}
	}
	return out
}

// childType is the type under a key of a mapping.
func childType(t reflect.Type, key string) (reflect.Type, bool) {
	switch {
	case t == filesType:
		return contentType, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case t.Kind() == reflect.Struct:
		f, ok := findField(t, key)
		return f.typ, ok
	}
	return nil, false
}

// put sets or, with nil, removes a key of a node that is not shared yet.
func (n *node) put(p pair, val *node) {
	for i := range n.pairs {
		if n.pairs[i].key != p.key {
			continue
		}
		if val == nil {
			n.pairs = append(n.pairs[:i:i], n.pairs[i+1:]...)
		} else {
			n.pairs[i] = pair{p.key, p.pos, val}
		}
		return
	}
	if val != nil {
		n.pairs = append(n.pairs, pair{p.key, p.pos, val})
	}
}

// setPath returns base with val laid over the value at path; nil after an error.
func setPath(base *node, t reflect.Type, path string, val *node, from pos, errs *errorList) *node {
	s := setter{full: path, val: val, pos: from, errs: errs}
	out, bad := s.set(base, deref(t), path)
	if bad != nil {
		errs.add(from, bad.hint, "%s", bad.msg)
		return nil
	}
	return out
}

type setter struct {
	full string
	val  *node
	pos  pos
	errs *errorList
}

func (s *setter) set(n *node, t reflect.Type, rest string) (*node, *pathError) {
	t = deref(t)
	switch {
	case rest == "":
		return overlay(n, s.val, t, s.errs), nil
	case t == filesType || t.Kind() == reflect.Map:
		return s.setKey(n, t, rest, "")
	case t.Kind() == reflect.Slice:
		return s.setElement(n, t, rest)
	case t.Kind() == reflect.Struct && !isLeaf(t):
		key, after := cutPath(rest)
		return s.setKey(n, t, key, after)
	}
	return nil, s.unknown(rest, nil)
}

// setKey goes on below one key of a mapping.
func (s *setter) setKey(n *node, t reflect.Type, key, after string) (*node, *pathError) {
	ct, ok := childType(t, key)
	if said := saidElsewhere[t.Name()+"."+key]; !ok && said != "" {
		return nil, &pathError{"unknown path " + quoted(s.full), said}
	}
	if !ok {
		return nil, s.unknown(key+joinRest(after), keysOf(t))
	}
	out := &node{kind: kindMap, pos: s.pos}
	if n != nil && n.kind == kindMap {
		out.pos, out.pairs = n.pos, append([]pair(nil), n.pairs...)
	}
	val, bad := s.set(out.get(key), ct, after)
	if bad != nil {
		return nil, bad
	}
	out.put(pair{key: key, pos: s.pos}, val)
	return out, nil
}

// setElement goes on below one element of a list, named by index or id.
func (s *setter) setElement(n *node, t reflect.Type, rest string) (*node, *pathError) {
	key, after := cutPath(rest)
	i, bad := s.element(n, key, rest)
	if bad != nil {
		return nil, bad
	}
	val, bad := s.set(n.items[i], t.Elem(), after)
	if bad != nil {
		return nil, bad
	}
	out := &node{kind: kindList, pos: n.pos, items: append([]*node(nil), n.items...)}
	if val == nil {
		out.items = append(out.items[:i:i], out.items[i+1:]...)
	} else {
		out.items[i] = val
	}
	return out, nil
}

func (s *setter) element(n *node, key, rest string) (int, *pathError) {
	var ids []string
	if n != nil {
		for i, it := range n.items {
			for _, id := range idKeys {
				if v := it.get(id); v != nil {
					ids = append(ids, v.text)
					if v.text == key {
						return i, nil
					}
				}
			}
		}
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.items) {
			return i, nil
		}
	}
	return 0, s.unknown(rest, ids)
}

// unknown tells that nothing stands at the rest of the path, with the nearest
// path that exists.
func (s *setter) unknown(rest string, siblings []string) *pathError {
	msg := "unknown path " + quoted(s.full)
	done := strings.TrimSuffix(s.full, rest)
	key, after := cutPath(rest)
	if near := nearest(key, siblings); near != "" && pathExists(done+near+joinRest(after)) {
		return &pathError{msg, "did you mean " + quoted(done+near+joinRest(after)) + "?"}
	}
	if s.full == key {
		return &pathError{msg, pathsWith(key)}
	}
	if done == "" {
		return &pathError{msg, ""}
	}
	if len(siblings) > 0 {
		return &pathError{msg, oneOf(siblings)}
	}
	return &pathError{msg, "nothing stands below " + quoted(strings.TrimRight(done, ".["))}
}

// pathsWith lists the paths whose last step has a word, "" for none.
func pathsWith(word string) string {
	var out []string
	for _, p := range Paths() {
		last := p[strings.LastIndexByte(p, '.')+1:]
		if contains(strings.Split(last, "_"), word) || last == word {
			out = append(out, quoted(p))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(out, " or ") + "?"
}

// pathExists reports whether a path leads to a key of a scenario, whatever the
// elements of lists are called.
func pathExists(path string) bool {
	t := scenarioType
	for path != "" {
		key, rest := cutPath(path)
		t = deref(t)
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
	if rest == "" || rest[0] == '[' {
		return rest
	}
	return "." + rest
}

// cutPath takes the first step off a path: a key, or an index in brackets.
func cutPath(path string) (key, rest string) {
	if strings.HasPrefix(path, "[") {
		if i := strings.IndexByte(path, ']'); i > 0 {
			return path[1:i], strings.TrimPrefix(path[i+1:], ".")
		}
	}
	i := strings.IndexAny(path, ".[")
	if i <= 0 {
		return path, ""
	}
	if path[i] == '[' {
		return path[:i], path[i:]
	}
	return path[:i], path[i+1:]
}
