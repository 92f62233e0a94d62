package definition

// kind is the shape of a value.
type kind uint8

const (
	isNull kind = iota
	isText
	isInt
	isFraction
	isBool
	isMap
	isList
)

func (k kind) String() string {
	return [...]string{"nothing", "text", "a number", "a fraction", "true or false", "a mapping", "a list"}[k]
}

// node is a value with its place, whichever way it was written.
type node struct {
	kind  kind
	text  string // of a scalar
	plain int    // columns from pos to the text's first character; -1 where the text is not on the line as it is
	pairs []pair
	items []*node
	pos   pos
}

// pair is one entry of a mapping.
type pair struct {
	key string
	pos pos
	val *node
}

func (n *node) get(key string) *node {
	for i := range n.pairs {
		if n.pairs[i].key == key {
			return n.pairs[i].val
		}
	}
	return nil
}

// Bounds on what one file may hold.
const (
	maxFile   = 256 << 10 // bytes of a file
	maxTokens = 4_000     // of a frontmatter; the YAML parser's time grows with the square of a mapping's keys
	maxDepth  = 32        // levels of nesting
)
