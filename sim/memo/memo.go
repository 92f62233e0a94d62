// Package memo keeps what follows from a key alone, so that it is made once and not
// by every command that starts, nor by every run. Whoever asks first, and on
// however many goroutines, the answer is the same.
package memo

import "sync"

// Once is a value that is made when it is first asked for. It is shared: nobody may
// change it.
func Once[T any](make func() T) func() T { return sync.OnceValue(make) }

// Map keeps a value for each key, made when it is first asked for. The values are
// shared: nobody may change them.
type Map[K comparable, V any] struct{ made sync.Map }

// Get is the value of a key. An error is not kept.
func (m *Map[K, V]) Get(key K, make func(K) (V, error)) (V, error) {
	if v, ok := m.made.Load(key); ok {
		return v.(V), nil
	}
	v, err := make(key)
	if err == nil {
		m.made.Store(key, v)
	}
	return v, err
}

// Some is a Map whose values weigh Most at most together: where one more would be too
// many, it forgets the others. What weighs more is made anew for each who asks.
type Some[K comparable, V any] struct {
	Most int

	mu     sync.Mutex
	weight int
	made   map[K]V
}

// Get is the value of a key; make says what it weighs.
func (m *Some[K, V]) Get(key K, make func() (V, int)) V {
	m.mu.Lock()
	v, ok := m.made[key]
	m.mu.Unlock()
	if ok {
		return v
	}
	v, weight := make()
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.made[key]; ok || weight > m.Most {
		return v
	}
	if m.weight += weight; m.made == nil || m.weight > m.Most {
		m.made, m.weight = map[K]V{}, weight
	}
	m.made[key] = v
	return v
}
