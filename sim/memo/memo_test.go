package memo

import "testing"

func TestSome(t *testing.T) {
	t.Run("KRN-01 what follows from a key is made once, and what is kept has a bound", func(t *testing.T) {
		made := 0
		some := Some[int, int]{Most: 6}
		for _, c := range []struct{ key, made int }{{1, 1}, {1, 1}, {2, 2}, {3, 3}, {1, 3}, {4, 4}, {4, 4}, {1, 5}, {4, 5}, {2, 6}, {7, 7}, {7, 8}, {1, 9}} {
			v := some.Get(c.key, func() (int, int) { made++; return 2 * c.key, c.key })
			if v != 2*c.key || made != c.made || some.weight > some.Most {
				t.Fatalf("%d gives %d after %d were made; what is kept weighs %d", c.key, v, made, some.weight)
			}
		}
	})
}
