package importer

import (
	"bytes"
	"encoding/json"
)

// These functions take JSON apart without reading all of it: most of a recorded
// line is of no interest. What they pass over is checked only as far as finding
// its end needs.

// eachField calls each with the raw name and the raw value of every member of the
// object that data is. It is false when data is no object or ends early.
func eachField(data []byte, each func(name, value []byte)) bool {
	return eachPart(data, '{', '}', func(i int) int {
		end := stringEnd(data, i)
		colon := space(data, end)
		if end < 0 || colon >= len(data) || data[colon] != ':' {
			return -1
		}
		from := space(data, colon+1)
		to := valueEnd(data, from)
		if to >= 0 {
			each(data[i+1:end-1], data[from:to])
		}
		return to
	})
}

// eachItem is eachField for a list.
func eachItem(data []byte, each func(value []byte)) bool {
	return eachPart(data, '[', ']', func(i int) int {
		to := valueEnd(data, i)
		if to >= 0 {
			each(data[i:to])
		}
		return to
	})
}

// eachPart walks what stands between brackets, divided by commas. part takes one
// that begins at i and returns where it ends, -1 for one that is broken.
func eachPart(data []byte, opening, closing byte, part func(i int) int) bool {
	i := space(data, 0)
	if i >= len(data) || data[i] != opening {
		return false
	}
	if i = space(data, i+1); i < len(data) && data[i] == closing {
		return space(data, i+1) == len(data)
	}
	for {
		if i = part(i); i < 0 {
			return false
		}
		switch i = space(data, i); {
		case i >= len(data):
			return false
		case data[i] == closing:
			return space(data, i+1) == len(data)
		case data[i] != ',':
			return false
		}
		i = space(data, i+1)
	}
}

// space is the first offset from i on that is no white space; a negative i is
// behind the end.
func space(data []byte, i int) int {
	if i < 0 {
		return len(data)
	}
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// stringEnd is where the string ends that begins at i; -1 if none does.
func stringEnd(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	for i++; ; {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return -1
		}
		slashes := 0
		for slashes < n && data[i+n-1-slashes] == '\\' {
			slashes++
		}
		if i += n + 1; slashes%2 == 0 {
			return i
		}
	}
}

// valueEnd is where the value ends that begins at i; -1 if none does.
func valueEnd(data []byte, i int) int {
	if i >= len(data) {
		return -1
	}
	switch data[i] {
	case '"':
		return stringEnd(data, i)
	case '{', '[':
		return nestEnd(data, i)
	}
	from := i
	for i < len(data) && (data[i] >= 'a' && data[i] <= 'z' || data[i] >= '0' && data[i] <= '9' || data[i] == '-' || data[i] == '+' ||
		data[i] == '.' || data[i] == 'E') {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

// nestEnd is where the object or list ends that begins at i, whatever its depth.
func nestEnd(data []byte, i int) int {
	for depth := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end := stringEnd(data, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// setString reads a string; null leaves it as it is. It is false for anything
// else.
func setString(to *string, value []byte) bool {
	switch {
	case string(value) == "null":
		return true
	case len(value) < 2 || value[0] != '"':
		return false
	case bytes.IndexByte(value, '\\') < 0:
		*to = string(value[1 : len(value)-1])
		return true
	}
	return json.Unmarshal(value, to) == nil
}

// setBool reads true or false; null leaves it as it is.
func setBool(to *bool, value []byte) bool {
	switch string(value) {
	case "null":
	case "true", "false":
		*to = len(value) == len("true")
	default:
		return false
	}
	return true
}
