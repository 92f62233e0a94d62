# agentsim: what can be done with this tree. `make` prints this list.

GO ?= go

.PHONY: help build run test vet format lint unit race fresh conformance mutants bench fuzz

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

build: ## build ./agentsim
	$(GO) build -o agentsim ./cmd/agentsim

run: build ## build and run fork-vs-subagent on its own project
	./agentsim run fork-vs-subagent

test: format vet lint unit race mutants fresh ## everything that has to pass, as CI runs it

format: ## check that gofmt would change nothing
	@out=$$(gofmt -l cachemodel cmd metrics mockllm scenarios sim); test -z "$$out" || { echo "run gofmt -w on:"; echo "$$out"; exit 1; }

vet: ## go vet
	$(GO) vet ./...

lint: ## staticcheck, at the version that go.mod names
	$(GO) tool staticcheck ./...

unit: ## all tests
	$(GO) test ./...

race: ## the race detector, on what runs outside the simulated thread
	$(GO) test -race -short ./cmd/... ./sim/transcript/sqlite/...

fresh: ## check that CONFORMANCE.md is up to date
	$(GO) run ./cmd/internal/conformance -check

conformance: ## write CONFORMANCE.md
	$(GO) run ./cmd/internal/conformance

mutants: ## break each behaviour on purpose and see that the auditor notices
	$(GO) run -tags mutants ./cmd/internal/mutants
	$(GO) test -tags mutants -run '^TestBreak$$' ./cmd/internal/cli

bench: ## all benchmarks, each beside the bare loop measured in the same run
	$(GO) test -run '^$$' -bench . -benchmem ./...

# A fuzz target runs alone: one `go test -fuzz` for each.
FUZZTIME ?= 10s

fuzz: ## every fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$$file"); do \
			echo "$$(dirname "$$file") $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" </dev/null || exit 1; \
		done; \
	done
