# agentsim: what can be done with this tree. `make` prints this list.

GO ?= go

.PHONY: help build run test quick accept vet format lint unit proofs outside browser mutants cluster bench week fuzz dist alone

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

build: ## build ./agentsim
	$(GO) build -o agentsim ./cmd/agentsim

run: build ## build and run fork-vs-subagent on its own project
	./agentsim run fork-vs-subagent

test: format vet lint unit browser ## everything that has to pass, as CI runs it
	@$(MAKE) --no-print-directory -j2 cluster mutants outside CI=true # a cluster waits for most of its time

quick: format ## what a change can break, in under a minute: short tests of what differs from main and of what imports it
	@GO="$(GO)" .ci/quick

accept: ## rewrite every file that holds what the program gives: stories, digests, baseline, README, guides and pictures
	$(GO) test ./scenarios -run TestJSONSchema -rewrite-schema
	$(GO) test ./sim/transcript/sqlite -run TestSchema -rewrite-schema
	$(GO) test ./sim/recording/profile -run 'TestConformance/.*is_in_the_binary_as' -rewrite-shipped
	$(GO) test ./sim -run 'Test(DigestsOnRecord|LibraryPage)$$' -rewrite-digests -rewrite-library
	$(GO) test $$(grep -rl cockroachdb/datadriven --include='*_test.go' . | xargs -n1 dirname | sort -u) -rewrite
	$(GO) run ./cmd/agentsim bench --baseline testdata/bench/library.baseline --update
	UPDATE_SCRIPTS=1 $(GO) test ./cmd/internal/cli -run 'Test(Scripts|Readme|Fields|LintRecorded|Validation|Realism)$$' -rewrite-readme -rewrite-fields -rewrite-lint -rewrite-validation

format: ## check that gofmt would change nothing
	@out=$$(gofmt -l cachemodel cmd metrics mockllm scenarios sim testdata); test -z "$$out" || { echo "run gofmt -w on:"; echo "$$out"; exit 1; }

vet: ## go vet
	$(GO) vet ./...

lint: ## staticcheck, at the version that go.mod names
	$(GO) tool staticcheck ./...

# Every test runs once: what runs on several goroutines (its name says Concurrent)
# under the race detector, all else without it. make vet has vetted them. The race
# detector has SQLite compiled once more: not optimized, that takes half as long.
# Properties draw the same cases each time; RAPID_SEED=0 draws new ones.
export RAPID_SEED ?= 20261124
# More memory for less processor time: the tests of sim take a sixth less than with the
# 400 that the program itself has, for 300 MB in place of 120.
export GOGC ?= 1600
export GOMEMLIMIT ?= 2GiB
CONCURRENT = $$(grep -rlE '^func TestConcurrent' --include='*_test.go' . | xargs -n1 dirname | sort -u)
TESTS = { $(GO) test -vet=off -timeout 30m -json -skip '^TestConcurrent' ./...; CGO_CFLAGS=-O0 $(GO) test -vet=off -json -race -run '^TestConcurrent' $(CONCURRENT); }
STATEMENTS = $(GO) run ./cmd/internal/statements -mutants sim/audit/testdata/mutants.json

unit: ## all tests, once each; what they prove is what STATEMENTS.md says
	$(TESTS) | $(STATEMENTS) -check STATEMENTS.md

proofs: ## all tests, and a list of which of them prove what
	$(TESTS) | $(STATEMENTS) -tests

# Modules of their own, so that the program depends on none of what they need. They
# take the program that make build has built.
APART = cd testdata/$@ && if $(GO) list -deps -test ./... >/dev/null 2>&1; then $(GO) vet ./... && AGENTSIM_PROGRAM=$(CURDIR)/agentsim $(GO) test -vet=off -count=1 -timeout 90m -json ./... | (cd $(CURDIR) && $(STATEMENTS) -apart $@ -check STATEMENTS.md); \
	else echo "skipped: the modules that testdata/$@ needs are not there and cannot be fetched"; fi

outside: build ## this program against what others wrote: the vendor's SDK, MCP servers, SARIF's schema, Perfetto's messages
	@$(APART)

browser: build ## the HTML report in a headless Chromium
	@if for name in chromium chromium-browser google-chrome; do command -v $$name; done | grep -q .; then $(APART); \
	else echo "skipped: there is no Chromium"; fi

