package sqlite

import (
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

func TestSent(t *testing.T) {
	t.Run("REC-05 a request that the server holds back keeps four instants apart: sent, admitted, first byte, last byte", heldBack)
}

func heldBack(t *testing.T) {
	db := tempDB(t)
	w, err := db.Begin(runNamed("r"), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := newEmitter(w)
	e.start(0, -1, "main", "root")
	head := e.prompt("s", "hello")
	e.emit(0, &transcript.Request{Head: head, Model: "m", Breakpoints: []llm.Breakpoint{{Node: head}}})
	sent := e.at
	at := func(seconds int) vtime.Instant { return sent.Add(vtime.Duration(seconds) * vtime.Second) }
	e.emit(0, &transcript.Response{Head: e.Append(head, llm.Assistant, textBlock("hi")), Model: "m",
		Resp: &llm.Response{Stop: llm.EndTurn, Started: at(5), Began: at(7), Ended: at(11)}})
	if err := w.Finish(End{Status: Completed, Digest: "d"}); err != nil {
		t.Fatal(err)
	}
	found, err := db.Sent("r")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	if s := &found[0]; s.At != sent || s.Started != at(5) || s.Began != at(7) || s.Ended != at(11) {
		t.Errorf("sent %v, admitted %v, first byte %v, last byte %v", s.At, s.Started, s.Began, s.Ended)
	}
}
