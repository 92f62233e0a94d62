package task

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

func TestConformance(t *testing.T) {
	t.Run("TSK-01 each type has its letter, and ids are the letter and 16 hex digits", testIDs)
	t.Run("TSK-02 only the five allowed changes of state happen, and nothing leaves a final state", testStates)
	t.Run("TSK-02 whatever is asked of a task, it ends at most once in an activation", rapid.MakeCheck(stateLaw))
	t.Run("TSK-03 a notification has its fields in order", testRendering)
	t.Run("TSK-03 a notification reads back as it was, whatever stands in it, and XML readers agree", rapid.MakeCheck(roundTripLaw))
	t.Run("TSK-03 no content can close a tag or forge a second notification", rapid.MakeCheck(forgeryLaw))
	t.Run("TSK-03 text from outside cannot pass for a notification once it is defused", rapid.MakeCheck(defuseLaw))
	t.Run("TSK-03 CON-12 marks go through a notification unaltered", testMarks)
	t.Run("TSK-05 one activation gives one notification, and a resume its own", testOneNotification)
	t.Run("a registry keeps the order of starts and refuses an id twice", testRegistry)
}

func testIDs(t *testing.T) {
	want := map[Type]byte{"local_bash": 'b', "local_agent": 'a', "remote_agent": 'r', "in_process_teammate": 't',
		"local_workflow": 'w', "monitor_mcp": 'm', "dream": 'd'}
	if len(Types()) != len(want) {
		t.Errorf("types: %v", Types())
	}
	for _, typ := range Types() {
		id := ID(typ, 0xae9a65ee22594487)
		if id != string(want[typ])+"ae9a65ee22594487" {
			t.Errorf("%s: id %s", typ, id)
		}
	}
	if !regexp.MustCompile(`^a[0-9a-f]{16}$`).MatchString(ID(LocalAgent, 1)) {
		t.Errorf("a small number gives %s", ID(LocalAgent, 1))
	}
}

func testStates(t *testing.T) {
	allowed := strings.Fields("pending>running pending>failed pending>killed running>completed running>failed running>killed")
	for _, from := range Statuses() {
		for _, to := range Statuses() {
			task := &Task{ID: "a1", status: from}
			err := task.To(to)
			want := slices.Contains(allowed, string(from)+">"+string(to))
			if (err == nil) != want {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if end := map[bool]Status{true: to, false: from}[want]; task.Status() != end {
				t.Errorf("%s to %s: the task is %s", from, to, task.Status())
			}
		}
	}
	if s := new(Task).Status(); s != Pending {
		t.Errorf("a new task is %q", s)
	}
}

func stateLaw(t *rapid.T) {
	task := &Task{ID: "a1"}
	ends := 0
	for _, s := range rapid.SliceOf(rapid.SampledFrom(append(Statuses(), "resume"))).Draw(t, "asked") {
		if s == "resume" {
			final, before := task.Status().Final(), task.Activation()
			if err := task.Resume(); (err == nil) != final {
				t.Fatalf("resume of a task that had ended: %v: %v", final, err)
			}
			if final && (task.Activation() != before+1 || task.Status() != Pending || task.Notified()) {
				t.Fatalf("after a resume: %+v", task)
			}
			continue
		}
		if task.To(s) == nil && s.Final() {
			ends++
		}
	}
	if resumes := task.Activation(); ends > resumes+1 {
		t.Fatalf("%d ends in %d activations", ends, resumes+1)
	}
}

func testRendering(t *testing.T) {
	n := Notification{TaskID: "ae9a65ee22594487c", OutputFile: "/out/ae9a65ee22594487c.output", Status: Completed,
		Description: "look at <auth> & \"session\"", Result: "Found it.\nDone & dusted.", Usage: Usage{71330, 21, 81748}}
	want := `<task-notification>
<task-id>ae9a65ee22594487c</task-id>
<output-file>/out/ae9a65ee22594487c.output</output-file>
<status>completed</status>
<summary>Agent "look at &lt;auth&gt; &amp; &quot;session&quot;" completed</summary>
<result>Found it.
Done &amp; dusted.</result>
<usage>
<total_tokens>71330</total_tokens>
<tool_uses>21</tool_uses>
<duration_ms>81748</duration_ms>
</usage>
</task-notification>`
	if d := cmp.Diff(want, n.Render()); d != "" {
		t.Error(d)
	}
	quick, slow := n, n
	quick.Usage, slow.Usage = Usage{1, 0, 1}, Usage{999_999_999_999, 12_345, 86_400_000}
	if llm.Counted(quick.Render()) != llm.Counted(slow.Render()) {
		t.Error("KRN-09 more bytes of a notification count in a slow run than in a quick one")
	}
	for status, summary := range map[Status]string{Completed: `Agent "d" completed`, Failed: `Agent "d" failed: no <such> file`, Killed: `Agent "d" was stopped`} {
		n := Notification{Status: status, Description: "d", Error: "no <such> file"}
		if n.Summary() != summary {
			t.Errorf("%s: %s", status, n.Summary())
		}
		if strings.Contains(n.Render(), "<result>") {
			t.Errorf("%s: there is a result where none was given", status)
		}
	}
}

// hostile draws text out of what a forger would use.
func hostile(t *rapid.T, what string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{openTag, closeTag, "</result>", "<status>killed</status>", "</summary>",
		"\n<usage>", "</usage>", `" completed`, `"`, "&lt;", "&amp;lt;", "&", "<", ">", "]]>", "<!--", "<![CDATA[", "text", "\n", "é", "failed: "}), 0, 8).Draw(t, what), "")
}

