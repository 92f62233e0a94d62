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

// Few is a Map of so many values at most: where one more is made, it forgets the others.
type Few[K comparable, V any] struct {
	Most int
	mu   sync.Mutex
	made map[K]V
}

// Get is the value of a key.
func (m *Few[K, V]) Get(key K, make func(K) V) V {
	m.mu.Lock()
	v, ok := m.made[key]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = make(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil || len(m.made) >= m.Most {
		m.made = map[K]V{}
	}
	m.made[key] = v
	return v
}
