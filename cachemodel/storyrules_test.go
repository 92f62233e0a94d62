package cachemodel_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/cachemodel"
)

// engineOptions reads the options of an engine:
//
//	[capped] [lag=PPM window=T] [collapse=PPM [nothing]] [batch [hits=PPM]] [account=DAY]
func engineOptions(t *testing.T, d *datadriven.TestData, opt *cachemodel.AnthropicOptions) {
	var window string
	opt.CheckpointsCapped, opt.Batch = d.HasArg("capped"), d.HasArg("batch")
	opt.CollapseNoise.ToNothing = d.HasArg("nothing")
	d.MaybeScanArgs(t, "lag", &opt.VisibilityLag.Share)
	d.MaybeScanArgs(t, "collapse", &opt.CollapseNoise.Share)
	d.MaybeScanArgs(t, "hits", &opt.BatchHits)
	d.MaybeScanArgs(t, "account", &opt.AccountCreated)
	if d.MaybeScanArgs(t, "window", &window) {
		opt.VisibilityLag.Window = duration(t, window)
	}
}

// platform moves the model to a platform.
func (s *story) platform(d *datadriven.TestData) {
	var name string
	if !d.MaybeScanArgs(s.t, "on", &name) {
		return
	}
	p, err := cachemodel.PlatformNamed(name)
	if err != nil {
		s.t.Fatal(err)
	}
	s.profile = s.profile.On(p)
}

// pass makes one more pass of a request whose prompt now ends with the chain.
func (s *story) pass(d *datadriven.TestData) string {
	r, c := s.requests[d.CmdArgs[0].Key], s.chains[d.CmdArgs[1].Key]
	u := s.engine.(cachemodel.Passer).Pass(at(s.t, d), &r.adm, c.head)
	return fmt.Sprintf("input=%d 5m=%d 1h=%d read=%d", u.Input, u.Write5m, u.Write1h, u.Read)
}
