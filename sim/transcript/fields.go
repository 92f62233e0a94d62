package transcript

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// A field of a kind stands in the text under the key of its tag, in the order of the
// struct, such as `text:"place,opt"`. Behind the key: opt leaves an empty value out,
// agent is an ordinal or - for none, hex has 16 digits, short is a duration as Go
// prints it.

// AppendText appends the canonical fields of an event's body as ` key=value …`: those
// of its tags, unless it writes them itself.
func AppendText(dst []byte, b Body) []byte {
	if own, ok := b.(texter); ok {
		return own.AppendText(dst)
	}
	return appendTagged(dst, b)
}

func appendTagged(dst []byte, b Body) []byte {
	return plans[b.Kind()].append(dst, reflect.ValueOf(b).Elem())
}

// plans are the tagged fields of each kind.
var plans = func() (out [KindRunEnd + 1]plan) {
	for _, b := range []Body{&RunStart{}, &AgentStart{}, &Stage{}, &Recorded{}, &ToolCall{}, &ToolResult{}, &Permission{}, &StateWrite{},
		&Listener{}, &Abort{}, &Task{}, &Handoff{}, &Notification{}, &Message{}, &Output{}, &WakeUp{}, &UserMessage{}, &Rebase{},
		&Compact{}, &Replace{}, &Hook{}, &Definition{}, &Gate{}, &Server{}, &Plan{}, &Team{}, &Mail{}, &TeamTask{}, &Worktree{},
		&Conflict{}, &Link{}, &Terminal{}, &Finding{}, &Item{}, &AgentEnd{}, &RunEnd{}} {
		out[b.Kind()] = planOf(reflect.TypeOf(b).Elem())
	}
	return out
}()

type plan []tagged

// tagged is one field that stands in the text.
type tagged struct {
	index int
	key   string // " key="
	opt   bool
	write func(dst []byte, v reflect.Value) []byte
}

func planOf(t reflect.Type) (p plan) {
	for i := range t.NumField() {
		f := t.Field(i)
		if tag := f.Tag.Get("text"); tag != "" {
			key, how, _ := strings.Cut(tag, ",")
			how, opt := strings.CutPrefix(how, "opt")
			p = append(p, tagged{i, " " + key + "=", opt, writer(f.Type, strings.TrimPrefix(how, ","))})
		}
	}
	return p
}

func (p plan) append(dst []byte, v reflect.Value) []byte {
	for i := range p {
		f := &p[i]
		x := v.Field(f.index)
		if f.opt && (x.IsZero() || x.Kind() == reflect.Slice && x.Len() == 0) {
			continue
		}
		dst = f.write(append(dst, f.key...), x)
	}
	return dst
}

// writer is how values of a type are written.
func writer(t reflect.Type, how string) func(dst []byte, v reflect.Value) []byte {
	switch {
	case how == "agent":
		return func(dst []byte, v reflect.Value) []byte { return appendAgent(dst, int32(v.Int())) }
	case t == reflect.TypeFor[llm.AgentID]():
		return func(dst []byte, v reflect.Value) []byte { return appendHex(append(dst, 'a'), v.Uint()) }
	case how == "hex":
		return func(dst []byte, v reflect.Value) []byte { return appendHex(dst, v.Uint()) }
	case how == "short":
		return func(dst []byte, v reflect.Value) []byte { return appendValue(dst, vtime.Duration(v.Int()).String()) }
	case t == reflect.TypeFor[vtime.Duration]():
		return func(dst []byte, v reflect.Value) []byte { return vtime.Instant(v.Int()).AppendText(dst) }
	case t == reflect.TypeFor[*llm.Node]():
		return func(dst []byte, v reflect.Value) []byte { return v.Interface().(*llm.Node).Hash.AppendText(dst) }
	case reflect.PointerTo(t).Implements(reflect.TypeFor[texter]()): // an id or a hash
		return func(dst []byte, v reflect.Value) []byte { return v.Addr().Interface().(texter).AppendText(dst) }
	}
	switch t.Kind() {
	case reflect.String:
		return func(dst []byte, v reflect.Value) []byte { return appendValue(dst, v.String()) }
	case reflect.Bool:
		return func(dst []byte, v reflect.Value) []byte { return strconv.AppendBool(dst, v.Bool()) }
	case reflect.Int, reflect.Int32, reflect.Int64:
		return func(dst []byte, v reflect.Value) []byte { return strconv.AppendInt(dst, v.Int(), 10) }
	case reflect.Uint64:
		return func(dst []byte, v reflect.Value) []byte { return strconv.AppendUint(dst, v.Uint(), 10) }
	case reflect.Slice:
		return appendList
	}
	panic(fmt.Sprintf("transcript: a tag on a field of type %v", t))
}

type texter interface{ AppendText([]byte) []byte }

// appendList joins the values with commas; one that holds a comma is quoted.
func appendList(dst []byte, v reflect.Value) []byte {
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(dst, v.Index(i).String())
	}
	return dst
}
