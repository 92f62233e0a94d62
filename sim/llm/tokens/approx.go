package tokens

import (
	"regexp"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/memo"
)

// Family is a set of models that share a vocabulary closely enough to share
// ratios.
type Family uint8

// The families.
const (
	// Claude46 is every Claude model up to 4.6.
	Claude46 Family = iota
	// Claude47 is every Claude model from 4.7 on.
	Claude47
	// Other is every other model: counted like Claude46, of unknown error.
	Other
)

// version finds the version in a model id: one or two numbers of one or two digits.
// A date is none.
var version = regexp.MustCompile(`claude-(?:[a-z]+[-.@:])*(\d{1,2})(?:[-.@:](\d{1,2}))?(?:\D|$)`)

// FamilyOf reads a model id: claude-sonnet-4-6, claude-opus-4-5-20251101,
// claude-3-5-haiku-20241022, claude-opus-5.
func FamilyOf(model string) Family {
	f, _ := familiesOf.Get(model, familyNamed)
	return f
}

var familiesOf memo.Map[string, Family]

func familyNamed(model string) (Family, error) {
	if !strings.Contains(model, "claude-") {
		return Other, nil
	}
	v := append(version.FindStringSubmatch(model), "", "", "")
	major, _ := strconv.Atoi(v[1]) // digits, or nothing
	minor, _ := strconv.Atoi(v[2])
	if major*100+minor >= 407 {
		return Claude47, nil
	}
	return Claude46, nil
}

// approx counts by ratios in tokens per 10⁶ bytes of each class, and per 10⁶
// frames.
type approx struct {
	name     string
	perByte  [llm.NumClasses]int64
	perFrame int64
	permille int64 // the error stated
}

// The ratios and errors. Where they come from:
//
// Claude46. Prose is the anchor of TOK-02: 737,526 characters of a novel are
// 187,364 tokens, 3.936 characters a token. Code, JSON, digits and the frame
// were fitted (least absolute relative error, prose held at the anchor) on the
// prompt growth of 121 tool-loop steps without thinking of one recorded session
// of Opus 4.6 (marot/spotter, MIT, 4d5611e5), where nine in ten lie within
// 37.3 %: that client added text which its log does not show. Measured on the 26
// such steps of the other sessions of marot/spotter and of
// moredip/session-share (MIT; Opus 4.5 and 4.6, Sonnet 4.5, Haiku 4.5): median
// error 10.3 %, nine in ten within 20.0 %, in sum 99.1 % of the recorded tokens.
// CJK stood in none of them: one token for a character of three bytes is a guess.
//
// Claude47. Claude46 times the published factors of TOK-02: English 1.45, Go
// 1.19 (digits too, which stand mostly in code), JSON 1.31, CJK 1.00; frames
// stay. No step was used for fitting; on the 55 steps without thinking of two
// recorded sessions of Opus 4.8 (entireio/git-sync, MIT): median error 8.4 %,
// nine in ten within 20.9 %, in sum 93.9 %.
//
// Other. Claude46 without a measurement; 300 per mille is a guess.
//
// The error stated is that within which nine steps in ten lay. Single steps are
// small; whole prompts err less.
var families = [...]approx{
	Claude46: {name: "approx-claude-4.6", perFrame: 5_239_000, permille: 200,
		perByte: [llm.NumClasses]int64{llm.Prose: 254_044, llm.Code: 289_300, llm.JSON: 336_900, llm.CJK: 333_333, llm.Digits: 814_100}},
	Claude47: {name: "approx-claude-4.7", perFrame: 5_239_000, permille: 209,
		perByte: [llm.NumClasses]int64{llm.Prose: 368_364, llm.Code: 344_267, llm.JSON: 441_339, llm.CJK: 333_333, llm.Digits: 968_779}},
	Other: {name: "approx-unmeasured", perFrame: 5_239_000, permille: 300,
		perByte: [llm.NumClasses]int64{llm.Prose: 254_044, llm.Code: 289_300, llm.JSON: 336_900, llm.CJK: 333_333, llm.Digits: 814_100}},
}

// Approx is the approximate counter of the model's family.
func Approx(model string) Counter { return Of(FamilyOf(model)) }

// Of is the approximate counter of a family.
func Of(f Family) Counter { return &families[f] }

// Off is how far the approximate counter of the model's family may be off at so
// many tokens.
func Off(model string, tokens int64) int64 { return families[FamilyOf(model)].off(tokens) }

func (a *approx) off(tokens int64) int64 { return (tokens*a.permille + 999) / 1000 }

// Name is such as approx-claude-4.6.
func (a *approx) Name() string { return a.name }

// Tokens weighs the bytes of each class and the frames, rounded down once.
func (a *approx) Tokens(m llm.Measure) int64 {
	t := int64(m.Frames) * a.perFrame
	for c, n := range m.Bytes {
		t += int64(n) * a.perByte[c]
	}
	return t / 1_000_000
}

// Err is the stated share of Tokens, rounded up.
func (a *approx) Err(m llm.Measure) int64 { return a.off(a.Tokens(m)) }
