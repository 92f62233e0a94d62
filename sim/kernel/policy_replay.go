package kernel

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxReplay is how many choices a list may have.
const MaxReplay = 1 << 24

// Replay makes the choices of a list, in order. Behind its end, and where the list
// names a process that is not there, the one that has been ready longest runs: the
// world is then another than the list was made in.
func Replay(choices []int32) Policy { return &replay{list: choices} }

type replay struct {
	list []int32
	made []int32
}

// Name is the text that selects the policy, with the whole list.
func (r *replay) Name() string { return "replay:" + ChoicesText(r.list) }

func (r *replay) Choose(n int, _ func(int) *Proc) int {
	i := int32(0)
	if at := len(r.made); at < len(r.list) && r.list[at] >= 0 && int(r.list[at]) < n {
		i = r.list[at]
	}
	r.made = append(r.made, i)
	return int(i)
}

func (r *replay) Choices() []int32 { return r.made }

// ChoicesText writes a list as 2,0*15,1: equal neighbours stand once, with how many
// there are.
func ChoicesText(choices []int32) string {
	var b []byte
	for i := 0; i < len(choices); {
		n := 1
		for i+n < len(choices) && choices[i+n] == choices[i] {
			n++
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(choices[i]), 10)
		if n > 1 {
			b = strconv.AppendInt(append(b, '*'), int64(n), 10)
		}
		i += n
	}
	return string(b)
}

// ParseChoices reads what ChoicesText writes; the error names the part that is
// wrong. A list has at most MaxReplay choices.
func ParseChoices(text string) (out []int32, err error) {
	if text == "" {
		return nil, nil
	}
	for i, part := range strings.Split(text, ",") {
		number, times, repeated := strings.Cut(part, "*")
		c, err := strconv.ParseInt(number, 10, 32)
		n := 1
		if err == nil && repeated {
			n, err = strconv.Atoi(times)
		}
		if err != nil || c < 0 || n < 1 {
			return nil, fmt.Errorf("part %d of the list, %q, is no choice: write numbers from 0, as 2,0*15,1", i+1, part)
		}
		if len(out)+n > MaxReplay {
			return nil, fmt.Errorf("the list has more than %d choices", MaxReplay)
		}
		for range n {
			out = append(out, int32(c))
		}
	}
	return out, nil
}
