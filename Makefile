# Every recipe is one bash that stops at the first failure, also inside a pipe, and at a variable that is not set.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --warn-undefined-variables
.DEFAULT_GOAL := help

BUILD := .build
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
APP := sluice.example/shared/app
LDFLAGS := -X $(APP).Version=$(VERSION) -X $(APP).Commit=$(COMMIT)

# The race detector is linked by a C compiler. Without one the tests run all the same: they need Go, nothing else.
RACE ?= $(if $(shell command -v cc gcc clang 2>/dev/null),-race)
# Packages that have a test on real services, by the first line of the file.
REAL = $(sort $(dir $(shell grep -rl --include='*_test.go' '^//go:build real$$' functions shared local tests 2>/dev/null)))
# Partitions that live one to two seconds: a storm of splits and merges.
SPANNER_FLAGS ?= -override_change_stream_partition_token_alive_seconds=1
SEED ?= 1
ARGS ?=

EMULATORS := $(BUILD)/tools/emulators
STATICCHECK := $(BUILD)/tools/staticcheck
# Runs what follows on services of its own, which it stops however that ends.
WITH_SERVICES = $(EMULATORS) -spanner-flags '$(SPANNER_FLAGS)'

.PHONY: help
help: ## what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## bin/sluice, the whole product in one program
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/sluice ./local

.PHONY: run
run: build ## the product on embedded stand-ins with a demo, REST on localhost:8083 (ARGS="worker.properties ...")
	exec bin/sluice run $(ARGS)

.PHONY: test
test: ## all tests that need Go alone; with the race detector where there is a C compiler
	go test $(RACE) ./functions/... ./local/... ./shared/...
	go test ./tests/...

.PHONY: real
real: $(EMULATORS) ## the tests on a real broker and the real emulators, which it starts and stops
	$(WITH_SERVICES) -dir $(BUILD)/real with -- go test -tags real -count=1 -p 1 -timeout 30m $(addprefix ./,$(REAL)) $(ARGS)

.PHONY: bench
bench: build $(EMULATORS) ## rates, latencies, start-up and memory beside the raw limits
	$(WITH_SERVICES) -dir $(BUILD)/bench with -- go test -tags real -count=1 -timeout 20m -v -run '^$$' -bench . -benchtime 1x ./tests/bench $(ARGS)

.PHONY: sim
sim: ## one run of the simulation, told by SEED=n; the same seed is the same run
	SEED=$(SEED) go test -count=1 -v ./tests/simulation $(ARGS)

.PHONY: lint
lint: $(STATICCHECK) ## gofmt, go vet and staticcheck, also of the tests on real services
	@unformatted=$$(gofmt -l functions infra local shared tests); \
	if [ -n "$$unformatted" ]; then echo "not in gofmt's form, run make fmt:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go vet -tags real ./...
	$(STATICCHECK) -tags real ./...

.PHONY: fmt
fmt: ## write every Go file in gofmt's form
	gofmt -w functions infra local shared tests

.PHONY: dist-check
dist-check: ## both platforms' programs, as they would be deployed, for linux on amd64 and arm64
	for arch in amd64 arm64; do \
		export CGO_ENABLED=0 GOOS=linux GOARCH=$$arch; \
		go build -trimpath -tags lambda.norpc -ldflags '-s -w $(LDFLAGS)' -o $(BUILD)/dist/aws-$$arch/bootstrap ./functions/aws; \
		go build -trimpath -ldflags '-s -w $(LDFLAGS)' -o $(BUILD)/dist/gcp-$$arch/main ./functions/gcp/cmd; \
	done
	@ls -l $(BUILD)/dist/*/*

.PHONY: clean
clean: ## remove what was built; services of a set that still runs are stopped first
	@for set in real bench side-a side-b emulators; do \
		if [ -d "$(BUILD)/$$set" ]; then go run ./local/emulators/ctl -dir "$(BUILD)/$$set" stop; fi; \
	done
	rm -rf bin dist $(BUILD)

$(EMULATORS): $(wildcard local/emulators/*.go local/emulators/ctl/*.go local/emulators/*.xml)
	go build -o $@ ./local/emulators/ctl

# Built by its own module at the version that tests/tools/go.sum pins.
$(STATICCHECK): tests/tools/go.mod tests/tools/go.sum
	go build -C tests/tools -o "$(CURDIR)/$@" honnef.co/go/tools/cmd/staticcheck
