package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentsim/sim/llm"
)

// fieldType is the JSON type of an input field.
type fieldType uint8

const (
	stringType  fieldType = iota
	integerType           // whole and not negative
	booleanType
	arrayType
	objectType
	anyType
)

func (t fieldType) String() string {
	return [...]string{"string", "integer", "boolean", "array", "object", "any"}[t]
}

// phrase is the type as an error message says it.
func (t fieldType) phrase() string {
	return [...]string{"a string", "a whole number from 0 on", "true or false", "a list", "an object", "any value"}[t]
}

// field is one input field of a tool.
type field struct {
	name     string
	typ      fieldType
	required bool
	hidden   bool // known, but not offered by the present gates
	enum     []string
	about    string
	inner    string // arrays and objects: the further members of the schema, beginning with a comma
}

type fields []field

// schema renders the JSON schema. Hidden fields are left out.
func (fs fields) schema() string {
	var properties, required []string
	for _, f := range fs {
		if f.hidden {
			continue
		}
		properties = append(properties, quote(f.name)+":"+f.property())
		if f.required {
			required = append(required, quote(f.name))
		}
	}
	end := `}`
	if len(required) > 0 {
		end += `,"required":[` + strings.Join(required, ",") + `]`
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + end + `,"additionalProperties":false}`
}

// property is the schema of one field.
func (f *field) property() string {
	s := `{`
	if f.typ != anyType {
		s += `"type":` + quote(f.typ.String()) + `,`
	}
	s += `"description":` + quote(f.about)
	if f.typ == integerType {
		s += `,"minimum":0`
	}
	for i, e := range f.enum {
		s += [...]string{`,"enum":[`, `,`}[min(i, 1)] + quote(e)
	}
	if len(f.enum) > 0 {
		s += `]`
	}
	return s + f.inner + `}`
}

// quote writes a string as encoding/json does without escapes for HTML, which differs
// from the canonical form where a text is no UTF-8 or has separators of lines.
func quote(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029") {
		return string(llm.AppendQuoted(nil, s))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("tool: a text that JSON cannot hold: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxFields bounds the fields of one tool, so that inputs are read into an
// array on the stack.
const maxFields = 16

// input is the values of a call by the index of their field.
type input [maxFields]value

// read checks an input against the fields: one JSON object that holds known
// fields only, each once and of its type, and all that are required. Hidden
// fields are read over.
func (fs fields) read(raw string, in *input) error {
	rest, err := object(raw)
	if err != nil {
		return err
	}
	for {
		name, v, left, ok := member(rest)
		if !ok {
			return fs.checkRequired(in)
		}
		i := slices.IndexFunc(fs, func(f field) bool { return f.name == name.text() })
		if i < 0 {
			return fmt.Errorf("unknown field %s: the fields are %s", strconv.Quote(name.text()), fs.names())
		}
		if in[i].kind != absent {
			return fmt.Errorf("field %q is given twice", fs[i].name)
		}
		if !fs[i].hidden {
			if err := fs[i].check(v); err != nil {
				return err
			}
		}
		in[i], rest = v, left
	}
}

// Inputs is what inputs of calls of a run hold, each read once for all calls that say the
// same. It is of one run alone, since no two goroutines may ask it at a time.
type Inputs struct {
	made   map[written]*input
	weight int
}

// written is an input as it is written, of the tool that has these fields.
type written struct {
	fields *field
	raw    string
}

// maxInputs is how much of inputs is kept, in bytes.
const maxInputs = 1 << 20

// read is fields.read for those who change nothing of it. Without a place to keep it
// each input is read by itself.
func (k *Inputs) read(fs fields, raw string) (*input, error) {
	key := written{&fs[0], raw}
	if k != nil {
		if in := k.made[key]; in != nil {
			return in, nil
		}
	}
	in := new(input)
	if err := fs.read(raw, in); err != nil || k == nil {
		return in, err
	}
	if k.weight += len(raw) + 24*maxFields; k.made == nil || k.weight > maxInputs {
		k.made, k.weight = map[written]*input{}, 0
	}
	k.made[key] = in
	return in, nil
}

func (fs fields) names() string {
	var out []string
	for _, f := range fs {
		if !f.hidden {
			out = append(out, f.name)
		}
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, ", ")
}

func (fs fields) checkRequired(in *input) error {
	for i := range fs {
		if fs[i].required && in[i].kind == absent {
			return fmt.Errorf("field %q is missing", fs[i].name)
		}
	}
	return nil
}

// check says whether the value has the field's type.
func (f *field) check(v value) error {
	if !f.fits(v) {
		return fmt.Errorf("field %q must be %s, not %s", f.name, f.typ.phrase(), v.phrase())
	}
	if len(f.enum) > 0 && !slices.Contains(f.enum, v.text()) {
		return fmt.Errorf("field %q must be one of %s, not %s", f.name, strings.Join(f.enum, ", "), strconv.Quote(v.text()))
	}
	return nil
}

func (f *field) fits(v value) bool {
	switch f.typ {
	case stringType:
		return v.kind == jsonString
	case integerType:
		_, ok := v.integer()
		return ok
	case booleanType:
		return v.kind == jsonTrue || v.kind == jsonFalse
	case arrayType:
		return v.kind == jsonArray
	case objectType:
		return v.kind == jsonObject
	}
	return true
}
