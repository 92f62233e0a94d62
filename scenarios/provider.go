package scenarios

import (
	"cmp"
	"strings"

	"agentsim/cachemodel"
	"agentsim/mockllm"
	"agentsim/scenarios/document"
)

// Limits are the rate limits in force.
func (p *Provider) Limits() mockllm.RateLimits {
	if p.RateLimits == nil {
		return mockllm.RateLimits{}
	}
	return *p.RateLimits
}

// CollapseNoise is a share of requests, in parts per million, that read no
// further than their first breakpoint, or nothing (IMP-09).
type CollapseNoise struct {
	Share int64  `yaml:"share"`
	To    string `yaml:"to"` // first-breakpoint (default) or nothing
}

// Tariff is what stands over the list prices.
func (p *Provider) Tariff() cachemodel.Tariff {
	return cachemodel.Tariff{Batch: p.Batch, US: p.InferenceGeo == "us", Fast: p.Speed == "fast"}
}

// PricedOn is the day whose prices hold: prices_on, else the newest that is known.
func (p *Provider) PricedOn() string {
	return cmp.Or(p.PricesOn, max(cachemodel.Newest(), p.Prices.newest()))
}

// CountsHidden reports whether tools add the hidden tokens of the model.
func (p *Provider) CountsHidden() bool { return p.HiddenTokens == nil || *p.HiddenTokens }

// Priced is a model's profile on the scenario's platform, on its day and under
// its tariff. The error is an unknown model, a day without a price or a tariff
// that the model does not have.
func (p *Provider) Priced(id string) (*cachemodel.Profile, error) {
	row, err := p.Listed(id)
	if err != nil {
		return nil, err
	}
	at, err := cachemodel.PlatformNamed(p.Platform)
	if err != nil {
		return nil, err
	}
	return row.On(at).Under(p.Tariff())
}

// Scope is the workspace part of a cache key's scope on the platform.
func (p *Provider) Scope(workspace string) string {
	at, err := cachemodel.PlatformNamed(p.Platform)
	if err != nil {
		return workspace
	}
	return at.Workspace(workspace)
}

// place checks where and at which prices models run. A default that is written
// out means the same as one that is left out.
func (c *checker) place() {
	p := &c.s.Provider
	for _, d := range []struct {
		value *string
		is    string
	}{{&p.Platform, cachemodel.ClaudeAPI.String()}, {&p.InferenceGeo, "global"}, {&p.Speed, "standard"}} {
		if *d.value == d.is {
			*d.value = ""
		}
	}
	if p.Batch && p.Speed == "fast" {
		c.bad("provider.speed", "leave out speed or batch", "fast mode and batch exclude each other")
	}
	for _, d := range []struct{ key, day string }{{"account_created", p.AccountCreated}, {"prices_on", p.PricesOn}} {
		if d.day != "" && !isDate(d.day) {
			c.bad("provider."+d.key, "such as 2026-08-31", "bad date %q in %s", d.day, d.key)
		}
	}
	if c.Given("provider.plan_limit_at") && p.PlanLimitAt == 0 {
		c.bad("provider.plan_limit_at", "an instant of the run, such as 10m, or ttl: 5m", "plan_limit_at 0s: nothing would ever be written for an hour")
	}
	if l := p.RateLimits; l != nil {
		c.rateLimits(l)
	}
}

func (c *checker) rateLimits(l *mockllm.RateLimits) {
	const at = "provider.rate_limits"
	if *l == (mockllm.RateLimits{}) {
		c.bad(at, "such as {requests: {most: 50, refill: 1200ms}}", "rate_limits limits nothing: give requests, input or output")
	}
	for _, r := range []struct {
		name string
		rate *mockllm.Rate
	}{{"requests", l.Requests}, {"input", l.Input}, {"output", l.Output}} {
		if r.rate == nil {
			continue
		}
		at := at + "." + r.name
		if r.rate.Most <= 0 {
			c.bad(at, "such as {most: 50, refill: 1200ms}", "%s needs most: how many at once, greater than zero", r.name)
		}
		if r.rate.Refill <= 0 {
			c.bad(at, "1200ms is 50 a minute", "%s needs a refill: the time in which one comes back", r.name)
		}
		if r.rate.Refill > 0 && r.rate.Most > int64(document.MaxDuration/r.rate.Refill) {
			c.bad(at, "", "%s takes more than %v to fill up", r.name, document.MaxDuration)
		}
	}
}

// noise checks the options of a server that disturbs requests.
func (c *checker) noise() {
	const at = "provider.options."
	o := &c.s.Provider.Options
	if l := o.VisibilityLag; l != nil {
		c.share(at+"visibility_lag.share", l.Share)
		if l.Window == 0 {
			c.bad(at+"visibility_lag", "such as {share: 60_000, window: 30s}", "visibility_lag needs a window: how long a write may go unseen")
		}
	}
	if n := o.CollapseNoise; n != nil {
		c.share(at+"collapse_noise.share", n.Share)
		if n.To == "" {
			n.To = "first-breakpoint"
		}
	}
	if o.BatchHits != nil {
		c.share(at+"batch_hits", *o.BatchHits)
		if !c.s.Provider.Batch {
			c.bad(at+"batch_hits", "provider.batch: true", "batch_hits without batch")
		}
	}
}

func (c *checker) share(path string, ppm int64) {
	if ppm > cachemodel.Million {
		c.bad(path, "60_000 is 6 %", "%s is a share in parts per million, at most 1,000,000", path[strings.LastIndexByte(path, '.')+1:])
	}
}
