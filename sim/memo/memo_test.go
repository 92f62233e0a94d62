package memo

import "testing"

func TestFew(t *testing.T) {
	t.Run("KRN-01 what follows from a key is made once, and no more than so many are kept", func(t *testing.T) {
		made := 0
		double := func(n int) int { made++; return 2 * n }
		few := Few[int, int]{Most: 3}
		for _, c := range []struct{ key, made int }{{1, 1}, {1, 1}, {2, 2}, {3, 3}, {1, 3}, {4, 4}, {4, 4}, {1, 5}, {2, 6}} {
			if v := few.Get(c.key, double); v != 2*c.key || made != c.made || len(few.made) > few.Most {
				t.Fatalf("%d gives %d after %d were made; %d are kept", c.key, v, made, len(few.made))
			}
		}
	})
}
