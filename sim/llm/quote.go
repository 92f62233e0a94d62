package llm

// AppendQuoted appends s as a JSON string, by the escaping table of the
// canonical form.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = append(dst, escape(s)...)
	return append(dst, '"')
}
