package scenarios

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// decoder fills a Scenario from nodes and remembers where each path stood.
type decoder struct {
	errs *errorList
	vals map[string]pos // path → its value
	keys map[string]pos // path → its key
	root pos
	file *File // whose tree it is; nil while the file's own keys are read

	generated int64 // bytes of all content that is to be generated
}

func newDecoder(errs *errorList, root pos) *decoder {
	return &decoder{errs: errs, vals: map[string]pos{}, keys: map[string]pos{}, root: root}
}

// place is where a value is described: its path and, for messages, the thing it
// belongs to.
type place struct{ path, ctx string }

func (p place) field(key string) place {
	path := key
	if p.path != "" {
		path = p.path + "." + key
	}
	switch {
	case p.ctx == "":
		return place{path, key}
	case p.ctx == p.path:
		return place{path, path}
	}
	return place{path, key + " of " + p.ctx}
}

var itemNames = map[string]string{
	"work": "work item", "facts": "fact", "roots": "root", "scripts": "script", "turns": "turn", "then": "step",
	"tools": "tool use", "edits": "edit", "gate_flips": "gate flip", "explicit": "marks", "reads": "selector",
}

// item is the place of element i of a list, named by its own id if it has one.
func (p place) item(i int, n *node) place {
	path := fmt.Sprintf("%s[%d]", p.path, i)
	key := p.path[strings.LastIndexByte(p.path, '.')+1:]
	name := itemNames[key]
	if name == "" {
		return place{path, path}
	}
	for _, id := range idKeys {
		if v := n.get(id); v != nil && v.text != "" {
			return place{path, name + " " + quoted(v.text)}
		}
	}
	ctx := name + " " + strconv.Itoa(i+1)
	if _, owner, ok := strings.Cut(p.ctx, " of "); ok {
		ctx += " of " + owner
	}
	return place{path, ctx}
}

// idKeys are the keys that name an element of a list.
var idKeys = []string{"id", "name", "agent"}

func quoted(s string) string { return `"` + s + `"` }

func (d *decoder) fail(n *node, hint, format string, args ...any) {
	d.errs.add(n.pos, hint, format, args...)
}

func (d *decoder) wrongType(n *node, at place, want, hint string) {
	if n.kind == kindNull {
		d.fail(n, hint, "%s has no value: it must be %s", at.ctx, want)
		return
	}
	got := n.kind.String()
	if n.kind == kindFloat {
		got = n.text
	}
	d.fail(n, hint, "%s must be %s, not %s", at.ctx, want, got)
}

// value reads n into v by v's type.
func (d *decoder) value(n *node, v reflect.Value, at place) {
	d.vals[at.path] = n.pos
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), 0, len(n.items)))
		}
	}
	if d.special(n, v, at) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, at)
	case reflect.Slice:
		d.list(n, v, at)
	case reflect.Map:
		d.mapping(n, v, at)
	case reflect.String:
		v.SetString(d.str(n, at))
	case reflect.Bool:
		v.SetBool(d.boolean(n, at))
	case reflect.Int, reflect.Int64:
		lo, hi := bounds(at.path, v.Kind())
		v.SetInt(d.integer(n, at, lo, hi))
	case reflect.Uint64:
		v.SetUint(d.unsigned(n, at))
	}
}

func (d *decoder) structure(n *node, v reflect.Value, at place) {
	if n.kind != kindMap {
		hint := "keys: " + strings.Join(keysOf(v.Type()), ", ")
		if at.path == "project" && n.kind == kindString {
			hint = takesDirectory
		}
		d.wrongType(n, at, "a mapping", hint)
		return
	}
	for _, p := range n.pairs {
		f, ok := findField(v.Type(), p.key)
		if !ok {
			d.unknownKey(p, v.Type(), at)
			continue
		}
		sub := at.field(p.key)
		d.keys[sub.path] = p.pos
		d.value(p.val, v.Field(f.index), sub)
	}
}

func (d *decoder) unknownKey(p pair, t reflect.Type, at place) {
	if d.errs.full() {
		d.errs.more++
		return
	}
	in := ""
	if at.ctx != "" {
		in = " in " + at.ctx
	}
	d.errs.add(p.pos, keyHint(p.key, t, at.path), "unknown key %q%s", p.key, in)
}

