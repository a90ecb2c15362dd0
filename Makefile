# Everything runs in a virtual environment of the project's own. PYTHON names the interpreter it is
# made with, make VENV=... another place for it, and make CONSTRAINTS=build/lowest.txt installs the
# lowest versions of the dependencies.
PYTHON ?= python3
CONSTRAINTS := constraints.txt
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Bytecode is written for what is imported: that of all packages is 150 MB, and takes long.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c $(CONSTRAINTS)

.PHONY: help quickstart test test-slow lint docs benchmark reproduce-all tables audits reference dist clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-14s %s\n", $$1, $$2}' Makefile

quickstart: $(VENV)/run ## the rows of Table 1 whose data need no download
	$(BIN)/quadrepro run configs/quickstart.yaml --jobs $(JOBS)

test: $(VENV)/dev ## the test suite, except for slow tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow"

test-slow: $(VENV)/dev ## browsers, LaTeX, Dask, other processors, whole runs and the examples of the docs
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m slow

lint: $(VENV)/dev ## ruff, mypy and the layers of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

docs: $(VENV)/dev ## the documentation site, in build/site; a link that leads nowhere is an error
	@rm -rf build/pages && mkdir -p build && cp -R results build/pages && rm -rf build/pages/records
	$(BIN)/quadrepro table --all --out build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

benchmark: $(VENV)/dev ## ratios against numpy, scikit-learn and scipy, measured in one run
	$(BIN)/python -m pytest benchmarks --benchmark-only --benchmark-disable-gc -q -s \
		--table docs/benchmarks.md

reproduce-all: $(VENV)/run ## every config, with all pages; data from $QUADREPRO_DATA
	$(BIN)/quadrepro run configs/*.yaml --jobs $(JOBS) --no-report --out results
	$(BIN)/quadrepro table --all --out results

tables: $(VENV)/run ## all tables, figures and pages again, from computed cells
	printf '%s\n' configs/*.yaml | xargs -n 4 -P $(JOBS) $(BIN)/quadrepro table --out results
	$(BIN)/quadrepro table --all --out results

audits: $(VENV)/run ## arithmetic checks of each paper's printed tables
	@set -e; for paper in quadrepro/papers/*/paper.yaml; do \
		name=$$(basename $$(dirname $$paper)); \
		$(BIN)/quadrepro audit $$name > results/audits/$$name.md; \
	done

reference: $(VENV)/run ## the page of the keys of a config
	$(BIN)/quadrepro list keys --markdown > docs/config-reference.md

dist: $(VENV)/dev ## the wheel and the sdist, in dist
	$(BIN)/python -m build

clean: ## remove the environment and everything that was built
	rm -rf $(VENV) build dist

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

build/lowest.txt: pyproject.toml
	@mkdir -p $(@D)
	sed -n '/^dependencies/,/^]/s/^ *"\(.*\)>=\(.*\)",$$/\1==\2/p' pyproject.toml > $@

$(VENV)/run $(VENV)/dev: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	$(INSTALL) -e '.$(if $(filter dev,$(@F)),[dev])'
	touch $@
