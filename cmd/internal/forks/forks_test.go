package forks

import "testing"

func TestKnown(t *testing.T) {
	t.Run("TRI-09 a share says of how many children it was measured, and where they are too few", func(t *testing.T) {
		for _, c := range []struct {
			n, all int64
			sample bool
			want   string
		}{
			{0, 37, true, "1.9 % is assumed here"},
			{2, 37, true, "here 1.9 % (n 2 of 37, thin)"},
			{30, 37, true, "here 1.9 % (n 30 of 37)"},
			{7, 7, true, "here 1.9 % (n 7, thin)"},
			{37, 37, true, "here 1.9 %"},
			{8, 8, false, "here 1.9 %"},
			{2, 8, false, "here 1.9 % (n 2 of 8, thin)"},
		} {
			if got := known(19, c.n, c.all, c.sample); got != c.want {
				t.Errorf("%d of %d: %q, want %q", c.n, c.all, got, c.want)
			}
		}
	})
}
