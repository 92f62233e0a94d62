package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/pflag"
)

// Server says where the queue is and who may use it.
type Server struct {
	URL, Creds, Token, CA, Cert, Key string

	flags *pflag.FlagSet // that say so
}

// Flags adds the flags that say so. Those that few need are in the help of a worker alone.
func (o *Server) Flags(f *pflag.FlagSet, what string) {
	o.AllFlags(f, what)
	for _, name := range []string{"nats-creds", "nats-token", "nats-ca", "nats-cert", "nats-key"} {
		f.Lookup(name).Hidden = true
	}
}

// AllFlags adds them such that help lists them all.
func (o *Server) AllFlags(f *pflag.FlagSet, what string) {
	o.flags = f
	f.StringVar(&o.URL, "nats", "", what+" `URL`s of a NATS server with JetStream, separated by commas")
	f.StringVar(&o.Creds, "nats-creds", "", "a credentials `file` of that server")
	f.StringVar(&o.Token, "nats-token", "", "a `file` that holds the token of that server")
	f.StringVar(&o.CA, "nats-ca", "", "a `file` of certificates that the server's is signed with, for tls:// URLs")
	f.StringVar(&o.Cert, "nats-cert", "", "a `file` with the certificate to show the server")
	f.StringVar(&o.Key, "nats-key", "", "the `file` of its key")
}

// Check refuses flags that lead nowhere.
func (o *Server) Check() error {
	if o.URL == "" {
		if o.flags != nil && o.flags.Changed("nats") {
			return ui.Failf(ui.Usage, "--nats is empty: write nats://HOST:4222, or leave it out")
		}
		if o.Creds+o.Token+o.CA+o.Cert+o.Key != "" {
			return ui.Failf(ui.Usage, "--nats-creds, --nats-token, --nats-ca, --nats-cert and --nats-key are of a server: name it with --nats nats://HOST:4222")
		}
		return nil
	}
	for _, one := range strings.Split(o.URL, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss" {
			return ui.Failf(ui.Usage, "--nats %s: write nats://HOST:4222 or tls://HOST:4222", redacted(one))
		}
	}
	if (o.Cert == "") != (o.Key == "") {
		return ui.Failf(ui.Usage, "--nats-cert and --nats-key go together")
	}
	return nil
}

// redacted is an URL without what it says of who asks, also where it is none.
func redacted(at string) string {
	scheme, rest, ok := strings.Cut(at, "://")
	if !ok {
		scheme, rest = "", at
	} else {
		scheme += "://"
	}
	return scheme + rest[strings.LastIndexByte(rest, '@')+1:]
}

// Name is where the queue is, without secrets.
func (o *Server) Name() string {
	var out []string
	for _, one := range strings.Split(o.URL, ",") {
		out = append(out, redacted(strings.TrimSpace(one)))
	}
	return strings.Join(out, ",")
}

// Flagged is how a worker is told of it, for a shell.
func (o *Server) Flagged() string {
	return ui.QuoteAll(ui.Flags("--nats", o.Name(), "--nats-creds", o.Creds, "--nats-token", o.Token, "--nats-ca", o.CA, "--nats-cert", o.Cert, "--nats-key", o.Key))
}

// Queue is a connection to the queue.
type Queue struct {
	s      *ui.Env
	server *Server
	conn   *nats.Conn
	js     jetstream.JetStream
	kind   string // of lists that this program makes and takes
	build  string

	tasks, results jetstream.Stream
	inputs         jetstream.ObjectStore
	finished       []string // lists whose results have all been taken
	wentOn         bool     // an earlier command had asked for runs of one
	telling        sync.Mutex
	trouble        atomic.Pointer[string] // what has been told of a server that does not do what it is asked for long; nil where it does
	bare           bool                   // the server has no JetStream
	barred         context.Context        // ends once it does not let this user do something; its cause says so
	bar            context.CancelCauseFunc
	alive          atomic.Int64 // when a worker of the kind was last heard of, in Unix nanoseconds
}

const (
	// keptFor is how long what nobody takes stays.
	keptFor = 7 * 24 * time.Hour
	// ackWait is how long a worker may be silent before its task is another's.
	ackWait = 10 * time.Second
	// retryAfter is how long to wait where the server does not answer.
	retryAfter = 250 * time.Millisecond
	// tellAfter is how long it may say nothing, where it is there, before that is told.
	tellAfter = 15 * time.Second
	// asksFor is how long an answer of the server may take.
	asksFor = 5 * time.Second
	// carriesFor is how long a list or a directory may take on its way.
	carriesFor = 5 * time.Minute
)

