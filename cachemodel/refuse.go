package cachemodel

import (
	"strconv"

	"agentsim/sim/llm"
)

// refuses is what the API refuses about a request beside its breakpoints.
func (e *Anthropic) refuses(req *Request) *llm.APIError {
	if e.opt.Batch {
		switch {
		case req.MaxTokens == 0:
			return invalid("max_tokens: 0 cannot be used inside a batch; warm the cache with a request of its own")
		case req.Settings.Speed == "fast":
			return invalid("speed: fast cannot be used inside a batch; leave it out")
		}
	}
	if bad := req.Head.Uses &^ (req.Profile.Takes | llm.Misbound); bad != 0 {
		return invalid("model " + req.Profile.ID + " does not take " + bad.String())
	}
	if req.Head.Uses&llm.Misbound != 0 && req.Profile.BindsThinking {
		return e.misbound(req)
	}
	return refusesPrewarm(req.Request)
}

// bindingSince is the day from which on accounts are held to it that thinking
// stays where it was made (CACHE-35).
const bindingSince = "2026-08-31"

// misbound refuses a thinking block behind a prefix that was edited, for accounts
// that are young enough. It walks the conversation to name the first one.
func (e *Anthropic) misbound(req *Request) *llm.APIError {
	if e.opt.AccountCreated < bindingSince {
		e.touched.oldAccount = true
		return nil
	}
	first := req.Head
	for n := req.Head; n.Uses&llm.Misbound != 0; n = n.Parent {
		first = n
	}
	return invalid(where(first) + ": Invalid `signature` in `thinking` block. The block is bound to a different conversation. " +
		"Remove the block, or send what stood before it unchanged.")
}

func invalid(message string) *llm.APIError {
	return &llm.APIError{Status: 400, Type: "invalid_request_error", Message: message}
}

func tooManyMarks(n int) *llm.APIError {
	return invalid("A maximum of 4 blocks with cache_control may be provided. Found " + strconv.Itoa(n) + ".")
}
