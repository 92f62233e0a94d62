// Package perfetto writes recorded runs as a trace of Perfetto: TrackEvent packets, as
// ui.perfetto.dev and the trace processor read them.
//
// Rules:
//   - A run is a process, an agent a track of it: its life, with its calls and waits
//     inside; its tool uses are tracks below it, since several run at a time.
//   - Counters: the tokens of the prompt by agent, the dollars of the run.
//   - Flows: from a start to the child, from the call that wrote a cache entry to each
//     that read it, from a message's sender to its receiver.
//   - Times are virtual, in nanoseconds from the beginning of each run; equal runs give
//     equal bytes.
//
// Field numbers are those of protos/perfetto/trace in Perfetto's repository, as of
// 2026-08-22.
package perfetto

import (
	"cmp"
	"io"
	"math"
	"slices"

	"agentsim/metrics/page"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of the messages, by message.
const (
	tracePacket = 1

	packetTimestamp, packetSequence, packetEvent, packetFlags, packetTrack = 8, 10, 11, 13, 60

	eventType, eventTrack, eventName, eventCounter, eventDouble, eventFlow, eventEndFlow, eventNote = 9, 11, 23, 30, 44, 47, 48, 4

	noteName, noteInt, noteDouble, noteText = 10, 4, 5, 6

	trackID, trackParent, trackName, trackProcess, trackCounter, trackOrder, trackRank = 1, 5, 2, 3, 8, 11, 12

	processID, processName, counterUnit, counterUnitName = 1, 6, 3, 6
)

// Values of enumerations.
const (
	sliceBegin, sliceEnd, instant, counter = 1, 2, 3, 4

	byRank    = 3 // tracks are in the order of their ranks
	unitCount = 2
	stateless = 1 // no packet builds on an earlier one
)

// Write writes runs into one trace. The error is w's.
func Write(w io.Writer, runs []*page.Run) error {
	var out []byte
	for i, r := range runs {
		t := &trace{run: r, base: uint64(i+1) << 32}
		t.tracks(i)
		for _, e := range t.sorted() {
			t.out = packet(t.out, e.at, packetEvent, e.body)
		}
		out = append(out, t.out...)
	}
	_, err := w.Write(out)
	return err
}

// trace is one run on its way.
type trace struct {
	run    *page.Run
	base   uint64 // of its ids
	last   uint64 // id given out last
	out    []byte
	events []event
}

type event struct {
	at   int64
	body []byte
}

// id is a new id of a track or a flow; the run's own is the first.
func (t *trace) id() uint64 {
	t.last++
	return t.base + t.last
}

// sorted are the events in their order in time, at one instant in that of their making.
func (t *trace) sorted() []event {
	slices.SortStableFunc(t.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return t.events
}

// packet appends a packet with a body of a field.
func packet(out []byte, at int64, field protowire.Number, body []byte) []byte {
	var p []byte
	p = number(p, packetTimestamp, uint64(max(at, 0)))
	p = number(p, packetSequence, 1)
	p = number(p, packetFlags, stateless)
	p = bytes(p, field, body)
	return bytes(out, tracePacket, p)
}

func number(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func bytes(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func text(b []byte, field protowire.Number, s string) []byte { return bytes(b, field, []byte(s)) }

func fixed(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), v)
}

// track writes the description of a track, and gives its id.
func (t *trace) track(parent uint64, name string, rank int, more []byte) uint64 {
	id := t.id()
	d := number(nil, trackID, id)
	if parent != 0 {
		d = number(d, trackParent, parent)
	}
	d = text(d, trackName, name)
	d = number(d, trackOrder, byRank)
	d = number(d, trackRank, uint64(rank))
	t.out = packet(t.out, 0, packetTrack, append(d, more...))
	return id
}

// emit adds an event of a track.
func (t *trace) emit(at int64, kind uint64, track uint64, more []byte) {
	b := number(nil, eventType, kind)
	t.events = append(t.events, event{at, append(number(b, eventTrack, track), more...)})
}

func named(name string, notes ...[]byte) []byte {
	return append(text(nil, eventName, name), slices.Concat(notes...)...)
}

// A note is a figure or a text beside an event.
func note(name string, value []byte) []byte {
	return bytes(nil, eventNote, append(text(nil, noteName, name), value...))
}

func count(name string, n int64) []byte {
	if n == 0 {
		return nil
	}
	return note(name, number(nil, noteInt, uint64(n)))
}

func said(name, s string) []byte {
	if s == "" {
		return nil
	}
	return note(name, text(nil, noteText, s))
}

func dollars(name string, picodollars int64) []byte {
	return note(name, fixed(nil, noteDouble, math.Float64bits(float64(picodollars)/1e12)))
}
