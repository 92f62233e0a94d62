//go:build !amd64

package kernel

// prefetch does nothing where nobody has measured what it gains.
func prefetch(any, int) {}