// Connect connects, and makes the streams where there are none. The first connection must
// succeed; later ones are tried until ctx ends.
func Connect(ctx context.Context, s *ui.Env, o *Server) (*Queue, error) {
	q := &Queue{s: s, server: o, build: ui.Build()}
	q.kind = kindOf(q.build)
	q.barred, q.bar = context.WithCancelCause(context.Background())
	options, err := o.options(q)
	if err != nil {
		return nil, err
	}
	if q.conn, err = nats.Connect(o.URL, options...); err != nil {
		return nil, ui.Failf(ui.Operating, "--nats %s: %w: %s", o.Name(), err, hint(err))
	}
	if q.js, err = jetstream.New(q.conn); err == nil {
		on, done := q.allowed(ctx)
		for since := time.Now(); ; time.Sleep(retryAfter) { // a cluster may be choosing who leads
			if err = q.open(on); err == nil || q.bare || time.Since(since) > time.Minute || on.Err() != nil {
				break
			}
		}
		done()
	}
	switch why := context.Cause(q.barred); {
	case ctx.Err() != nil:
		err = ui.Said(ui.Interrupted)
	case why != nil:
		err = why
	case err == nil && q.conn.MaxPayload() < leastPayload:
		err = ui.Failf(ui.Operating, "--nats %s: the server takes messages of at most %d bytes (max_payload), and %d are needed", o.Name(), q.conn.MaxPayload(), leastPayload)
	}
	if err != nil {
		q.conn.Close()
		return nil, err
	}
	return q, nil
}

// hint says what helps where nobody can connect.
func hint(err error) string {
	name, dial := (*net.DNSError)(nil), (*net.OpError)(nil)
	switch {
	case errors.As(err, &name):
		return "check the name of the host"
	case errors.As(err, &dial) && dial.Op == "dial", errors.Is(err, nats.ErrNoServers):
		return "start a server there with nats-server -js"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server has no TLS: write nats:// in place of tls://"
	}
	return "who may connect is said with --nats-creds, --nats-token, or --nats-ca, --nats-cert and --nats-key"
}

// allowed is ctx up to when the server does not let this user do something.
func (q *Queue) allowed(ctx context.Context) (context.Context, func()) {
	on, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(q.barred, cancel)
	return on, func() {
		stop()
		cancel()
	}
}

// leastPayload is how large messages must be allowed to be, in bytes: files travel in
// pieces of half of that.
const leastPayload = 256 << 10

func (o *Server) options(q *Queue) ([]nats.Option, error) {
	host, _ := os.Hostname()
	out := []nats.Option{nats.Name("agentsim " + host), nats.MaxReconnects(-1), nats.ReconnectWait(retryAfter), nats.Timeout(asksFor), nats.IgnoreAuthErrorAbort(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				q.tell("%s is away; waiting for it", o.Name())
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			q.alive.Store(time.Now().UnixNano()) // workers come back as well
			q.tell("%s is there again", o.Name())
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				q.bar(ui.Failf(ui.Operating, "--nats %s: %w: let this user publish to $JS.>, $O.agentsim-inputs.> and agentsim.>, and subscribe to _INBOX.> and agentsim.>", o.Name(), err))
			}
			if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked) {
				q.tell("%s: %v; trying again", o.Name(), err)
			}
		})}
	if o.Creds != "" {
		if _, err := os.ReadFile(o.Creds); err != nil {
			return nil, ui.Unusable("--nats-creds", o.Creds, err)
		}
		out = append(out, nats.UserCredentials(o.Creds))
	}
	if o.Token != "" {
		text, err := os.ReadFile(o.Token)
		if err != nil {
			return nil, ui.Unusable("--nats-token", o.Token, err)
		}
		out = append(out, nats.Token(strings.TrimSpace(string(text))))
	}
	if o.CA != "" {
		out = append(out, nats.RootCAs(o.CA))
	}
	if o.Cert != "" {
		out = append(out, nats.ClientCert(o.Cert, o.Key))
	}
	return out, nil
}

// The names of what lies at the server.
const (
	taskStream, resultStream, inputBucket = "AGENTSIM_TASKS", "AGENTSIM_RESULTS", "agentsim-inputs"
	taskSubject, resultSubject            = "agentsim.tasks", "agentsim.results"
	doneSubject                           = "agentsim.done"  // tells that a part is there
	aliveSubject                          = "agentsim.alive" // tells that a worker of a kind is
)

// open makes what the queue is made of, three times over where there are as many servers.
func (q *Queue) open(ctx context.Context) error {
	for _, replicas := range []int{3, 1} {
		err := q.streams(ctx, replicas)
		var api *jetstream.APIError
		switch {
		case err == nil:
			return nil
		case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
			q.bare = true
			return ui.Failf(ui.Operating, "--nats %s: the server has no JetStream: start it with nats-server -js", q.server.Name())
		case replicas == 1 || !errors.As(err, &api):
			return ui.Failf(ui.Operating, "--nats %s: %w", q.server.Name(), err)
		}
	}
	return nil
}

