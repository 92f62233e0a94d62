package kernel

// prefetch asks the processor for the first lines of 64 bytes of what x points to.
//
//go:noescape
func prefetch(x any, lines int)
