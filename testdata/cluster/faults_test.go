package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// configured is a file that says more of a server than its options can.
func configured(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func crowded(t *testing.T) {
	t.Parallel()
	s := serve(t, 1, "-c", configured(t, "jetstream: {max_file_store: 300KB}"))
	w := s.worker()
	c := start(t, t.TempDir(), program, "sweep", "nested", "--seeds", "1200", "--nats", s.urls)
	c.saw("a worker says: "+s.urls+" has no room: raise max_file_store", time.Minute)
	_ = c.cmd.Process.Signal(syscall.SIGINT)
	if code := c.ended(time.Minute); code != 130 || strings.Count(w.printed(), "has no room: raise max_file_store") != 1 {
		t.Errorf("code %d\n%s\n%s", code, c.printed(), w.printed())
	}
}

func shut(t *testing.T) {
	t.Parallel()
	small := serve(t, 1, "-c", configured(t, "max_payload: 64KB"))
	// Users who may do nothing, make streams alone, and all that is asked of them.
	denied := serve(t, 1, "-c", configured(t, `authorization: {users: [
		{user: u, password: p, permissions: {publish: ["x"], subscribe: ["_INBOX.>"]}},
		{user: v, password: p, permissions: {publish: ["$JS.API.>"], subscribe: ["_INBOX.>"]}},
		{user: w, password: p, permissions: {publish: ["$JS.>", "$O.agentsim-inputs.>", "agentsim.>"], subscribe: ["_INBOX.>", "agentsim.>"]}}]}`))
	as := func(user string) string { return strings.Replace(denied.urls, "nats://", "nats://"+user+":p@", 1) }
	for url, want := range map[string]string{
		small.urls: "the server takes messages of at most 65536 bytes (max_payload), and 262144 are needed",
		strings.Replace(small.urls, "nats://", "tls://", 1): "the server has no TLS: write nats:// in place of tls://",
		as("u"): "let this user publish to $JS.>, $O.agentsim-inputs.> and agentsim.>, and subscribe to _INBOX.> and agentsim.>",
		as("v"): "let this user publish to $JS.>, $O.agentsim-inputs.> and agentsim.>, and subscribe to _INBOX.> and agentsim.>",
	} {
		for _, args := range [][]string{{"sweep", "hello", "--nats", url}, {"worker", "--nats", url}} {
			c := start(t, t.TempDir(), program, args...)
			if c.ended(10*time.Second) != 1 || strings.Count(c.printed(), want) != 1 || strings.Contains(c.printed(), ":p@") || strings.Contains(c.printed(), "waiting for it") {
				t.Errorf("%v: code %d\n%s", args, c.ended(time.Minute), c.printed())
			}
		}
	}
	start(t, t.TempDir(), program, "worker", "--nats", as("w")).saw("worker at", time.Minute)
	agentsim(t, t.TempDir(), "sweep", "hello", "--seeds", "3", "--nats", as("w"))
}

// tampered changes what lies at the server before a worker gets it.
func tampered(t *testing.T) {
	t.Parallel()
	s, ctx := serve(t, 1), context.Background()
	js := queued(t, s)
	// Who has no worker yet waits; the only task names what is to be run.
	asks := func(seeds string) (c *process, list []byte, name string) {
		told, err := js.Conn().SubscribeSync("agentsim.tasks.>")
		if err != nil {
			t.Fatal(err)
		}
		defer told.Unsubscribe()
		if err := js.Conn().Flush(); err != nil {
			t.Fatal(err)
		}
		c = start(t, t.TempDir(), program, "sweep", "hello", "--seeds", seeds, "--nats", s.urls)
		m, err := told.NextMsg(time.Minute)
		var task struct{ List string }
		if err == nil {
			err = json.Unmarshal(m.Data, &task)
		}
		if err != nil {
			t.Fatal(err, c.printed())
		}
		inputs, err := js.ObjectStore(ctx, "agentsim-inputs")
		if err != nil {
			t.Fatal(err)
		}
		if list, err = inputs.GetBytes(ctx, "list-"+task.List); err != nil {
			t.Fatal(err)
		}
		return c, list, task.List
	}
	put := func(name string, data []byte) {
		inputs, err := js.ObjectStore(ctx, "agentsim-inputs")
		if err == nil {
			_, err = inputs.PutBytes(ctx, name, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	refused := func(c *process, want string) {
		t.Helper()
		w := s.worker()
		if code := c.ended(time.Minute); code != 1 || !strings.Contains(c.printed(), want) {
			t.Errorf("code %d, want %s\n%s", code, want, c.printed())
		}
		w.kill()
	}
	c, list, name := asks("2")
	put("list-"+name, []byte(strings.Replace(string(list), "hello", "jello", 1)))
	refused(c, "list "+name+" arrived as ")
	// One that names itself rightly and is of another program.
	c, list, name = asks("3")
	var about map[string]any
	if err := json.Unmarshal(list, &about); err != nil {
		t.Fatal(err)
	}
	about["semantics"] = 999
	other, err := json.Marshal(about)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(other)
	id := hex.EncodeToString(sum[:16])
	put("list-"+id, other)
	stream, err := js.Stream(ctx, "AGENTSIM_TASKS")
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(">"))
	if err != nil {
		t.Fatal(err)
	}
	for subject := range info.State.Subjects {
		if _, err := js.Publish(ctx, strings.Replace(subject, name, id, 1), fmt.Appendf(nil, `{"list":%q,"from":0,"to":1}`, id)); err != nil {
			t.Fatal(err)
		}
	}
	w := s.worker()
	c.ended(time.Minute)
	results, err := js.Stream(ctx, "AGENTSIM_RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	for since := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if _, err = results.GetLastMsgForSubject(ctx, "agentsim.results."+id+".0"); err == nil || time.Since(since) > time.Minute {
			break
		}
	}
	if err != nil || strings.Contains(w.printed(), "list "+id[:8]) {
		t.Errorf("a list of other semantics was taken: %v\n%s", err, w.printed())
	}
	w.kill()
	// One that says it is larger than what travels.
	c, _, name = asks("4")
	meta := fmt.Appendf(nil, `{"name":"list-%s","bucket":"agentsim-inputs","nuid":"x","size":300000000,"chunks":1}`, name)
	if _, err := js.Publish(ctx, "$O.agentsim-inputs.M."+base64.URLEncoding.EncodeToString([]byte("list-"+name)), meta); err != nil {
		t.Fatal(err)
	}
	refused(c, "list-"+name+" has 286 MiB, and at most 256 are taken")
}
