package llm_test

import (
	"agentsim/sim/llm"
	"agentsim/sim/wire"
)

func init() {
	llm.ParseRequest = func(b *llm.Builder, scope llm.Scope, salts llm.Salts, data []byte) (*llm.Node, error) {
		body, err := wire.Read(b, data, wire.Options{Scope: scope, Salts: func(string, llm.Settings) llm.Salts { return salts }})
		if err != nil {
			return nil, err
		}
		return body.Head, nil
	}
}
