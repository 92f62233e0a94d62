// Package outside tries this program with what others wrote: the vendor's SDK, which
// sends requests, servers of the Model Context Protocol, the schema of SARIF and the
// messages of Perfetto. It is a module of its own, so that the program depends on none of
// them.
package outside

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/wire"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// client sends to a loopback listener, which keeps the body of the last request.
func client(t *testing.T) (c anthropic.Client, body *[]byte) {
	body = new([]byte)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"end_turn","usage":{}}`)
	}))
	t.Cleanup(s.Close)
	return anthropic.NewClient(option.WithBaseURL(s.URL), option.WithAPIKey("none"), option.WithMaxRetries(0)), body
}

// TestConversation sends what an agent sends: tools, system blocks with marks, a
// picture, a tool use with its result, thinking.
func TestConversation(t *testing.T) {
	c, body := client(t)
	mark := anthropic.NewCacheControlEphemeralParam()
	mark.TTL = anthropic.CacheControlEphemeralTTLTTL1h
	_, err := c.Messages.New(context.Background(), anthropic.MessageNewParams{
		Model: "claude-opus-5-5", MaxTokens: 4096,
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "Read", Description: anthropic.String("Reads a <file> & more."),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: map[string]any{"file_path": map[string]any{"type": "string"}}, Required: []string{"file_path"}}}}},
		System: []anthropic.TextBlockParam{{Text: "You are careful."}, {Text: "Answer in one word.", CacheControl: mark}},
		Messages: []anthropic.MessageParam{
			anthropic.NewUserMessage(anthropic.NewTextBlock("What is here?"), anthropic.NewImageBlockBase64("image/png", "iVBORw0KGgo=")),
			anthropic.NewAssistantMessage(anthropic.NewThinkingBlock("SIG", "I will look."), anthropic.NewToolUseBlock("toolu_01AbC", map[string]any{"file_path": "a.go"}, "Read")),
			anthropic.NewUserMessage(anthropic.NewToolResultBlock("toolu_01AbC", "package a\n", false)),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.Read(&llm.Builder{}, *body, wire.Options{Strict: true})
	if err != nil {
		t.Fatalf("%v in %s", err, *body)
	}
	if len(b.Breakpoints) != 1 || b.Breakpoints[0].TTL != llm.TTL1h || b.Breakpoints[0].Node.Block.Content.Raw() != "Answer in one word." {
		t.Error(b.Breakpoints)
	}
	var kinds []string
	for n := b.Head; n != nil; n = n.Parent {
		if !n.IsBorder() {
			kinds = append([]string{n.Block.Kind.String()}, kinds...)
		}
	}
	if got, want := strings.Join(kinds, " "), "tool text text text image thinking tool_use tool_result"; got != want {
		t.Errorf("blocks %s, want %s", got, want)
	}
	if again, err := wire.Read(&llm.Builder{}, llm.AppendRequest(nil, b.Head), wire.Options{Strict: true}); err != nil || again.Head.Hash != b.Head.Hash {
		t.Error("its canonical form is another prompt", err)
	}
}

// refused are fields that make the server do what is not simulated.
var refused = []string{"container", "mcp_servers", "fallbacks", "fallback_credit_token", "billing_policy"}

// TestEverything sends all that the SDK can write: every field of a request, and of
// whatever is one of several, each in turn. Nothing is refused but what the server would
// do itself, by its name; every field is told, and none is unknown.
func TestEverything(t *testing.T) {
	c, body := client(t)
	send := func(params any) []byte {
		var err error
		switch p := params.(type) {
		case *anthropic.MessageNewParams:
			_, err = c.Messages.New(context.Background(), *p)
		case *anthropic.BetaMessageNewParams:
			_, err = c.Beta.Messages.New(context.Background(), *p)
		}
		if err != nil {
			t.Fatal(err)
		}
		return *body
	}
	types := map[string]bool{}
	for _, params := range []any{&anthropic.MessageNewParams{}, &anthropic.BetaMessageNewParams{}} {
		for turn := range 40 {
			v := reflect.ValueOf(params).Elem()
			v.SetZero()
			(&filler{turn}).fill(v, 0)
			for i := range v.NumField() {
				if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); slices.Contains(refused, name) {
					v.Field(i).SetZero()
				}
			}
			read(t, send(params), types)
			v.FieldByName("Tools").SetZero()
			read(t, send(params), types)
		}
	}
	if len(types) < 60 {
		t.Errorf("%d types of blocks and tools were sent", len(types))
	}
	for _, name := range refused {
		text := fmt.Sprintf(`{"messages":[],%q:{}}`, name)
		if _, err := wire.Read(&llm.Builder{}, []byte(text), wire.Options{}); err == nil || !strings.Contains(err.Error(), name+": what it makes the server do is not simulated") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// read reads a body, and notes the types in it.
func read(t *testing.T, body []byte, types map[string]bool) {
	t.Helper()
	var sent map[string]any
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	typesIn(sent, types)
	b, err := wire.Read(&llm.Builder{}, body, wire.Options{Strict: true})
	if err != nil {
		if !strings.Contains(err.Error(), "which the server runs itself: that is not simulated") && !strings.Contains(err.Error(), "all tools are deferred") {
			t.Errorf("%v in %s", err, body)
		}
		return
	}
	for key := range sent {
		if key != "tools" && key != "system" && key != "messages" && !slices.ContainsFunc(b.Fields, func(f wire.Field) bool { return f.Name == key }) {
			t.Errorf("%s is not told of %s", key, body)
		}
	}
}

// typesIn notes what calls itself a type of something.
func typesIn(x any, types map[string]bool) {
	switch x := x.(type) {
	case map[string]any:
		if name, ok := x["type"].(string); ok {
			types[name] = true
		}
		for _, y := range x {
			typesIn(y, types)
		}
	case []any:
		for _, y := range x {
			typesIn(y, types)
		}
	}
}

// filler fills values, of what is one of several the one whose turn it is.
type filler struct{ turn int }

func (f *filler) fill(v reflect.Value, depth int) {
	if depth > 12 || !v.CanSet() {
		return
	}
	switch t := v.Type(); v.Kind() {
	case reflect.String:
		if !strings.HasSuffix(t.PkgPath(), "/constant") { // those say themselves
			v.SetString(word(t.Name()))
		}
	case reflect.Int64, reflect.Int:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			v.Set(reflect.ValueOf(map[string]any{"a": 1}))
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			e := reflect.New(t.Elem()).Elem()
			f.fill(e, depth+1)
			v.Set(reflect.MakeMap(t))
			v.SetMapIndex(reflect.ValueOf("a").Convert(t.Key()), e)
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`"x"`))
			return
		}
		v.Set(reflect.MakeSlice(t, 1, 1))
		f.fill(v.Index(0), depth+1)
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		f.fill(v.Elem(), depth+1)
	case reflect.Struct:
		f.object(v, depth)
	}
}

// object fills a structure: a union's one field, else all.
func (f *filler) object(v reflect.Value, depth int) {
	var of []int
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; strings.HasPrefix(name, "Of") && strings.Contains(string(v.Type().Field(i).Tag), "inline") {
			of = append(of, i)
		}
	}
	if len(of) > 0 {
		f.fill(v.Field(of[f.turn%len(of)]), depth+1)
		return
	}
	_, marked := v.Type().FieldByName("CacheControl")
	for i := range v.NumField() {
		x := v.Type().Field(i)
		if marked && (x.Name == "DeferLoading" && f.turn%2 == 0 || x.Name == "CacheControl" && f.turn%2 == 1) {
			continue // a tool can be one of the two
		}
		if x.IsExported() && x.Name != "ExtraFields" && !strings.Contains(x.Type.String(), "param.APIObject") && !strings.HasPrefix(x.Tag.Get("json"), "-") {
			f.fill(v.Field(i), depth+1)
		}
	}
}

// word is a value that a type of texts has.
func word(of string) string {
	switch {
	case strings.HasSuffix(of, "Role"):
		return "user"
	case strings.HasSuffix(of, "TTL"):
		return "1h"
	case strings.HasSuffix(of, "Effort"):
		return "low"
	case strings.HasSuffix(of, "ToolSearchToolBm25_20251119Type"):
		return "tool_search_tool_bm25_20251119"
	case strings.HasSuffix(of, "ToolSearchToolRegex20251119Type"):
		return "tool_search_tool_regex_20251119"
	case strings.HasSuffix(of, "ToolType"):
		return "custom"
	}
	return "x"
}