func notifications(t *rapid.T) Notification {
	n := Notification{
		TaskID: hostile(t, "id"), OutputFile: hostile(t, "file"), Description: hostile(t, "description"), Result: hostile(t, "result"),
		Status: rapid.SampledFrom([]Status{Completed, Failed, Killed}).Draw(t, "status"),
		Usage:  Usage{rapid.Int64Min(0).Draw(t, "tokens"), rapid.Int64Min(0).Draw(t, "uses"), rapid.Int64Min(0).Draw(t, "ms")},
	}
	if n.Status == Failed {
		n.Error = hostile(t, "error")
	}
	return n
}

func roundTripLaw(t *rapid.T) {
	n := notifications(t)
	got, ok := Parse(n.Render())
	if !ok || got != n {
		t.Fatalf("%+v\nreads back as %+v, %v from\n%s", n, got, ok, n.Render())
	}
	var x struct {
		TaskID  string `xml:"task-id"`
		Summary string `xml:"summary"`
		Result  string `xml:"result"`
		Status  string `xml:"status"`
	}
	if err := xml.Unmarshal([]byte(n.Render()), &x); err != nil {
		t.Fatalf("%v in\n%s", err, n.Render())
	}
	if x.TaskID != n.TaskID || x.Summary != n.Summary() || x.Result != n.Result || x.Status != string(n.Status) {
		t.Fatalf("an XML reader sees %+v in %+v", x, n)
	}
}

func forgeryLaw(t *rapid.T) {
	n := notifications(t)
	text := n.Render()
	for _, tag := range []string{openTag, closeTag, "<task-id>", "</task-id>", "<output-file>", "</output-file>", "<status>", "</status>",
		"<summary>", "</summary>", "<usage>", "</usage>"} {
		if c := strings.Count(text, tag); c != 1 {
			t.Fatalf("%d times %s in\n%s", c, tag, text)
		}
	}
	want := 0
	if n.Result != "" {
		want = 1
	}
	if strings.Count(text, "<result>") != want || strings.Count(text, "</result>") != want {
		t.Fatalf("results in\n%s", text)
	}
}

func defuseLaw(t *rapid.T) {
	real := notifications(t)
	forged := hostile(t, "before") + real.Render() + hostile(t, "behind")
	if rapid.Bool().Draw(t, "exact") {
		forged = real.Render()
	}
	safe := Defuse(forged)
	if _, ok := Parse(safe); ok || strings.Contains(safe, openTag) || strings.Contains(safe, closeTag) {
		t.Fatalf("still a notification: %s", safe)
	}
	if plain := hostile(t, "plain"); !strings.Contains(plain, "task-notification") && Defuse(plain) != plain {
		t.Fatalf("%q became %q", plain, Defuse(plain))
	}
}

func testMarks(t *testing.T) {
	key := mark.NewKey(1)
	marks := key.Text(mark.Fact, "auth.<null>&\"user\"") + key.Text(mark.At, "a", "dir with space/a.go:41") + key.Text(mark.Done, "fix-auth")
	n := Notification{Status: Completed, Result: "<b>found</b> " + marks}
	if !strings.Contains(n.Render(), marks) {
		t.Errorf("the marks were altered:\n%s", n.Render())
	}
}

func testOneNotification(t *testing.T) {
	task := &Task{ID: "a1"}
	// TaskStop, the end and a failure race: the first one notifies.
	taken := 0
	for range 4 {
		if task.TakeNotification() {
			taken++
		}
	}
	if taken != 1 || !task.Notified() {
		t.Errorf("%d notifications", taken)
	}
	for _, s := range []Status{Running, Killed} {
		if err := task.To(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := task.Resume(); err != nil {
		t.Fatal(err)
	}
	if !task.TakeNotification() || task.TakeNotification() {
		t.Error("a new activation has not exactly one notification of its own")
	}
}

func testRegistry(t *testing.T) {
	var r Registry
	if r.Get("x") != nil || r.Len() != 0 {
		t.Error("an empty registry knows tasks")
	}
	for _, id := range strings.Fields("c a b") {
		if err := r.Add(&Task{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Add(&Task{ID: "a"}); err == nil {
		t.Error("an id was taken twice")
	}
	if err := r.Get("a").To(Killed); err != nil {
		t.Fatal(err)
	}
	ids := func(tasks []*Task) (s string) {
		for _, task := range tasks {
			s += task.ID
		}
		return s
	}
	if ids(r.All()) != "cab" || ids(r.Live()) != "cb" {
		t.Errorf("all %s, live %s", ids(r.All()), ids(r.Live()))
	}
}
