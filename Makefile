# idem: see README.md. `make help` lists the targets.
GO ?= go
export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help
.PHONY: help build test race fuzz proof soak bench lint api-run check cover clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the program into ./bin/idem
	$(GO) build -trimpath -o bin/idem .

test: ## set up what the tests need and run all of them
	bash scripts/test.sh

race: ## the tests of the engine, the stores and the replay under the race detector
	CGO_ENABLED=1 $(GO) test -race ./engine/... ./analysis/...

FUZZTIME ?= 30s
fuzz: ## run every fuzz target for FUZZTIME each (default 30s)
	GO="$(GO)" FUZZTIME=$(FUZZTIME) bash scripts/fuzz.sh

proof: ## audit, small world, simulation, model, kills, power cuts, mutants: every promise attacked, in minutes
	bash scripts/proof.sh

soak: ## simulation, power cuts, kills and random histories by seed for SOAK_HOURS (default 8)
	bash scripts/soak.sh

bench: ## measure against peers in one run; prints the README's table
	GO="$(GO)" bash bench/run.sh

lint: ## golangci-lint with the rules of .golangci.yml
	golangci-lint run ./...

api-run: ## serve the payment API on 127.0.0.1:8080, in memory
	$(GO) run . serve

check: test lint ## what a change must pass

clean: ## remove what make built
	rm -rf bin
