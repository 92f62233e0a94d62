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
