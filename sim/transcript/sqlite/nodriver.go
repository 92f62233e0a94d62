//go:build !cgo

package sqlite

// noDriver is why no database can be opened.
var noDriver = ErrNoDriver

func kindOf(error) error { return nil }
