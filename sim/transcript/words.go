package transcript

import "strings"

// Words are the fields of an event's text as they stand in it; of a repeated one
// the first.
func Words(text string) map[string]string {
	out := map[string]string{}
	for text = strings.TrimPrefix(text, " "); text != ""; {
		var word string
		word, text = cutWord(text)
		key, value, _ := strings.Cut(word, "=")
		if _, twice := out[key]; !twice {
			out[key] = value
		}
	}
	return out
}

// Value is a text as it stands in a field.
func Value(s string) string { return string(appendValue(nil, s)) }
