// Package sarif writes findings as SARIF 2.1.0, the form in which code hosts show
// them beside the lines that they are about.
//
// Rules:
//   - Paths are relative to the repository, with forward slashes.
//   - No times and no host: equal findings give equal bytes.
package sarif

import (
	"encoding/json"
	"io"
	"net/url"
)

// The levels.
const (
	Error   = "error"
	Warning = "warning"
	Note    = "note"
)

// Rule is a kind of finding.
type Rule struct{ ID, About string }

// Finding is one thing at a place of a file.
type Finding struct {
	Rule, Level, Text string
	File              string // "" where no file is to blame
	First, Last       int    // lines from 1; 0 for the file as a whole
	Logical           string // what it is about where that is no file, such as an agent's call; "" for nothing
}

type text struct {
	Text string `json:"text"`
}

type rule struct {
	ID    string `json:"id"`
	About text   `json:"shortDescription"`
}

type region struct {
	First int `json:"startLine"`
	Last  int `json:"endLine,omitempty"`
}

type physical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *region `json:"region,omitempty"`
}

type logical struct {
	Name string `json:"fullyQualifiedName"`
}

type location struct {
	Physical *physical `json:"physicalLocation,omitempty"`
	Logical  []logical `json:"logicalLocations,omitempty"`
}

type result struct {
	Rule      string     `json:"ruleId"`
	Level     string     `json:"level"`
	Message   text       `json:"message"`
	Locations []location `json:"locations,omitempty"`
}

type driver struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type run struct {
	Tool struct {
		Driver driver `json:"driver"`
	} `json:"tool"`
	Results []result `json:"results"`
}

// Write writes the findings of a tool. The error is w's.
func Write(w io.Writer, name string, rules []Rule, findings []Finding) error {
	r := run{Results: []result{}}
	r.Tool.Driver = driver{Name: name, Rules: []rule{}}
	for _, x := range rules {
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, rule{x.ID, text{x.About}})
	}
	for _, f := range findings {
		x := result{Rule: f.Rule, Level: f.Level, Message: text{f.Text}}
		x.Locations = f.locations()
		r.Results = append(r.Results, x)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []run{r}})
}

// locations is where a finding is; nil for nowhere.
func (f *Finding) locations() []location {
	var at location
	if f.File != "" {
		at.Physical = &physical{}
		at.Physical.Artifact.URI = (&url.URL{Path: f.File}).EscapedPath()
		if f.First > 0 {
			at.Physical.Region = &region{f.First, max(f.First, f.Last)}
		}
	}
	if f.Logical != "" {
		at.Logical = []logical{{f.Logical}}
	}
	if at.Physical == nil && at.Logical == nil {
		return nil
	}
	return []location{at}
}
