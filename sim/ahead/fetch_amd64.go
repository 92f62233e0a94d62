package ahead

// Fetch asks for the first lines of 64 bytes of what x points to. It changes nothing; x may
// be a nil pointer.
//
//go:noescape
func Fetch(x any, lines int)
