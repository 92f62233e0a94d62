package transcript

import (
	"encoding/binary"
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
// prints it. In the form it has the number of its place among the tagged, from 1.

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

// texts append the fields of each kind as ` key=value …`, read from its form.
var texts = func() (out [KindRunEnd + 1]func(dst []byte, r *reader) []byte) {
	for k, p := range plans {
		out[k] = p.appendText
	}
	out[KindRequest], out[KindResponse], out[KindAPIError], out[KindProgress] = requestText, responseText, apiErrorText, progressText
	return out
}()

type plan []tagged

// tagged is one field that stands in form and text.
type tagged struct {
	path   []int  // of the struct's fields
	key    string // " key="
	opt    bool
	number byte
	codec
}

// codec is how values of a type are written.
type codec struct {
	put  func(dst []byte, number byte, v reflect.Value) []byte
	text func(dst []byte, number byte, r *reader) []byte
}

// planOf lists the tagged fields of a struct, those of its parts that have no tag among
// them.
func planOf(t reflect.Type) (p plan) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Type.Kind() == reflect.Struct && f.Tag == "" {
			for _, inner := range planOf(f.Type) {
				p = append(p, inner.within(f.Index, len(p)))
			}
		} else if tag := f.Tag.Get("text"); tag != "" {
			key, how, _ := strings.Cut(tag, ",")
			how, opt := strings.CutPrefix(how, "opt")
			p = append(p, tagged{f.Index, " " + key + "=", opt, byte(len(p) + 1), codecOf(f.Type, strings.TrimPrefix(how, ","))})
		}
	}
	return p
}

// within is the field as one of a struct that has its own at index, behind others.
func (f tagged) within(index []int, others int) tagged {
	f.path, f.number = append(append([]int{}, index...), f.path...), byte(others+1)
	return f
}

func (p plan) appendForm(dst []byte, b any) []byte {
	v := reflect.ValueOf(b).Elem()
	for i := range p {
		dst = p[i].put(dst, p[i].number, v.FieldByIndex(p[i].path))
	}
	return dst
}

func (p plan) appendText(dst []byte, r *reader) []byte {
	for i := range p {
		if f := &p[i]; !f.opt || r.has(f.number) {
			dst = f.text(append(dst, f.key...), f.number, r)
		}
	}
	return dst
}

// codecOf is that of a type, and of what a tag says of it.
func codecOf(t reflect.Type, how string) codec {
	switch t {
	case reflect.TypeFor[llm.Hash]():
		return codec{
			func(dst []byte, n byte, v reflect.Value) []byte { return putHash(dst, n, *pointer[llm.Hash](v)) },
			func(dst []byte, n byte, r *reader) []byte { return r.hash(n).AppendText(dst) }}
	case reflect.TypeFor[llm.ToolUseID]():
		return codec{
			func(dst []byte, n byte, v reflect.Value) []byte {
				return putToolUse(dst, n, *pointer[llm.ToolUseID](v))
			},
			func(dst []byte, n byte, r *reader) []byte { return r.toolUse(n).AppendText(dst) }}
	case reflect.TypeFor[*llm.Node]():
		return codec{
			func(dst []byte, n byte, v reflect.Value) []byte { return putNode(dst, n, *pointer[*llm.Node](v)) },
			func(dst []byte, n byte, r *reader) []byte { return r.node(n).hash.AppendText(dst) }}
	case reflect.TypeFor[llm.Usage]():
		return codec{
			func(dst []byte, n byte, v reflect.Value) []byte { return putUsage(dst, n, pointer[llm.Usage](v)) },
			usageText}
	case reflect.TypeFor[[]RecordedTool]():
		return codec{putTools, toolsText}
	case reflect.TypeFor[map[string]int]():
		return codec{putCounts, countsText}
	}
	return plainCodec(t, how)
}

