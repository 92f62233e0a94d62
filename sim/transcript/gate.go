package transcript

// Gate is a gate that flipped.
type Gate struct{ Name, Value string }

func (*Gate) Kind() Kind { return KindGate }

func (b *Gate) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " name=", b.Name)
	return appendStr(dst, " value=", b.Value)
}