// keyHint is what is said in place of the key, else the nearest key here, else on
// top of a file the one section that has such a key, else what keys there are.
func keyHint(key string, t reflect.Type, path string) string {
	if said := saidElsewhere[t.Name()+"."+key]; said != "" {
		return said
	}
	keys := keysOf(t)
	if path == "" {
		keys = append(keys, fileKeys...)
	}
	if h := didYouMean(key, keys); h != "" {
		return h
	}
	if in := sectionsWith(key); path == "" && len(in) == 1 {
		return "it belongs under " + in[0]
	}
	return oneOf(keys)
}

const (
	takesDirectory = "agentsim run --project DIR takes the files of a directory"
	childrensModel = "provider: {subagent_model: …} is for all sub-agents, and forks keep their parent's"
	testTakes      = `project: {tests: [{command: go test ./..., takes: 7m, files: "**/*.go"}]} says how long a command takes`
)

// saidElsewhere is what to write for keys that people look for where they are not.
var saidElsewhere = map[string]string{
	"Project.path":         takesDirectory,
	"Project.dir":          takesDirectory,
	"Project.directory":    takesDirectory,
	"Project.root":         takesDirectory,
	"Provider.fork_model":  childrensModel,
	"Forks.model":          childrensModel,
	"Scenario.fork":        childrensModel,
	"Scenario.fork_model":  childrensModel,
	"Scenario.children":    childrensModel,
	"Scenario.subagent":    childrensModel,
	"Scenario.subagents":   childrensModel,
	"PermissionSpec.model": childrensModel,
	"ToolSpec.bash":        testTakes,
	"ToolSpec.Bash":        testTakes,
	"TestRun.time":         `did you mean "takes"?`,
	"TestRun.duration":     `did you mean "takes"?`,
	"Item.model":           childrensModel + "; children of several models take scripts",
	"Item.type":            "type stands at the top, or in a variant, for all children; children of several types take scripts",
	"Item.agent":           "type stands at the top, or in a variant, for all children; children of several types take scripts",
	"Item.strategy":        "strategy stands at the top, or in a variant; by: lead leaves an item to the lead",
	"Item.files":           `reads: [PATH], or needs: ["file:PATH"] where reading is required`,
}

// sectionsWith are the sections on top of a scenario that have a key.
func sectionsWith(key string) (out []string) {
	for _, p := range Paths() {
		if in, ok := strings.CutSuffix(p, "."+key); ok && !strings.ContainsAny(in, ".[") {
			out = append(out, in)
		}
	}
	return out
}

func (d *decoder) list(n *node, v reflect.Value, at place) {
	if n.kind != kindList {
		hint := ""
		if n.kind == kindString {
			hint = "in brackets: [" + flow(n) + "]"
		}
		d.wrongType(n, at, "a list", hint)
		return
	}
	if len(n.items) > MaxListed {
		d.fail(n, "", "%s has more than %d entries", at.ctx, MaxListed)
		return
	}
	for i, it := range n.items {
		e := reflect.New(v.Type().Elem()).Elem()
		d.value(it, e, at.item(i, it))
		v.Set(reflect.Append(v, e))
	}
}

// MaxListed is how many entries a list of a scenario may have.
const MaxListed = 20_000

func (d *decoder) mapping(n *node, v reflect.Value, at place) {
	if n.kind != kindMap {
		d.wrongType(n, at, "a mapping", "")
		return
	}
	if v.IsNil() && len(n.pairs) > 0 {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for _, p := range n.pairs {
		sub := place{at.path + "." + p.key, p.key + " in " + at.ctx}
		d.keys[sub.path] = p.pos
		key := reflect.New(v.Type().Key()).Elem()
		if key.Kind() == reflect.Int {
			kn := &node{kind: kindInt, text: p.key, pos: p.pos}
			key.SetInt(d.integer(kn, place{at.path, "a position in " + at.ctx}, -maxSmall, maxSmall))
		} else {
			key.SetString(p.key)
		}
		e := reflect.New(v.Type().Elem()).Elem()
		d.value(p.val, e, sub)
		v.SetMapIndex(key, e)
	}
}

// where is the place of a path's value, or of the nearest thing around it.
func (d *decoder) where(path string) pos { return d.lookup(d.vals, path) }

// whereKey is the place of a path's key, or of the nearest thing around it.
func (d *decoder) whereKey(path string) pos { return d.lookup(d.keys, path) }

func (d *decoder) lookup(m map[string]pos, path string) pos {
	for path != "" {
		if p, ok := m[path]; ok {
			return p
		}
		if p, ok := d.vals[path]; ok {
			return p
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return d.root
}

// given reports whether the scenario itself holds a path, defaults aside.
func (d *decoder) given(path string) bool {
	_, ok := d.vals[path]
	return ok
}
