package shell

import "strings"

// xargsEffect is that of the command it runs, whose further words are not
// known.
func xargsEffect(s set, args []string) effect {
	args = xargsCommand(args)
	if len(args) == 0 {
		return reading
	}
	return s.effectOf(append(append([]string(nil), args...), unknownWord))
}

// xargsCommand cuts the options of xargs off.
func xargsCommand(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if o := args[0]; len(o) == 2 && (o[1] == 'n' || o[1] == 'I') && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	return args
}

// runXargs runs a command with the words of its input, all at once, or with
// -I once for each line.
func runXargs(c *call) int {
	options := *c
	command := xargsCommand(c.args)
	options.args = c.args[:len(c.args)-len(command)]
	f, _, ok := options.options("n: I: 0 r t P: L:")
	if !ok {
		return 2
	}
	if len(command) == 0 {
		command = []string{"echo"}
	}
	in := c.in.rest()
	if f.has("I") {
		return c.eachLine(command, in, f.value("I"))
	}
	words := strings.Fields(in)
	size := len(words)
	if f.has("n") || f.has("L") {
		n, ok := fieldNumber(f.or("n", f.value("L")))
		if !ok {
			return c.complain(1, "-n needs a number from 1")
		}
		size = n
	}
	if len(words) == 0 {
		if f.has("r") {
			return 0
		}
		return c.also(command, nil)
	}
	status := 0
	for len(words) > 0 && c.m.halted == nil {
		n := min(size, len(words))
		if c.also(command, words[:n]) != 0 {
			status = 123
		}
		words = words[n:]
	}
	return status
}

func (c *call) also(command, words []string) int {
	if len(command)+len(words) > maxFields {
		c.m.halt(errFields)
		return 1
	}
	args := append(append([]string(nil), command...), words...)
	c.m.call(args, &streams{in: &input{}, out: c.out, err: c.err})
	return c.m.status
}

func (c *call) eachLine(command []string, in, mark string) int {
	status := 0
	for _, l := range lines(in) {
		args := make([]string, len(command))
		l = strings.TrimSpace(l)
		for i, a := range command {
			if mark == "" || !c.m.charge(len(a)+strings.Count(a, mark)*len(l)) {
				return c.complain(1, "-I needs a mark")
			}
			args[i] = strings.ReplaceAll(a, mark, l)
		}
		if c.also(args, nil) != 0 {
			status = 123
		}
		if c.m.halted != nil {
			break
		}
	}
	return status
}
