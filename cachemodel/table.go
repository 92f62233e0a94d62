package cachemodel

import "agentsim/sim/llm"

// The sources of the rates.
const (
	pricePage  = "platform.claude.com pricing page"
	quotedPage = "platform.claude.com pricing page, as quoted"
	priceList  = "price list of models.dev as published with pi-ai 1.5.2"
	noSource   = "none found"
	fixture    = "a third party's test fixture, in no document"
)

const million = 1_000_000

// dollars makes rates from thousandths of a dollar per million tokens, a unit in
// which every listed rate is whole.
func dollars(input, write5m, write1h, read, output int64) Rates {
	r := func(milli int64) Picodollars { return Picodollars(milli) * perMillion / 1000 }
	return Rates{r(input), r(write5m), r(write1h), r(read), r(output)}
}

// The rates of one line of the price page each.
var (
	fableRates   = dollars(10_000, 12_500, 20_000, 1_000, 50_000)
	fable51Rates = dollars(10_000, 12_500, 20_000, 250, 50_000)
	opusRates    = dollars(5_000, 6_250, 10_000, 500, 25_000)
	opus4Rates   = dollars(15_000, 18_750, 30_000, 1_500, 75_000)
	sonnetRates  = dollars(3_000, 3_750, 6_000, 300, 15_000)
	fastRates    = dollars(10_000, 12_500, 20_000, 1_000, 50_000)
	fast55Rates  = dollars(8_000, 10_000, 16_000, 400, 40_000)
)

// What models take (CACHE-33, CACHE-34). Deferred tools and tool search have no
// list of models, so every model takes them. Messages of role system: the page on
// them, which leaves Sonnet 5 out; Sonnet 5.5 and Haiku 5.5 by its newest copy.
// clear_at, tool changes and inline definitions are parts of such messages, so
// the same models take them.
const (
	search   = llm.FoundTool
	operator = search | llm.OperatorMessage | llm.ClearedMessage | llm.ToolChange | llm.InlineTool
)

// effortRules are those of models with an effort setting, whose default is high.
// Where thinking and effort are rendered is not published (CACHE-31).
var effortRules = llm.SaltRules{ThinkingRenderedFirst: true, DefaultEffort: "high"}

var plainRules = llm.SaltRules{ThinkingRenderedFirst: true}

