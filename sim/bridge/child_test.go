package bridge_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"agentsim/sim/bridge"
)

// How long a process may take to end when it is asked to, and to say a line.
const (
	patience    = 2 * time.Second
	lineArrives = time.Minute
)

// child is a session's process on this machine.
type child struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	pipe  *os.File // its output
	lines *bufio.Reader
	ended bool
}

// starter starts processes of a program, in this directory.
func starter(program string, args ...string) bridge.Start {
	return func(session, _, token string) (bridge.Runner, error) {
		out, in, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		cmd := exec.Command(program, append(args, "--session-id", session)...)
		cmd.Env = append(os.Environ(), bridge.TokenVariable+"="+token)
		cmd.Stdout, cmd.SysProcAttr = in, &syscall.SysProcAttr{Setpgid: true}
		stdin, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if in.Close(); err != nil {
			out.Close()
			return nil, fmt.Errorf("cannot start a session: %w", err)
		}
		return &child{cmd: cmd, stdin: stdin, pipe: out, lines: bufio.NewReaderSize(out, 1<<16)}, nil
	}
}

// Take gives the process a line and reads until it rests.
func (c *child) Take(line []byte) (out []bridge.Line, err error) {
	if _, err := c.stdin.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	for {
		_ = c.pipe.SetReadDeadline(time.Now().Add(lineArrives))
		text, err := c.lines.ReadBytes('\n')
		if err != nil {
			c.Kill()
			return out, fmt.Errorf("the session has ended: %w", err)
		}
		l, err := bridge.ParseLine(text)
		if err != nil {
			return out, err
		}
		if out = append(out, *l); l.Type == bridge.System && l.Subtype == bridge.Rests {
			return out, nil
		}
	}
}

// signal sends a signal to the process and to those that it started.
func (c *child) signal(s syscall.Signal) error { return syscall.Kill(-c.cmd.Process.Pid, s) }

// Terminate sends TERM and reports whether the process has ended.
func (c *child) Terminate() bool {
	if c.ended {
		return true
	}
	err := c.signal(syscall.SIGTERM)
	if err == nil {
		err = c.pipe.SetReadDeadline(time.Now().Add(patience))
	}
	if err == nil {
		_, err = io.Copy(io.Discard, c.lines)
	}
	if err != nil {
		return false
	}
	_ = c.wait() // by a signal
	return true
}

// Kill ends the process with KILL, and those that it started, unless it has ended.
func (c *child) Kill() {
	if !c.ended {
		_ = c.signal(syscall.SIGKILL)
		_ = c.wait()
	}
}

// Close closes the process's input and waits for its end.
func (c *child) Close() error {
	if c.ended {
		return nil
	}
	c.stdin.Close()
	_ = c.pipe.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.Copy(io.Discard, c.lines); err != nil {
		c.Kill()
		return fmt.Errorf("the session did not end with its input: %w", err)
	}
	return c.wait()
}

// wait frees what the process had.
func (c *child) wait() error {
	if c.ended {
		return nil
	}
	c.ended = true
	err := c.cmd.Wait()
	c.pipe.Close()
	return err
}
