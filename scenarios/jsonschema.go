package scenarios

import _ "embed"

// schemaFile is made, by a test, of the types that the decoder reads.
//
//go:embed scenario.schema.json
var schemaFile []byte

// JSONSchema is the JSON Schema (draft 2020-12) of a scenario file, by which
// editors complete and check (SCN-03). It never refuses what Parse takes; what
// needs the whole file to see, such as references, only Parse finds.
func JSONSchema() []byte { return append([]byte(nil), schemaFile...) }
