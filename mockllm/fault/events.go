package fault

// Stream is a response as server-sent events. They are a formula and are never
// stored: one message_start (index 0), for each block a start, a delta for each
// of its tokens (at least one) and a stop, then message_delta and message_stop.
type Stream struct{ Tokens []int64 } // output tokens by block

// Events is the number of events, at least 3.
func (s Stream) Events() int64 {
	n := int64(3)
	for _, t := range s.Tokens {
		n += 2 + max(t, 1)
	}
	return n
}

// Before is the number of output tokens in the events ahead of event n; an
// index past the last event stands for the last one.
func (s Stream) Before(n int64) int64 {
	n = min(max(n, 0), s.Events()-1) - 1 // events ahead, message_start aside
	var sum int64
	for _, t := range s.Tokens {
		if n <= 1 {
			break
		}
		deltas := max(t, 1)
		sum += min(n-1, deltas, t)
		n -= 2 + deltas
	}
	return sum
}

// Name is the type of event n, clamped like Before's.
func (s Stream) Name(n int64) string {
	n = min(max(n, 0), s.Events()-1)
	if n == 0 {
		return "message_start"
	}
	n--
	for _, t := range s.Tokens {
		switch deltas := max(t, 1); {
		case n == 0:
			return "content_block_start"
		case n <= deltas:
			return "content_block_delta"
		case n == deltas+1:
			return "content_block_stop"
		default:
			n -= 2 + deltas
		}
	}
	if n == 0 {
		return "message_delta"
	}
	return "message_stop"
}
