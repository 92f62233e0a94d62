package shell

import (
	"strconv"
	"strings"

	"agentsim/sim/vtime"
)

func succeed(*call) int { return 0 }
func fail(*call) int    { return 1 }

func runEcho(c *call) int {
	end := "\n"
	if len(c.args) > 0 && c.args[0] == "-n" {
		c.args, end = c.args[1:], ""
	}
	c.out.put(strings.Join(c.args, " ") + end)
	return 0
}

func runPwd(c *call) int {
	c.out.put(c.m.dir + "\n")
	return 0
}

func runCd(c *call) int {
	to := c.m.env.Root
	switch {
	case len(c.args) > 1:
		return c.complain(1, "too many arguments")
	case len(c.args) == 1:
		to = c.args[0]
	}
	abs := c.m.absolute(to)
	if !c.m.isDir(abs) {
		return c.complain(1, to+": "+c.m.why(abs))
	}
	c.m.dir = abs
	return 0
}

// runSleep lets virtual time pass.
func runSleep(c *call) int {
	if len(c.args) != 1 {
		return c.complain(1, "give one time")
	}
	d, ok := seconds(c.args[0])
	if !ok {
		return c.complain(1, "invalid time interval "+c.args[0])
	}
	c.m.pass(d)
	return 0
}

// seconds reads 3, 0.5, 2m or 1h, below a million of them.
func seconds(s string) (vtime.Duration, bool) {
	unit := vtime.Second
	for _, u := range [...]struct {
		suffix string
		of     vtime.Duration
	}{{"s", vtime.Second}, {"m", 60 * vtime.Second}, {"h", 3600 * vtime.Second}} {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			s, unit = rest, u.of
		}
	}
	whole, part, _ := strings.Cut(s, ".")
	if whole+part == "" || len(whole) > 6 || len(part) > 6 {
		return 0, false
	}
	n, err := strconv.ParseUint("0"+whole, 10, 32)
	frac, err2 := strconv.ParseUint((part + "000000")[:6], 10, 32)
	return vtime.Duration(n)*unit + vtime.Duration(frac)*(unit/1_000_000), err == nil && err2 == nil
}

func runExit(c *call) int {
	c.m.exiting = true
	if len(c.args) == 0 {
		return c.m.status
	}
	n, err := strconv.Atoi(c.args[0])
	if err != nil {
		return c.complain(2, c.args[0]+": numeric argument required")
	}
	return n & 255
}
