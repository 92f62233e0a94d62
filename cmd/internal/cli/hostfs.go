package cli

import (
	"io/fs"
	"os"
)

// hostFS is the machine's file system under the names a user types, absolute or
// not.
type hostFS struct{}

// Open opens a file or directory.
func (hostFS) Open(name string) (fs.File, error) { return os.Open(name) }
