package transcript

import "agentsim/sim/vtime"

// Event is one thing that happened. The Body is valid only during Emit.
type Event struct {
	Seq   uint64        // from 0, dense
	At    vtime.Instant // virtual time
	Phase uint8         // kernel phase: 0 provider, 1 agents
	Agent int32         // the agent's ordinal in the run; -1 for the run itself
	Body  Body
}

// Body is the kind-specific part of an event. Pointers to the kinds' structs
// implement it.
type Body interface {
	Kind() Kind
}

// Sink receives events in order, on the simulated thread.
type Sink interface {
	Emit(*Event)
}

// Leader is a Sink that can be told of whom the next events are, so that what it knows of
// that agent is at hand when they come. That changes nothing.
type Leader interface{ Lead(agent int32) }
