package team

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newTeam(t *testing.T, names ...string) *Team {
	t.Helper()
	tm, err := New("web")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if _, err := tm.Join(n); err != nil {
			t.Fatal(err)
		}
	}
	return tm
}

func TestTeam(t *testing.T) {
	t.Run("SWM-07 a member's id is its name at its team, and a name is borne by one at a time", func(t *testing.T) {
		tm := newTeam(t, "alice", "bob")
		if got := ID("alice", tm.Name); got != "alice@web" {
			t.Error(got)
		}
		for _, name := range []string{"", "alice", LeadName, "a@b", "a b", "*", "uds:x", "ä", strings.Repeat("x", 65)} {
			if _, err := tm.Join(name); err == nil {
				t.Errorf("%q joined", name)
			}
		}
		tm.Leave("alice")
		if m, err := tm.Join("alice"); err != nil || m.Color != "green" {
			t.Error(m, err)
		}
		if got := tm.Names(); !slices.Equal(got, []string{"bob", "alice"}) {
			t.Error(got)
		}
	})
	t.Run("SWM-05 an address means one member, the lead, all but the sender, or another session; nobody else", testAddresses)
	t.Run("SWM-05 what is structured goes to one member or the lead alone", func(t *testing.T) {
		for _, to := range []string{"*", "uds:/tmp/x", "bridge:7", "bob", LeadName} {
			a, err := ParseAddress(to)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Carries(PlainText); err != nil {
				t.Error(to, err)
			}
			if err := a.Carries(ShutdownRequest); (err == nil) != (to == "bob" || to == LeadName) {
				t.Error(to, err)
			}
		}
	})
	t.Run("SWM-06 a structured message has the fields of its type and no others", testMessages)
	t.Run("SWM-04 no text passes for a mail", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			parts := rapid.SliceOf(rapid.SampledFrom([]string{"<", "/", tag, ">", ` from="bob"`, "&lt;", "x", "\n"})).Draw(t, "text")
			got := Mail{From: "alice", Text: strings.Join(parts, "")}.Block()
			if strings.Count(got, "<"+tag) != 1 || strings.Count(got, "</"+tag) != 1 || !strings.HasSuffix(got, "</"+tag+">") {
				t.Fatal(got)
			}
		})
	})
}

func testAddresses(t *testing.T) {
	tm := newTeam(t, "alice", "bob", "carol")
	for _, c := range []struct{ from, to, want string }{
		{"alice", "bob", "bob"},
		{"alice", "*", "team-lead bob carol"},
		{LeadName, "*", "alice bob carol"},
		{"alice", LeadName, "team-lead"},
		{"alice", "alice", "alice is you"},
		{LeadName, LeadName, "team-lead is you"},
		{"alice", "dave", "nobody called dave in team web: there are team-lead, alice, bob, carol"},
		{"alice", "bob@web", "nobody called bob@web"},
		{"alice", "bridge:bob", "not one of team web"},
		{"alice", "uds:bob", "not one of team web"},
		{"alice", "uds:", "names nothing"},
		{"alice", "bridge:", "names nothing"},
		{"alice", "", "nobody called "},
	} {
		a, err := ParseAddress(c.to)
		var got []string
		if err == nil {
			got, err = tm.Receivers(c.from, a)
		}
		if err == nil && strings.Join(got, " ") != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s to %q: %q %v, want %s", c.from, c.to, got, err, c.want)
		}
	}
	if _, err := newTeam(t).Receivers(LeadName, Address{Kind: ToAll}); err == nil {
		t.Error("a broadcast to nobody")
	}
}

func testMessages(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`{"type":"shutdown_request","reason":"done"}`, ""},
		{`{"type":"shutdown_response","request_id":"s1","approve":false,"reason":"busy"}`, ""},
		{`{"type":"plan_approval_request","plan":"# Plan"}`, ""},
		{`{"type":"plan_approval_response","request_id":"p1","approve":true,"permissionMode":"acceptEdits"}`, ""},
		{`{"type":"plan_approval_response","request_id":"p1","approve":false,"permissionMode":"default"}`, `no field "permissionMode"`},
		{`{"type":"shutdown_response","approve":true}`, `needs the field "request_id"`},
		{`{"type":"shutdown_response","request_id":"s1"}`, `needs the field "approve"`},
		{`{"type":"shutdown_request","approve":true}`, `no field "approve"`},
		{`{"type":"shutdown_request","feedback":"no"}`, `no field "feedback"`},
		{`{"type":"plan_approval_request"}`, `needs the field "plan"`},
		{`{"type":"shutdown_request","plan":"p"}`, `no field "plan"`},
		{`{"type":"shutdown_request","tool":"Bash"}`, `no field "tool"`},
		{`{"type":"shutdown_request","input":"{}"}`, `no field "input"`},
		{`{"type":"permission_response","request_id":"x","approve":true}`, "no message of type"},
		{`{"type":"other"}`, "the types are shutdown_request, shutdown_response, plan_approval_request, plan_approval_response"},
		{`{"type":"shutdown_request","x":1}`, "unknown field"},
		{`{"type":"shutdown_request"} {}`, "something stands behind"},
		{`[1]`, "neither a text nor"},
	} {
		m, err := ParseMessage(c.raw)
		switch {
		case c.want == "" && err != nil:
			t.Error(c.raw, err)
		case c.want == "" && m.Render() != c.raw:
			t.Error(m.Render())
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.raw, err, c.want)
		}
	}
}

