package cluster

import (
	"fmt"
	"net"
	"testing"
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