func (q *Queue) streams(ctx context.Context, replicas int) error {
	ctx, done := context.WithTimeout(ctx, 4*asksFor)
	defer done()
	make := func(c jetstream.StreamConfig) (jetstream.Stream, error) {
		if have, err := q.js.Stream(ctx, c.Name); err == nil {
			return have, nil
		}
		c.Replicas, c.MaxAge, c.Storage = replicas, keptFor, jetstream.FileStorage
		have, err := q.js.CreateStream(ctx, c)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // by another process, meanwhile
			return q.js.Stream(ctx, c.Name)
		}
		return have, err
	}
	tasks, err := make(jetstream.StreamConfig{Name: taskStream, Subjects: []string{taskSubject + ".>"}, Retention: jetstream.WorkQueuePolicy})
	if err != nil {
		return err
	}
	results, err := make(jetstream.StreamConfig{Name: resultStream, Subjects: []string{resultSubject + ".>"}, MaxMsgsPerSubject: 1,
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, AllowDirect: true})
	if err != nil {
		return err
	}
	inputs, err := q.js.ObjectStore(ctx, inputBucket)
	if err != nil {
		inputs, err = q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: inputBucket, TTL: keptFor, Replicas: replicas, Storage: jetstream.FileStorage})
	}
	if errors.Is(err, jetstream.ErrBucketExists) {
		inputs, err = q.js.ObjectStore(ctx, inputBucket)
	}
	if err == nil && q.tasks == nil { // what is there has the same names ever after
		q.tasks, q.results, q.inputs = tasks, results, inputs
	}
	return err
}

// WentOn reports whether an earlier command had asked for runs of a list.
func (q *Queue) WentOn() bool { return q.wentOn }

// Build names the program.
func (q *Queue) Build() string { return q.build }

// Join has a harness's runs carried out by workers, where a server is named. leave must
// be called once their results are kept; they lie at the server until then, and stay there
// where they are not kept.
func (o *Server) Join(s *ui.Env, h *harness.Harness) (leave func(kept bool), err error) {
	if o.URL == "" {
		return func(bool) {}, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer h.Stop.On(cancel)()
	q, err := Connect(ctx, s, o)
	if err != nil {
		return nil, err
	}
	h.Fleet = q
	return func(kept bool) {
		if kept {
			q.tidy()
		}
		q.Close()
	}, nil
}

// tidy removes from the server what lies there of lists whose results have been taken.
func (q *Queue) tidy() {
	ctx, done := context.WithTimeout(context.Background(), asksFor)
	defer done()
	for _, id := range q.finished {
		q.clear(ctx, id)
	}
}

// Close lets go of the connection.
func (q *Queue) Close() { q.conn.Close() }

// tell prints a line on the side. Several goroutines may.
func (q *Queue) tell(format string, args ...any) {
	q.telling.Lock()
	defer q.telling.Unlock()
	q.s.Tell(format, args...)
}

// again does something until the server answers it, and tells when it is away for long.
// What an answer says is not tried again, but for streams without a leader.
func (q *Queue) again(ctx context.Context, do func(ctx context.Context) error) error {
	return q.tries(ctx, asksFor, do)
}

// tries gives the first answer asksFor, and each further one twice as long up to most:
// what was on its way when a server ended is never answered.
func (q *Queue) tries(ctx context.Context, most time.Duration, do func(ctx context.Context) error) error {
	ctx, over := q.allowed(ctx)
	defer over()
	since, mine := time.Now(), false
	defer func() {
		if mine {
			q.trouble.Store(nil)
		}
	}()
	for each := asksFor; ; each = min(2*each, most) {
		one, done := context.WithTimeout(ctx, each)
		err := do(one)
		done()
		if err == nil || answered(err) {
			return err
		}
		if ctx.Err() != nil {
			return cmp.Or(context.Cause(q.barred), ctx.Err())
		}
		if errors.Is(err, nats.ErrNoResponders) { // it may have come back without what it stored
			_ = q.open(ctx)
		}
		if time.Since(since) > tellAfter && q.trouble.Load() == nil {
			text := q.server.complaint(err) + "; waiting for it"
			if mine = q.trouble.CompareAndSwap(nil, &text); mine {
				q.tell("%s", text)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryAfter):
		}
	}
}

// complaint says what a server does not do.
func (o *Server) complaint(err error) string {
	var api *jetstream.APIError
	switch {
	case full(err):
		return o.Name() + " has no room: raise max_file_store of jetstream in its configuration, or max_file in that of the account"
	case errors.As(err, &api):
		return fmt.Sprintf("%s cannot do what it is asked (%s)", o.Name(), api.Description)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return o.Name() + " does not answer"
	}
	return fmt.Sprintf("%s does not answer (%v)", o.Name(), err)
}

// full reports whether a server, or its user's account, has no room.
func full(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && slices.Contains([]jetstream.ErrorCode{10002, 10023, 10047}, api.ErrorCode)
}

// answered reports whether an error is what the server said.
func answered(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code < 500 && !full(err) || api.ErrorCode == isThere
	}
	for _, said := range []error{jetstream.ErrMsgNotFound, jetstream.ErrObjectNotFound, jetstream.ErrStreamNotFound, nats.ErrMaxPayload, nats.ErrConnectionClosed} {
		if errors.Is(err, said) {
			return true
		}
	}
	return errors.Is(err, errRefused)
}

// isThere is the server's code where a subject that holds one message has it.
const isThere = 10077

var errRefused = errors.New("refused")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errRefused, fmt.Sprintf(format, args...))
}
