# lasing: everything is set up by these targets, into .venv, on a machine with Python 3.11+ and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test check fuzz fuzz-input campaign bench benchmarks docs golden lock audit clean

help:    ## list the targets
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

demo: $(READY)    ## run the demo: a day of a city of sensors, on Spark
	$(BIN)/python examples/city/demo.py

test: $(READY)    ## run all tests
	$(BIN)/python -m pytest -n 2 --dist loadgroup

check: $(READY)    ## lint, types, layers, unit tests and conformance: under two minutes
	@$(BIN)/python -c 'from lasing.engine_choice import load_kernels; load_kernels()' & compiling=$$!; \
	$(BIN)/mypy; types=$$?; wait $$compiling && exit $$types  # kernels compile on one core, types are checked on the other
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -n 2 tests/unit tests/conformance

docs: $(READY)    ## build the documentation as a site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

fuzz: $(READY)    ## compare the engines on thousands of random programs: for a night
	HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -n 2 --dist loadgroup tests/differential tests/spark/test_kills.py

fuzz-input: $(READY)    ## feed 100,000 damaged inputs to everything that takes any
	$(BIN)/python -m tests.fuzz

campaign: $(READY)    ## kill pipelines, break what is around them, and soak; OPTIONS="--kills 20 --soak 1000000"
	$(BIN)/python -m tests.campaign $(OPTIONS)

bench: $(READY)    ## measure, as ratios to a baseline in the same run
	$(BIN)/lasing bench

benchmarks: $(READY)    ## measure everything, and write docs/benchmarks.md with its pictures
	$(BIN)/lasing bench --out docs/benchmarks.md

golden: $(READY)    ## rewrite the golden files; then read the diff
	$(BIN)/python -m pytest tests/golden --rewrite-golden

lock: $(READY)    ## update the locked versions of the dependencies
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --upgrade --no-header --no-annotate --quiet -o requirements.lock

audit: $(READY)    ## look up the locked dependencies in the databases of known vulnerabilities
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv tool run pip-audit --strict --no-deps --disable-pip -r requirements.lock

clean:    ## remove what the targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .import_linter_cache site

# The environment: made once, and again whenever a dependency changes.
$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "lasing needs Python 3.11 or newer; name one: make PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $(READY)
