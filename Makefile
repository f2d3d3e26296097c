# The two commands of the README are `make demo` and `make test`; each needs only Python 3.11+ and make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= runs/demo
# 48 of the 60 starter pairs, eight from each source: about 4 minutes on 2 cores. `make demo LIMIT=60` judges them all.
LIMIT ?= 48
# Processes that share the tests; a file's tests stay together. `make test JOBS=0` runs them in one.
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test bench clean

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "evenhand needs Python 3.11 or newer; this is %d.%d: set PYTHON=" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-test: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed ## audit the embedded judge on the starter pairs and write the report
	$(BIN)/evenhand audit --judge llamacpp:smollm2-135m --pairs starter --limit $(LIMIT) --repeat 8 \
		--max-tokens 200 --retry-tokens 400 --brief --out $(OUT)

test: $(VENV)/.installed-test ## everything that CI runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile

$(VENV)/.installed-bench: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@touch $@

bench: $(VENV)/.installed-test $(VENV)/.installed-bench ## the benchmarks, with ratios (about 40 minutes on an idle machine)
	$(BIN)/python benchmarks/bootstrap.py
	$(BIN)/python benchmarks/probes.py
	$(BIN)/python benchmarks/judging.py
	$(BIN)/python benchmarks/engines.py

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
