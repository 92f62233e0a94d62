// Package junit writes results as JUnit XML, the form in which CI systems show
// tests.
//
// Rules:
//   - A scenario is a suite, a variant a case. A regression is a failure; what
//     could not be compared is an error, so that no system shows it green.
//   - No times and no host: equal results give equal bytes.
package junit

import (
	"encoding/xml"
	"io"
)

// Case is one variant's result.
type Case struct {
	Suite, Name string
	Failure     string // one line of why it failed; "" when it did not
	Error       string // one line of why it could not be judged
	Detail      string // further lines
	Type        string // class of the failure or error
}

type document struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []*suite `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *problem `xml:"failure,omitempty"`
	Error   *problem `xml:"error,omitempty"`
	Out     string   `xml:"system-out,omitempty"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// Write writes the cases, those of a suite one after another. The error is w's.
func Write(w io.Writer, name string, cases []Case) error {
	doc := document{Name: name}
	var s *suite
	for _, c := range cases {
		if s == nil || s.Name != c.Suite {
			s = &suite{Name: c.Suite}
			doc.Suites = append(doc.Suites, s)
		}
		x := testcase{Class: c.Suite, Name: c.Name}
		switch {
		case c.Failure != "":
			x.Failure = &problem{c.Failure, c.Type, c.Detail}
			s.Failures++
			doc.Failures++
		case c.Error != "":
			x.Error = &problem{c.Error, c.Type, c.Detail}
			s.Errors++
			doc.Errors++
		default:
			x.Out = c.Detail
		}
		s.Cases = append(s.Cases, x)
		s.Tests++
		doc.Tests++
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
