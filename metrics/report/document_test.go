package report

import (
	"bytes"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/sim/vtime"
)

type drawn struct {
	name   string
	read   int64
	cost   int64
	time   vtime.Duration
	priced bool
}

var allDrawn = []drawn{
	{"inline", 2_790_000, 1_600_000_000_000, 9*vtime.Minute + 12*vtime.Second, true},
	{"a fork of the lead", 1_100, 1_910_000_000_000, 45 * vtime.Second, true},
	{"subagent", 301_000, 0, 151 * vtime.Second, false},
}

func sampleDocument() *Document {
	d := &Document{}
	d.Field("scenario", Text("demo"))
	d.Table(TableOf("variants", allDrawn,
		Column[drawn]{Name: "variant", Head: "VARIANT", Of: func(s drawn) Value { return Text(s.name) }},
		Column[drawn]{Name: "tokens_read", Head: " CACHE READ", Of: func(s drawn) Value { return Tokens(s.read) }, Drop: 2},
		Column[drawn]{Name: "hit_ratio", Head: " HIT RATE", Of: func(s drawn) Value { return Share(s.read, 3_000_000) }, Drop: 1},
		Column[drawn]{Name: "cost", Head: " COST", Unit: USD, Of: func(s drawn) Value { return Dollars(cachemodel.Picodollars(s.cost)).If(s.priced) }},
		Column[drawn]{Name: "time", Head: " TIME", Unit: Seconds, Of: func(s drawn) Value { return Duration(s.time) }},
		Column[drawn]{Name: "calls", Of: func(s drawn) Value { return Nested([]int{1}) }},
	))
	d.Label("why", "forks read the prefix of their lead on every turn")
	return d
}

// forms are what the document is in each form.
var forms = map[string]string{
	"table": `
VARIANT             CACHE READ  HIT RATE   COST   TIME
inline               2,790.0 k    93.0 %  $1.60  9m12s
a fork of the lead       1.1 k     0.0 %  $1.91  0m45s
subagent               301.0 k    10.0 %      –  2m31s
why          forks read the prefix of their lead on every turn
`,
	"json": `
{
  "scenario": "demo",
  "variants": [
    {
      "variant": "inline",
      "tokens_read": 2790000,
      "hit_ratio": 0.930000,
      "cost_usd": 1.6,
      "cost_picodollars": 1600000000000,
      "time_s": 552,
      "time_ns": 552000000000,
      "calls": [
        1
      ]
    },
    {
      "variant": "a fork of the lead",
      "tokens_read": 1100,
      "hit_ratio": 0.000367,
      "cost_usd": 1.91,
      "cost_picodollars": 1910000000000,
      "time_s": 45,
      "time_ns": 45000000000,
      "calls": [
        1
      ]
    },
    {
      "variant": "subagent",
      "tokens_read": 301000,
      "hit_ratio": 0.100333,
      "time_s": 151,
      "time_ns": 151000000000,
      "calls": [
        1
      ]
    }
  ]
}
`,
	"csv": `
variant,tokens_read,hit_ratio,cost_usd,cost_picodollars,time_s,time_ns,calls
inline,2790000,0.930000,1.6,1600000000000,552,552000000000,[1]
a fork of the lead,1100,0.000367,1.91,1910000000000,45,45000000000,[1]
subagent,301000,0.100333,,,151,151000000000,[1]
`,
	"ndjson": `
{"variant":"inline","tokens_read":2790000,"hit_ratio":0.930000,"cost_usd":1.6,"cost_picodollars":1600000000000,"time_s":552,"time_ns":552000000000,"calls":[1]}
{"variant":"a fork of the lead","tokens_read":1100,"hit_ratio":0.000367,"cost_usd":1.91,"cost_picodollars":1910000000000,"time_s":45,"time_ns":45000000000,"calls":[1]}
{"variant":"subagent","tokens_read":301000,"hit_ratio":0.100333,"time_s":151,"time_ns":151000000000,"calls":[1]}
`,
	"markdown": `
| VARIANT | CACHE READ | HIT RATE | COST | TIME |
| --- | ---: | ---: | ---: | ---: |
| inline | 2,790.0 k | 93.0 % | $1.60 | 9m12s |
| a fork of the lead | 1.1 k | 0.0 % | $1.91 | 0m45s |
| subagent | 301.0 k | 10.0 % | – | 2m31s |

- why: forks read the prefix of their lead on every turn
`,
}

func TestDocument(t *testing.T) {
	for form, want := range forms {
		t.Run("EXPT-06 TTY-02 as "+form, func(t *testing.T) {
			wants(t, form, 0, want)
		})
	}
	t.Run("TTY-01 a narrow terminal drops columns and says which", func(t *testing.T) {
		wants(t, "table", 40, `
                       HIT
VARIANT               RATE   COST   TIME
inline              93.0 %  $1.60  9m12s
a fork of the lead   0.0 %  $1.91  0m45s
subagent            10.0 %      –  2m31s
not shown at 40 columns: CACHE READ (a
wider terminal or -o csv shows them)
why          forks read the prefix of
             their lead on every turn
`)
	})
}

func wants(t *testing.T, form string, width int, want string) {
	t.Helper()
	var out bytes.Buffer
	if err := sampleDocument().Write(&out, form, Style{Width: width}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != strings.TrimPrefix(want, "\n") {
		t.Errorf("got\n%s\nwant%s", got, want)
	}
}
