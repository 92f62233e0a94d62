package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

func others(t *testing.T) {
	t.Parallel()
	s, dir := serve(t, 1), t.TempDir()
	other := filepath.Join(dir, "agentsim")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", other, "./cmd/agentsim")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	// Of builds that no commit names the program itself decides.
	code, err := os.ReadFile(other)
	if err == nil {
		err = os.WriteFile(other+"2", append(code, "\n"...), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, dir, other, "worker", "--nats", s.urls)
	w.saw("worker at", time.Minute)
	c := start(t, dir, other+"2", "sweep", "hello", "--seeds", "5", "--nats", s.urls)
	w.saw("runs of another build of agentsim wait there", time.Minute)
	c.saw("no worker takes runs of hello", time.Minute)
	if _, err := queued(t, s).Publish(context.Background(), "agentsim.tasks.s999-0.1", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	w.saw("runs of semantics 999 wait there; this worker has semantics", time.Minute)
	if strings.Contains(w.printed(), "list ") {
		t.Error(w.printed())
	}
	s.worker()
	start(t, dir, other+"2", "worker", "--nats", s.urls)
	if code := c.ended(time.Minute); code != 0 {
		t.Errorf("code %d\n%s", code, c.printed())
	}
}

// queued is a client of a server's queue.
func queued(t *testing.T, s *servers) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(s.urls)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func healed(t *testing.T) {
	t.Parallel()
	s, there := serve(t, 1), t.TempDir()
	sweep, here, printed := alone(t, "400")
	js, ctx := queued(t, s), context.Background()
	w := s.worker()
	// Tasks that no list has, and such as cannot be read, are put away.
	for _, text := range []string{"{}", "no", `{"list":"none","from":0,"to":9}`} {
		if _, err := js.Publish(ctx, "agentsim.tasks.s0-0.none", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, there, program, append(sweep, "--nats", s.urls)...)
	w.saw("1,197 runs of nested", time.Minute)
	time.Sleep(700 * time.Millisecond)
	tasks, err := js.Stream(ctx, "AGENTSIM_TASKS")
	if err == nil {
		err = tasks.Purge(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	if code := c.ended(2 * time.Minute); code != 0 {
		t.Fatalf("code %d\n%s", code, c.printed())
	}
	same(t, here, there, printed, answer(c.printed()))
}

// taken is what all workers take tasks from, once the first one has made it.
func taken(t *testing.T, s *servers) jetstream.Consumer {
	t.Helper()
	ctx := context.Background()
	for since := time.Now(); time.Since(since) < time.Minute; time.Sleep(20 * time.Millisecond) {
		tasks, err := queued(t, s).Stream(ctx, "AGENTSIM_TASKS")
		if err != nil {
			t.Fatal(err)
		}
		for name := range tasks.ConsumerNames(ctx).Name() {
			c, err := tasks.Consumer(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatal("no worker has come")
	return nil
}

// forgotten has somebody who is no worker take a task and say for ever that he works on it,
// as a server does that has lost who has it.
func forgotten(t *testing.T) {
	t.Parallel()
	s, there := serve(t, 1), t.TempDir()
	sweep, here, printed := alone(t, "400")
	w := s.worker()
	taking := taken(t, s)
	w.kill()
	c := start(t, there, program, append(sweep, "--nats", s.urls)...)
	m, err := taking.Next(jetstream.FetchMaxWait(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for m.InProgress() == nil {
			time.Sleep(time.Second)
		}
	}()
	s.worker()
	if code := c.ended(2 * time.Minute); code != 0 || !strings.Contains(c.printed(), "1 task with nobody, while workers have nothing to do; asking again") {
		t.Fatalf("code %d\n%s", code, c.printed())
	}
	same(t, here, there, printed, answer(c.printed()))
}

func lonely(t *testing.T) {
	t.Parallel()
	s, dir := serve(t, 1), t.TempDir()
	if err := os.WriteFile(dir+"/e.yaml", []byte(endless), 0o600); err != nil {
		t.Fatal(err)
	}
	w := s.worker("--workers", "2")
	c := start(t, dir, program, "sweep", "e.yaml", "--nats", s.urls)
	w.saw("1 run of endless", time.Minute)
	for range 35 { // the other of its two tasks at a time has none; it works for a tenth of each second
		_ = w.cmd.Process.Signal(syscall.SIGSTOP)
		time.Sleep(900 * time.Millisecond)
		_ = w.cmd.Process.Signal(syscall.SIGCONT)
		time.Sleep(100 * time.Millisecond)
	}
	if strings.Contains(c.printed(), "no worker") || strings.Contains(c.printed(), "asking again") {
		t.Error("while one works:", c.printed())
	}
	w.kill()
	c.saw("no worker takes runs of endless", time.Minute)
}

func wiped(t *testing.T) {
	t.Parallel()
	s, dir := serve(t, 1), t.TempDir()
	w := s.worker()
	s.options[0] = append(s.options[0], "-sd", t.TempDir()) // the last one counts
	s.restart(0, time.Second)
	w.saw("is there again", time.Minute)
	c := start(t, dir, program, "sweep", "hello", "--seeds", "5", "--nats", s.urls)
	if code := c.ended(time.Minute); code != 0 {
		t.Errorf("code %d\n%s%s", code, c.printed(), w.printed())
	}
	// In the middle of a command, too, on a project whose files have to travel again.
	project, here, there := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "a.go"), []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sweep := []string{"sweep", "nested", "--seeds", "600", "--db", "x.db", "--project", project}
	printed, _ := agentsim(t, here, sweep...)
	c = start(t, there, program, append(sweep, "--nats", s.urls)...)
	w.saw("1,797 runs of nested", time.Minute)
	time.Sleep(300 * time.Millisecond)
	s.options[0] = append(s.options[0], "-sd", t.TempDir())
	s.restart(0, time.Second)
	if code := c.ended(2 * time.Minute); code != 0 {
		t.Fatalf("code %d\n%s%s", code, c.printed(), w.printed())
	}
	same(t, here, there, printed, answer(c.printed()))
	if told := w.printed(); strings.Contains(told, "context deadline") { // of tasks that the server no longer knows
		t.Error(told)
	}
}

// behind asks for something while workers are at a list that nobody waits for any more.
func behind(t *testing.T) {
	t.Parallel()
	s := serve(t, 1)
	w := s.worker()
	c := start(t, t.TempDir(), program, "sweep", "nested", "--seeds", "40000", "--db", "x.db", "--nats", s.urls)
	w.saw("119,997 runs of nested", time.Minute)
	_ = c.cmd.Process.Signal(syscall.SIGINT)
	c.ended(time.Minute)
	c = start(t, t.TempDir(), program, "sweep", "hello", "--seeds", "3", "--nats", s.urls)
	c.saw("workers are at other lists, which came first", time.Minute)
	_, told := agentsim(t, t.TempDir(), "worker", "--nats", s.urls, "--clear")
	if !strings.Contains(told, "3 lists removed") { // both of the first command, and one of the second
		t.Error(told)
	}
	if code := c.ended(time.Minute); code != 0 {
		t.Errorf("code %d\n%s", code, c.printed())
	}
}

func alike(t *testing.T) {
	t.Parallel()
	s, here, there := serve(t, 1), t.TempDir(), t.TempDir()
	s.worker()
	for _, words := range []string{
		"run explore-at-scale --record totals --db x.db --set population={sessions:300,workspace:5,shard:10,arrivals:{poisson:3m}} -o json",
		"run custom-agents --record none --set population={sessions:12}",
		"bench fan-out custom-agents --seeds 2 --baseline x.baseline --update",
		"bench fan-out custom-agents --seeds 2 --baseline x.baseline -o json",
		"bench hello two-writers --guard prefix --baseline p.baseline --update",
	} {
		args := strings.Fields(words)
		a, _ := agentsim(t, here, args...)
		b, _ := agentsim(t, there, append(args, "--nats", s.urls)...)
		if a != b {
			t.Errorf("%s: on one machine\n%s\nwith workers\n%s", words, a, b)
		}
	}
	for _, name := range []string{"x.baseline", "p.baseline"} {
		a, err := os.ReadFile(filepath.Join(here, name))
		b, _ := os.ReadFile(filepath.Join(there, name))
		if err != nil || string(a) != string(b) {
			t.Errorf("%s differs, %v", name, err)
		}
	}
	// A project's files travel.
	project := t.TempDir()
	for name, text := range map[string]string{"CLAUDE.md": "Be short.\n", "a.go": "package a\n"} {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := agentsim(t, here, "sweep", "nested", "--seeds", "4", "--db", "p.db", "--project", project)
	b, _ := agentsim(t, there, "sweep", "nested", "--seeds", "4", "--db", "p.db", "--project", project, "--nats", s.urls)
	if a != b {
		t.Errorf("on a project: on one machine\n%s\nwith workers\n%s", a, b)
	}
}

func secured(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := signed(t, dir)
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, 1, "--auth", "s3cret", "--tlsverify", "--tlscacert", cert, "--tlscert", cert, "--tlskey", key)
	with := []string{"--nats", strings.Replace(s.urls, "nats://", "tls://", 1), "--nats-cert", cert, "--nats-key", key, "--nats-ca", cert, "--nats-token", token}
	w := start(t, dir, program, append([]string{"worker"}, with...)...)
	w.saw("worker at", time.Minute)
	agentsim(t, dir, append([]string{"sweep", "hello", "--seeds", "3"}, with...)...)
	for _, x := range []struct {
		args []string
		want string
	}{{with[:8], "uthorization"}, {append(with[:6:6], with[8:]...), "certificate"}, {append(with[:2:2], with[6:]...), "tls"}} {
		c := start(t, dir, program, append([]string{"sweep", "hello", "--seeds", "4"}, x.args...)...)
		if code := c.ended(time.Minute); code != 1 || !strings.Contains(c.printed(), x.want) || strings.Contains(c.printed(), "s3cret") {
			t.Errorf("%v: code %d\n%s", x.args, code, c.printed())
		}
	}
	if strings.Contains(w.printed(), "s3cret") {
		t.Error(w.printed())
	}
}

// credited has a server whose users show credentials that its operator signed.
func credited(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must := func(text string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	pair := func(made nkeys.KeyPair, err error) (nkeys.KeyPair, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made, must(made.PublicKey())
	}
	operator, operatorKey := pair(nkeys.CreateOperator())
	account, accountKey := pair(nkeys.CreateAccount())
	_, systemKey := pair(nkeys.CreateAccount())
	user, userKey := pair(nkeys.CreateUser())
	claims := jwt.NewAccountClaims(accountKey)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	config := fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {%s: %s, %s: %s}\n",
		must(jwt.NewOperatorClaims(operatorKey).Encode(operator)), systemKey,
		accountKey, must(claims.Encode(operator)), systemKey, must(jwt.NewAccountClaims(systemKey).Encode(operator)))
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	creds, err := jwt.FormatUserConfig(must(jwt.NewUserClaims(userKey).Encode(account)), seed)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"server.conf": config, "me.creds": string(creds)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, 1, "-c", filepath.Join(dir, "server.conf"))
	with := []string{"--nats", s.urls, "--nats-creds", "me.creds"}
	w := start(t, dir, program, append([]string{"worker"}, with...)...)
	w.saw("worker at", time.Minute)
	agentsim(t, dir, append([]string{"sweep", "hello", "--seeds", "3"}, with...)...)
	c := start(t, dir, program, "sweep", "hello", "--seeds", "3", "--nats", s.urls)
	if code := c.ended(time.Minute); code != 1 || !strings.Contains(c.printed(), "uthorization") {
		t.Errorf("code %d\n%s", code, c.printed())
	}
}

// signed writes a certificate for this machine that signs itself.
func signed(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: bytes}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}
