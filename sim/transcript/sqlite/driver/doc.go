// Package driver is SQLite itself, which is C: a program that is to open databases
// imports it, and tests that open none are linked in half the time. Without cgo it is
// empty, and opening one says what is missing.
package driver