// profiles is the table. Minimum lengths: prompt-caching page (512 rows of 5.1
// and 5.5 as quoted 2026-10). Hidden tool tokens: tool-use page. Tail tokens: 3
// measured on Sonnet 4.6, taken over for the others. Dates: the deprecations page
// of 2026-10, which gives retirements to the day and first days as "not sooner
// than" a year after them; release notes for Fable 5, Sonnet 5, Opus 4 and Sonnet
// 4. No model has had another price since its first day.
var profiles = []Profile{
	{ID: "claude-fable-5-2", Rates: dollars(8_000, 10_000, 16_000, 200, 40_000), Tail: 3, Window: million, Salts: effortRules,
		Takes: search, PricedByRegion: true,
		Like:  "claude-fable-5-1",
		Found: Established{Rates: true}, Source: priceList, Date: "2026-11-10"},
	{ID: "claude-fable-5-1", Rates: fable51Rates, Minimum: 512, Tail: 3, Window: million, Salts: effortRules,
		Takes: operator | llm.MessageEffort, PricedByRegion: true, BindsThinking: true,
		Like:  "claude-opus-5",
		Found: Established{Rates: true, Minimum: true}, Source: quotedPage, Date: "2026-10-08"},
	{ID: "claude-mythos-5-1", Rates: fable51Rates, Minimum: 512, Tail: 3, Salts: effortRules,
		Takes: operator | llm.MessageEffort, PricedByRegion: true,
		Like:  "claude-fable-5-1",
		Found: Established{Rates: true, Minimum: true}, Source: quotedPage, Date: "2026-10-08"},
	{ID: "claude-fable-5", Rates: fableRates, Minimum: 512, Tail: 3, Window: million, Salts: effortRules,
		Takes: operator, PricedByRegion: true,
		From: "2026-06-09", Like: "claude-opus-5",
		Found: Established{Rates: true, Minimum: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-mythos-5", Rates: fableRates, Minimum: 512, Tail: 3, Salts: effortRules,
		Takes: operator, PricedByRegion: true,
		Like:  "claude-fable-5",
		Found: Established{Rates: true, Minimum: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-mythos-preview", Minimum: 2048, Tail: 3, Salts: effortRules,
		Takes: search, BedrockMinimum: 4096,
		Retired: "2026-06-30",
		Found:   Established{Minimum: true}, Source: noSource},
	{ID: "claude-opus-5-5", Rates: dollars(4_000, 5_000, 8_000, 200, 20_000), Minimum: 512, Tail: 3, Window: million, Salts: effortRules,
		Takes: operator, PricedByRegion: true, Fast: fast55Rates, FastSource: fixture,
		Like:  "claude-opus-5",
		Found: Established{Rates: true, Minimum: true}, Source: quotedPage, Date: "2026-10-08"},
	{ID: "claude-opus-5", Rates: opusRates, Minimum: 512, HiddenAuto: 286, HiddenForced: 406, Tail: 3, Window: million, Salts: effortRules,
		Takes: operator | llm.MessageEffort, PricedByRegion: true, Fast: fastRates, FastSource: pricePage,
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-opus-4-8", Rates: opusRates, Minimum: 1024, HiddenAuto: 290, HiddenForced: 410, Tail: 3, Window: million, Salts: effortRules,
		Takes: operator, PricedByRegion: true, Fast: fastRates, FastSource: pricePage,
		From:  "2026-05-28",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-opus-4-7", Rates: opusRates, Minimum: 2048, HiddenAuto: 675, HiddenForced: 804, Tail: 3, Window: million, Salts: effortRules,
		Takes: search, PricedByRegion: true, BedrockMinimum: 4096,
		From:  "2026-04-16",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-opus-4-6", Rates: opusRates, Minimum: 4096, HiddenAuto: 497, HiddenForced: 589, Tail: 3, Window: million, Salts: effortRules,
		Takes: search, PricedByRegion: true,
		From:  "2026-02-05",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-opus-4-5", Release: "claude-opus-4-5-20251101", Rates: opusRates, Minimum: 4096, HiddenAuto: 496, HiddenForced: 588,
		Tail: 3, Window: 200_000, Salts: effortRules,
		Takes: search,
		From:  "2025-11-24",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-opus-4-1", Release: "claude-opus-4-1-20250805", Rates: opus4Rates, Minimum: 1024, HiddenAuto: 313, HiddenForced: 315,
		Tail: 3, Window: 200_000, StripsThinking: true, Salts: plainRules,
		Takes: search,
		From:  "2025-08-05", Retired: "2026-08-05",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-opus-4", Release: "claude-opus-4-20250514", Aliases: []string{"claude-opus-4-0"}, Rates: opus4Rates, Minimum: 1024,
		Tail: 3, Window: 200_000, StripsThinking: true, Salts: plainRules,
		Takes: search,
		From:  "2025-05-22", Retired: "2026-06-15", Like: "claude-opus-4-1",
		Found: Established{Rates: true, Minimum: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-sonnet-5-5", Rates: dollars(2_000, 2_500, 4_000, 100, 10_000), Minimum: 512, Tail: 3, Window: million, Salts: effortRules,
		Takes: operator, PricedByRegion: true,
		Like:  "claude-sonnet-5",
		Found: Established{Rates: true, Minimum: true}, Source: quotedPage, Date: "2026-10-08"},
	{ID: "claude-sonnet-5", Rates: dollars(2_000, 2_500, 4_000, 200, 10_000), Minimum: 1024, HiddenAuto: 354, HiddenForced: 474,
		Tail: 3, Window: million, Salts: effortRules,
		Takes: search, PricedByRegion: true,
		From:  "2026-06-30",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-sonnet-4-6", Rates: sonnetRates, Minimum: 1024, HiddenAuto: 497, HiddenForced: 589, Tail: 3, Window: million, Salts: effortRules,
		Takes: search, PricedByRegion: true,
		From:  "2026-02-17",
		Found: Established{Rates: true, Minimum: true, Hidden: true, Tail: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-sonnet-4-5", Release: "claude-sonnet-4-5-20250929", Rates: sonnetRates, Minimum: 1024, HiddenAuto: 496, HiddenForced: 588,
		Tail: 3, Window: 200_000, StripsThinking: true, Salts: plainRules,
		Takes: search,
		From:  "2025-09-29", Retired: "2026-11-30",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-sonnet-4", Release: "claude-sonnet-4-20250514", Aliases: []string{"claude-sonnet-4-0"}, Rates: sonnetRates, Minimum: 1024,
		HiddenAuto: 313, HiddenForced: 315, Tail: 3, Window: 200_000, StripsThinking: true, Salts: plainRules,
		Takes: search,
		From:  "2025-05-22", Retired: "2026-06-15",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-haiku-5-5", Rates: dollars(100, 125, 200, 10, 500), Above: dollars(500, 625, 1_000, 50, 2_500), LongPrompt: 100_000,
		Minimum: 512, Tail: 3, Window: million, Salts: effortRules,
		Takes: operator, PricedByRegion: true,
		Like:  "claude-sonnet-5",
		Found: Established{Rates: true, Minimum: true}, Source: quotedPage, Date: "2026-10-08"},
	{ID: "claude-haiku-4-5", Release: "claude-haiku-4-5-20251001", Rates: dollars(1_000, 1_250, 2_000, 100, 5_000), Minimum: 4096,
		HiddenAuto: 496, HiddenForced: 588, Tail: 3, Window: 200_000, StripsThinking: true, Salts: plainRules,
		Takes: search,
		From:  "2025-10-15",
		Found: Established{Rates: true, Minimum: true, Hidden: true}, Source: pricePage, Date: "2026-08-01"},
	{ID: "claude-haiku-3-5", Release: "claude-3-5-haiku-20241022", Minimum: 2048, Tail: 3, Window: 200_000, StripsThinking: true,
		Salts: plainRules,
		Takes: search, LimitsReads: true, From: "2024-10-22", Retired: "2026-02-19",
		Found: Established{Minimum: true}, Source: noSource},
}
