package recording

// Class says how what a request read stands to what it was expected to (IMP-05).
type Class uint8

// The classes. E is Session.Expected, R what was read.
const (
	Exact         Class = iota // R = E
	Over                       // R > E: a request that is not in the recording went on from the predecessor
	ShortNear                  // R < E by less than a static prefix is behind it
	Visibility                 // R is what the predecessor read: only its write was missed
	StaticPrefix               // R is the tools and system prompt only
	Zero                       // R = 0, E > 0
	FirstOfThread              // there is no predecessor
)

var classNames = [...]string{"exact", "over", "short-near", "visibility-lag", "static-prefix", "zero", "first"}

func (c Class) String() string { return classNames[c] }

// Cause says why a request read less or more than expected.
type Cause uint8

// The causes.
const (
	NoCause       Cause = iota
	ExpiredCause        // the predecessor's entry had outlived its lifetime
	ModelCause          // another model
	CompactCause        // the conversation was compacted
	ToolsCause          // the server says that the tools had changed
	SystemCause         // the server says that the system prompt had changed
	HistoryCause        // the prompt is shorter than what was expected to be read: it was rewritten
	ThinkingCause       // the model's earlier thinking was taken out at a user turn
	HiddenCause         // a request that is not in the recording went on from the predecessor
	LagCause            // the predecessor's write could not be read yet
	NoiseCause          // nothing in the recording says why
)

var causeNames = [...]string{"", "ttl", "model", "compaction", "tools", "system", "history", "thinking", "hidden-request",
	"visibility-lag", "noise"}

func (c Cause) String() string { return causeNames[c] }
