package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func TestFlagged(t *testing.T) {
	t.Run("CLU-05 a worker is told of the server as a shell reads it, without the password", func(t *testing.T) {
		o := Server{URL: "nats://me:secret@queue:4222", Creds: "my keys/it's.creds", CA: "ca.pem"}
		if got, want := o.Flagged(), `--nats nats://queue:4222 --nats-creds 'my keys/it'\''s.creds' --nats-ca ca.pem`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func TestHint(t *testing.T) {
	t.Run("CLU-05 where nobody can connect it is said what to look at", func(t *testing.T) {
		unknown := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "queue"}}
		for _, x := range []struct {
			err  error
			want string
		}{
			{unknown, "check the name of the host"},
			{&net.OpError{Op: "dial", Err: fmt.Errorf("connection refused")}, "start a server there with nats-server -js"},
		} {
			if got := hint(fmt.Errorf("connecting: %w", x.err)); got != x.want {
				t.Errorf("%v: %s, want %s", x.err, got, x.want)
			}
		}
	})
}

func TestComplaint(t *testing.T) {
	t.Run("CLU-03 who waits for a server is told what it does not do, and what to change", func(t *testing.T) {
		o := Server{URL: "nats://queue:4222"}
		room := "nats://queue:4222 has no room: raise max_file_store of jetstream in its configuration, or max_file in that of the account"
		for _, x := range []struct {
			err  error
			want string
		}{
			{&jetstream.APIError{Code: 503, ErrorCode: 10023, Description: "insufficient resources"}, room},
			{&jetstream.APIError{Code: 400, ErrorCode: 10002, Description: "resource limits exceeded for account"}, room},
			{&jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"},
				"nats://queue:4222 cannot do what it is asked (JetStream system temporarily unavailable)"},
			{context.DeadlineExceeded, "nats://queue:4222 does not answer"},
			{errors.New("broken"), "nats://queue:4222 does not answer (nats: broken)"},
		} {
			if got := o.complaint(fmt.Errorf("nats: %w", x.err)); got != x.want || answered(x.err) {
				t.Errorf("%v: %s, want %s", x.err, got, x.want)
			}
		}
	})
}
