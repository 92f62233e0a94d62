package cluster

import "testing"

func TestFlagged(t *testing.T) {
	t.Run("CLU-05 a worker is told of the server as a shell reads it, without the password", func(t *testing.T) {
		o := Server{URL: "nats://me:secret@queue:4222", Creds: "my keys/it's.creds", CA: "ca.pem"}
		if got, want := o.Flagged(), `--nats nats://queue:4222 --nats-creds 'my keys/it'\''s.creds' --nats-ca ca.pem`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
