package transcript

// UserMessage is a message of the user's script.
type UserMessage struct{ Bytes int }

// Kind is KindUserMessage.
func (*UserMessage) Kind() Kind { return KindUserMessage }

// AppendText appends the canonical fields.
func (b *UserMessage) AppendText(dst []byte) []byte { return appendInt(dst, " bytes=", b.Bytes) }
