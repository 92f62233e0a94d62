package agent

import "agentsim/sim/gate"

// decided is what comes of gates as they are, which is noted of each gate without whose
// value it would be something else.
func decided[T comparable](w *World, of func(g *gate.Set) T) T {
	got := of(&w.gates)
	for _, name := range w.cfg.Watched {
		without := w.gates
		if g := gate.Find(name); without.Set(name, g.Default) == nil && of(&without) != got {
			decides(w, gateKey+name)
		}
	}
	return got
}

// gateKey begins the path of a gate.
const gateKey = "gates."

// decides notes that something came out otherwise for settings at these paths.
func decides(w *World, paths ...string) {
	for _, path := range paths {
		w.met[path] = true
	}
}

// Decided reports whether anything in a run came out otherwise for the setting at a path.
func Decided(w *World, path string) bool { return w.met[path] }