RUNS ?= 100000
KILLS ?= 50

cluster: build ## workers over NATS servers, both killed: first as CI does it, then KILLS (50) times over RUNS (100000); and what workers reach beside empty loops
	@$(APART)
	@test -n "$(CI)" || { cd testdata/cluster && RUNS=$(RUNS) KILLS=$(KILLS) MEASURE=1 AGENTSIM_PROGRAM=$(CURDIR)/agentsim $(GO) test -vet=off -count=1 -timeout 90m -v -run 'TestMeasure|TestCluster/CLU-03_CLU-01' .; }

mutants: ## break each behaviour on purpose and see that the auditor notices
	$(GO) run ./cmd/internal/mutants

# Of Linux a program that needs no library of the machine, for this processor and, where
# there is a C compiler for it, for arm64. Of macOS, for want of a C compiler for it, one
# that does all but record. What it is made of is written beside it with each licence.
MODULES = $(GO) list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/agentsim | sort -u
STATIC = CGO_ENABLED=1 GOOS=linux $(GO) build -trimpath -tags netgo,osusergo,sqlite_omit_load_extension -ldflags '-s -w -linkmode external -extldflags -static'

# The C library is in programs for Linux. Where glibc's licence is depends on the distribution.
GLIBC = $(dir $(firstword $(wildcard /usr/share/common-licenses/LGPL-2.1 /usr/share/licenses/glibc/COPYING.LIB)))

define LICENCES
cp LICENSE NOTICE dist
@test -n "$(GLIBC)" || echo "the C library's licence is not on this machine: put it beside dist/LICENCES.txt" >&2
@{ echo "Go $$($(GO) env GOVERSION) $$($(GO) env GOROOT)"; test -z "$(GLIBC)" || echo "glibc LGPL-2.1-or-later $(GLIBC)"; $(MODULES); } | \
while read -r path version dir; do \
	set -- "$$dir"/LICEN[CS]E* "$$dir"/COPYING* "$$dir"/LGPL-2.1 "$$dir"/licenses/ftl.txt "$$dir"/THIRD_PARTY_LICENSES/*; \
	for file; do test -f "$$file" && { echo "== $$path $$version: $${file##*/}"; cat "$$file"; echo; found=$$path; }; done; \
	test "$$found" = "$$path" || { echo "$$path has no licence" >&2; exit 1; }; \
done > dist/LICENCES.txt
endef

alone: ## dist/agentsim: a program for Linux on this processor that needs no library, and the licences of what is in it
	rm -rf dist && mkdir dist
	$(STATIC) -o dist/agentsim ./cmd/agentsim
	$(LICENCES)

dist: ## dist/: programs for Linux and, without the record, macOS, their checksums, and the licences of what is in them
	rm -rf dist && mkdir dist
	GOARCH=amd64 $(STATIC) -o dist/agentsim-linux-amd64 ./cmd/agentsim
	if command -v aarch64-linux-gnu-gcc; then GOARCH=arm64 CC=aarch64-linux-gnu-gcc $(STATIC) -o dist/agentsim-linux-arm64 ./cmd/agentsim; fi
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build -trimpath -ldflags '-s -w' -o dist/agentsim-darwin-arm64-norecord ./cmd/agentsim
	$(LICENCES)
	cd dist && sha256sum agentsim-* LICENCES.txt > SHA256SUMS

bench: ## all benchmarks; what bars are set for is measured beside its reference in the same run
	$(GO) test -run '^$$' -bench . -benchmem ./...

SESSIONS ?= 340_000
RECORDED ?= 3_400

week: build ## 34 million Explore sub-agents, one by one (SESSIONS=3_400 for a hundredth), how fast, and what they come to in a week; then RECORDED sessions of recorded sizes, and the week from these
	GOGC= GOMEMLIMIT= ./agentsim run testdata/week/week.yaml --set population.sessions=$(SESSIONS)
	GOGC= GOMEMLIMIT= ./agentsim run testdata/week/week.yaml --set population.sessions=$(RECORDED) --profile recorded-2026-11

# A fuzz target runs alone: one `go test -fuzz` for each.
FUZZTIME ?= 10s

fuzz: ## every fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$$file"); do \
			echo "$$(dirname "$$file") $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" </dev/null || exit 1; \
		done; \
	done