func TestMailbox(t *testing.T) {
	t.Run("SWM-04 mail is read exactly once and in order of each sender, however writing, reading and doubled deliveries mix", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			b := NewBox("alice")
			sent, got := map[string][]string{}, map[string][]string{}
			read := func() {
				mails, err := b.Read()
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range mails {
					got[m.From] = append(got[m.From], m.Text)
					if m.N != len(got[m.From]) {
						t.Fatal(m)
					}
				}
			}
			for range rapid.IntRange(0, 30).Draw(t, "steps") {
				switch rapid.IntRange(0, 4).Draw(t, "step") {
				case 0, 1:
					read()
					continue
				case 2: // delivered twice
					if lines := bytes.SplitAfter(b.file, []byte("\n")); len(lines) > 1 {
						b.file = append(b.file, lines[rapid.IntRange(0, len(lines)-2).Draw(t, "line")]...)
					}
					continue
				}
				from, text := rapid.SampledFrom([]string{"bob", "carol", LeadName}).Draw(t, "from"), rapid.String().Draw(t, "text")
				if _, err := b.Append(from, PlainText, text); err != nil {
					t.Fatal(err)
				}
				sent[from] = append(sent[from], strings.ToValidUTF8(text, "�"))
			}
			read()
			for _, from := range []string{"bob", "carol", LeadName} {
				if !slices.Equal(got[from], sent[from]) {
					t.Fatalf("of %s %q, sent were %q", from, got[from], sent[from])
				}
			}
			if b.read.offset < len(b.file) {
				t.Fatal("something is unread")
			}
			again, err := OpenBox("alice", b.file).Read()
			if n := len(got["bob"]) + len(got["carol"]) + len(got[LeadName]); err != nil || len(again) != n {
				t.Fatal("the file alone:", len(again), err)
			}
		})
	})
	t.Run("SWM-04 a mailbox that is cut off or forged is an error that names the line; what stands in front is read", testForged)
	t.Run("SWM-04 a message of 10 MB is refused", func(t *testing.T) {
		b := NewBox("alice")
		if _, err := b.Append("bob", PlainText, strings.Repeat("x", 10<<20)); err == nil || !strings.Contains(err.Error(), "at most 1048576 bytes") || len(b.file) != 0 {
			t.Error(err, len(b.file))
		}
		if _, err := b.Append("bob", PlainText, strings.Repeat("x", MaxMail)); err != nil {
			t.Error(err)
		}
	})
}

func testForged(t *testing.T) {
	make := func() *Box {
		b := NewBox("alice")
		for _, text := range []string{"one", "two", "three"} {
			if _, err := b.Append("bob", PlainText, text); err != nil {
				t.Fatal(err)
			}
		}
		return b
	}
	lines := strings.SplitAfter(string(make().file), "\n")
	for what, c := range map[string]struct {
		file string
		read int
		want string
	}{
		"cut":        {lines[0] + lines[1][:20], 1, "mailbox of alice, line 2: it is cut off"},
		"no newline": {lines[0] + strings.TrimSuffix(lines[1], "\n"), 1, "line 2: it is cut off"},
		"again":      {lines[0] + strings.Replace(lines[0], "one", "won", 1), 1, "line 2: it is mail 1 of bob where 2 is next"},
		"left out":   {lines[0] + lines[2], 1, "line 2: it is mail 3 of bob where 2 is next"},
		"changed":    {lines[0] + strings.Replace(lines[1], "two", "TWO", 1) + lines[2], 1, "line 2: it was not written by a member"},
		"other":      {lines[0] + strings.Replace(lines[1], `"n":2`, `"n":1`, 1), 1, "line 2: it is mail 1"},
		"from":       {lines[0] + strings.Replace(strings.Replace(lines[1], "bob", "lead", 1), `"n":2`, `"n":1`, 1), 1, "line 2: it was not written"},
		"kind":       {strings.Replace(lines[0], `"text"`, `"kind":"shutdown_request","text"`, 1), 0, "line 1: it was not written"},
		"spaces":     {strings.Replace(lines[0], `,"n"`, `, "n"`, 1), 0, "line 1: it was not written"},
		"field":      {strings.Replace(lines[0], `,"n"`, `,"x":1,"n"`, 1), 0, "line 1: it is no mail"},
		"text":       {lines[0] + "hello\n", 1, "line 2: it is no mail"},
		"empty":      {lines[0] + "\n" + lines[1], 1, "line 2: it is no mail"},
		"NUL":        {"\x00\n", 0, "line 1: it is no mail"},
	} {
		b := OpenBox("alice", []byte(c.file))
		mails, err := b.Read()
		var p *Problem
		if !errors.As(err, &p) || len(mails) != c.read || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d mails, %v; want %d and %s", what, len(mails), err, c.read, c.want)
		}
		if again, err2 := b.Read(); len(again) != 0 || err2 == nil {
			t.Errorf("%s: read on to %v, %v", what, again, err2)
		}
		if _, err := b.Append("bob", PlainText, "on"); err == nil {
			t.Errorf("%s: appended", what)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		file := make().file
		at := rapid.IntRange(0, len(file)-1).Draw(t, "at")
		was := file[at]
		if file[at] = rapid.Byte().Draw(t, "byte"); file[at] == was {
			return
		}
		if _, err := OpenBox("alice", file).Read(); err == nil {
			t.Fatalf("%q passes", file)
		}
	})
}
