package cachemodel

import (
	"fmt"
	"slices"
	"strings"
)

// Platform is where a model is run: it decides who shares a cache and how long a
// prefix must be (CACHE-02, CACHE-18).
type Platform uint8

// The platforms; the zero value is the default.
const (
	ClaudeAPI Platform = iota
	ClaudeOnAWS
	Foundry
	Bedrock
	GoogleCloud
)

var platformNames = [...]string{"claude-api", "claude-on-aws", "foundry", "bedrock", "google-cloud"}

func (p Platform) String() string { return platformNames[p] }

// Platforms lists the names of the platforms, the default first.
func Platforms() []string { return append([]string(nil), platformNames[:]...) }

// PlatformNamed is the platform of a name, ClaudeAPI for "". An unknown name is
// an error that lists the known ones.
func PlatformNamed(name string) (Platform, error) {
	if name == "" {
		return ClaudeAPI, nil
	}
	if i := slices.Index(platformNames[:], name); i >= 0 {
		return Platform(i), nil
	}
	return 0, fmt.Errorf("unknown platform %q: the platforms are %s", name, strings.Join(platformNames[:], ", "))
}

// Workspace is the workspace part of a key's scope: Bedrock and Google Cloud know
// the organisation only.
func (p Platform) Workspace(name string) string {
	if p == Bedrock || p == GoogleCloud {
		return ""
	}
	return name
}

// On is the profile as the platform has it. Bedrock and Google Cloud retire models
// on days of their own, which the table does not know.
func (p *Profile) On(at Platform) *Profile {
	q := *p
	q.Platform = at
	if at == Bedrock && p.BedrockMinimum > 0 {
		q.Minimum = p.BedrockMinimum
	}
	if at == Bedrock || at == GoogleCloud {
		q.Retired = ""
	}
	return &q
}

// least is how many tokens breakpoint i (from 0) of a request needs: the minimum,
// and on Bedrock twice that for the second one. What a third needs there is not
// documented: as much more again, or with capped no more than the second.
func (p *Profile) least(i int, capped bool) int64 {
	if p.Platform != Bedrock {
		return p.Minimum
	}
	if capped {
		i = min(i, 1)
	}
	return p.Minimum * int64(i+1)
}

// Sure is how many tokens suffice for any breakpoint of a request, whichever it
// is.
func (p *Profile) Sure() int64 { return p.least(MaxMarks-1, false) }
