package project

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"agentsim/cmd/internal/harness"
	"agentsim/sim/project"
)

// Bounds on a server: what it may take and say.
const (
	maxLine  = 4 << 20
	maxLines = 1_000
	maxTools = 500
	maxSaved = 4 << 20
)

// saved is what is kept of a server.
type saved struct {
	Instructions string            `json:"instructions,omitempty"`
	Tools        []json.RawMessage `json:"tools"`
}

// reply is a message of a server.
type reply struct {
	ID     *int   `json:"id"`
	Method string `json:"method"`
	Result *struct {
		saved
		Next string `json:"nextCursor"`
	} `json:"result"`
	Error *refusal `json:"error"`
}

// refusal is a request that a server does not answer; Supported are the revisions of the
// protocol that it speaks, where another one is why.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Supported []string `json:"supported"`
	} `json:"data"`

	method string
}

func (r *refusal) Error() string {
	if len(r.Data.Supported) > 0 {
		return fmt.Sprintf("it refused %s: it speaks the protocol of %.200s, and not of %s or %s", r.method, strings.Join(r.Data.Supported, ", "), stateless, greeted)
	}
	return fmt.Sprintf("it refused %s: %.200s", r.method, r.Message)
}

// The revisions of the protocol: the last one in which a client greets a server, and the
// one in which each request says what it needs.
const (
	greeted   = "2025-11-25"
	stateless = "2026-07-28"
)

// conversation is one with a server over its standard input and output.
type conversation struct {
	to    io.Writer
	lines *bufio.Scanner
	read  int
	id    int
	wait  time.Duration
}

// ask starts a server, asks it for its tools, and ends it, at a signal too.
func ask(s project.Server, dir string, wait time.Duration, stop *harness.Interrupt) (*saved, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	from, to, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	defer to.Close()
	until := func(t time.Time) error { return errors.Join(in.SetReadDeadline(t), to.SetWriteDeadline(t)) }
	if err := until(time.Now().Add(wait)); err != nil {
		return nil, errors.Join(err, out.Close(), from.Close())
	}
	defer stop.On(func() { _ = until(time.Now()) })() // what it waits for comes no more
	var values []string
	for name, value := range s.Env {
		values = append(values, name+"="+expanded(value))
	}
	cmd := exec.Command(expanded(s.Command))
	for _, a := range s.Args {
		cmd.Args = append(cmd.Args, expanded(a))
	}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout = dir, append(os.Environ(), values...), from, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := errors.Join(cmd.Start(), from.Close(), out.Close()); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", s.Command, err)
	}
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		_ = cmd.Wait()                                      // how it ended says nothing
	}()
	c := &conversation{to: to, lines: bufio.NewScanner(in), wait: wait}
	c.lines.Buffer(nil, maxLine)
	return c.tools()
}

// tools greets the server and collects the pages of its list.
func (c *conversation) tools() (*saved, error) {
	hello, params, err := c.greet()
	if err != nil {
		return nil, err
	}
	out := &saved{Instructions: hello.Result.Instructions, Tools: []json.RawMessage{}}
	for {
		page, err := c.call("tools/list", params)
		if err != nil {
			return nil, err
		}
		out.Tools = append(out.Tools, page.Result.Tools...)
		size := 0
		for _, t := range out.Tools {
			size += len(t)
		}
		switch {
		case len(out.Tools) > maxTools || size > maxSaved/2:
			return nil, fmt.Errorf("it lists %d tools of %d bytes and more: at most %d, and %d MiB, are saved", len(out.Tools), size, maxTools, maxSaved>>21)
		case page.Result.Next == "":
			return out, nil
		}
		params["cursor"] = page.Result.Next
	}
}

// greet asks what the server says of itself. params are those of each later request. A
// server that refuses to be greeted is asked as the revision without greetings has it: one
// of before may say nothing at all to a request in front of its greeting.
func (c *conversation) greet() (hello *reply, params map[string]any, err error) {
	client := map[string]string{"name": "agentsim", "version": "1"}
	hello, err = c.call("initialize", map[string]any{"protocolVersion": greeted, "capabilities": struct{}{}, "clientInfo": client})
	if err == nil {
		return hello, map[string]any{}, c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	var first, second *refusal
	if !errors.As(err, &first) {
		return nil, nil, err
	}
	const meta = "io.modelcontextprotocol/"
	params = map[string]any{"_meta": map[string]any{meta + "protocolVersion": stateless, meta + "clientCapabilities": struct{}{}, meta + "clientInfo": client}}
	hello, err = c.call("server/discover", params)
	if err != nil && (!errors.As(err, &second) || len(second.Data.Supported) == 0) {
		return nil, nil, first // it knows of no discovery: its answer to the greeting says more
	}
	return hello, params, err
}

// call sends a request and waits for its answer; other messages are skipped.
func (c *conversation) call(method string, params any) (*reply, error) {
	c.id++
	late := fmt.Errorf("it did not answer %s within %s", method, c.wait)
	switch err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, late
	case err != nil:
		return nil, err
	}
	for c.lines.Scan() {
		var r reply
		line := strings.TrimSpace(c.lines.Text())
		if c.read++; c.read > maxLines {
			return nil, fmt.Errorf("it said more than %d lines before it answered %s", maxLines, method)
		}
		switch {
		case line == "":
		case json.Unmarshal([]byte(line), &r) != nil:
			return nil, fmt.Errorf("what it says is no message of the protocol: %.60q", line)
		case r.ID == nil || *r.ID != c.id || r.Method != "":
		case r.Error != nil:
			r.Error.method = method
			return nil, r.Error
		case r.Result == nil:
			return nil, fmt.Errorf("its answer to %s holds no result", method)
		default:
			return &r, nil
		}
	}
	switch err := c.lines.Err(); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, late
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("its answer to %s is larger than %d MiB", method, maxLine>>20)
	case err != nil:
		return nil, err
	}
	return nil, fmt.Errorf("it ended before it answered %s", method)
}

func (c *conversation) send(message any) error {
	text, err := json.Marshal(message)
	if err == nil {
		_, err = c.to.Write(append(text, '\n'))
	}
	switch {
	case errors.Is(err, syscall.EPIPE): // it has ended: what it said until then tells why
	case err != nil:
		return fmt.Errorf("it takes no requests: %w", err)
	}
	return nil
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)

// expanded is a value of .mcp.json with ${NAME} and ${NAME:-DEFAULT} filled in.
func expanded(text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		parts := variable.FindStringSubmatch(found)
		return cmp.Or(os.Getenv(parts[1]), parts[2])
	})
}