// plainCodec is that of numbers, flags, strings and lists of them.
func plainCodec(t reflect.Type, how string) codec {
	switch t.Kind() {
	case reflect.String:
		return codec{
			func(dst []byte, n byte, v reflect.Value) []byte { return putText(dst, n, v.String()) },
			func(dst []byte, n byte, r *reader) []byte { return appendValue(dst, r.text(n)) }}
	case reflect.Bool:
		return codec{
			func(dst []byte, n byte, v reflect.Value) []byte { return putFlag(dst, n, v.Bool()) },
			func(dst []byte, n byte, r *reader) []byte { return strconv.AppendBool(dst, r.flag(n)) }}
	case reflect.Slice:
		return codec{
			func(dst []byte, n byte, v reflect.Value) []byte { return putList(dst, n, *pointer[[]string](v)) },
			listText}
	case reflect.Uint64:
		return codec{func(dst []byte, n byte, v reflect.Value) []byte { return putInt(dst, n, v.Uint()) }, numberText(t, how)}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return codec{func(dst []byte, n byte, v reflect.Value) []byte { return putInt(dst, n, v.Int()) }, numberText(t, how)}
	}
	panic(fmt.Sprintf("transcript: a tag on a field of type %v", t))
}

// pointer is a field of a body, without a copy.
func pointer[T any](v reflect.Value) *T { return v.Addr().Interface().(*T) }

// numberText is how numbers of a type are written.
func numberText(t reflect.Type, how string) func(dst []byte, n byte, r *reader) []byte {
	switch {
	case how == "agent":
		return func(dst []byte, n byte, r *reader) []byte { return appendAgent(dst, int32(r.int(n))) }
	case t == reflect.TypeFor[llm.AgentID]():
		return func(dst []byte, n byte, r *reader) []byte { return appendHex(append(dst, 'a'), uint64(r.int(n))) }
	case how == "hex":
		return func(dst []byte, n byte, r *reader) []byte { return appendHex(dst, uint64(r.int(n))) }
	case how == "short":
		return func(dst []byte, n byte, r *reader) []byte {
			return appendValue(dst, vtime.Duration(r.int(n)).String())
		}
	case t == reflect.TypeFor[vtime.Duration]():
		return func(dst []byte, n byte, r *reader) []byte { return vtime.Instant(r.int(n)).AppendText(dst) }
	case t.Kind() == reflect.Uint64:
		return func(dst []byte, n byte, r *reader) []byte { return strconv.AppendUint(dst, uint64(r.int(n)), 10) }
	}
	return func(dst []byte, n byte, r *reader) []byte { return strconv.AppendInt(dst, r.int(n), 10) }
}

// listText joins the values with commas; one that holds a comma is quoted.
func listText(dst []byte, number byte, r *reader) []byte {
	for i := range r.count(number) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendValue(dst, r.sized())
	}
	return dst
}

// usageText is input/write_5m/write_1h/read/output.
func usageText(dst []byte, number byte, r *reader) []byte {
	u := r.usage(number)
	for i, v := range [...]int64{u.Input, u.Write5m, u.Write1h, u.Read, u.Output} {
		if i > 0 {
			dst = append(dst, '/')
		}
		dst = strconv.AppendInt(dst, v, 10)
	}
	return dst
}

func putCounts(dst []byte, number byte, v reflect.Value) []byte {
	counts := *pointer[map[string]int](v)
	if len(counts) == 0 {
		return dst
	}
	dst = binary.AppendUvarint(append(dst, number), uint64(len(counts)))
	last := ""
	for range counts {
		last = nextKey(counts, last)
		dst = binary.LittleEndian.AppendUint64(appendSized(dst, last), uint64(counts[last]))
	}
	return dst
}

// countsText is name:count pairs in the order of the names.
func countsText(dst []byte, number byte, r *reader) []byte {
	for i := range r.count(number) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendValue(dst, r.sized()), ':')
		dst = strconv.AppendInt(dst, int64(r.word()), 10)
	}
	return dst
}

// nextKey is the smallest key greater than last: a map of a few keys is walked
// in order without a copy of them.
func nextKey(m map[string]int, last string) string {
	next, found := "", false
	// order: the smallest key of all is taken, whichever comes first.
	for k := range m {
		if k > last && (!found || k < next) {
			next, found = k, true
		}
	}
	return next
}
