package transcript

// Gate is a gate that flipped.
type Gate struct {
	Name  string `text:"name"`
	Value string `text:"value"`
}

func (*Gate) Kind() Kind { return KindGate }
