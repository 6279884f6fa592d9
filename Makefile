# `make bench` and `make test` need Python 3.11 or newer with pip, and a package index; nothing else.
PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin/python
CORE   := $(VENV)/.core
TEST   := $(VENV)/.test
NAME   ?= bench
MODEL  ?= scripted
STRATEGY ?= window
ARGS   ?=

.DEFAULT_GOAL := help
.PHONY: help bench smoke test check reference-check report perf calibrate calibrate-retrieval regress tune learn learn-report shortcuts sensitivity docs lock clean

help: ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 21

bench: $(CORE) ## compare the strategies on the generated families: tables, results/bench, curves
	$(RUN) -m harness -m experiment=bench $(ARGS)

smoke: $(CORE) ## the same, tiny: does everything run?
	$(RUN) -m harness -m experiment=smoke $(ARGS)

test: $(TEST) ## all tests; no network, key or GPU
	$(RUN) -m pytest $(ARGS)

check: $(TEST) ## ruff and mypy
	$(RUN) -m ruff check .
	$(RUN) -m mypy

reference-check: $(CORE) ## are the tables of results/reference what their commands make? (as long as bench; ARGS=smoke: seconds)
	$(RUN) -m harness.reference $(ARGS)

report: $(CORE) ## print again what a sweep recorded, and results/NAME/report.html: make report NAME=bench
	$(RUN) -m harness.summary results/$(NAME)
	$(RUN) -m harness.report.page results/$(NAME)

perf: $(CORE) ## what the harness itself costs a step
	$(RUN) -m harness.perf $(ARGS)

calibrate: $(CORE) ## fit the reader's dials to a model: make calibrate MODEL=scripted ARGS="reader=realistic"
	$(RUN) -m harness.calibrate model=$(MODEL) $(ARGS)

calibrate-retrieval: $(CORE) ## recall and precision of the embedder over thresholds
	$(RUN) -m harness.recall task=pipeline $(ARGS)
	$(RUN) -m harness.recall task=graph $(ARGS)

regress: $(CORE) ## the fixed long case against the saved curve: make regress STRATEGY=window [ARGS=--save]
	$(RUN) -m harness.regress strategy=$(STRATEGY) $(ARGS)

tune: $(CORE) ## choose a strategy's parameters on development families: make tune STRATEGY=window
	$(RUN) -m harness.tune strategy=$(STRATEGY) $(ARGS)

learn: $(CORE) ## train the weights of learned_eviction: make learn ARGS="recorded=FOLDER"
	$(RUN) -m harness.learn train $(ARGS)

learn-report: $(CORE) ## what they are worth on repositories and families that were left out: ARGS="recorded=FOLDER"
	$(RUN) -m harness.learn report $(ARGS)

shortcuts: $(CORE) ## can the suite be won by a trick? figures of every family
	$(RUN) -m harness.shortcuts $(ARGS)

sensitivity: $(CORE) ## do the ranks of arms hold when the reader's dials are moved by half?
	$(RUN) -m harness.sensitivity $(ARGS)

docs: $(TEST) ## the pages of docs/ as a site in build/docs
	$(RUN) -m sphinx -q -W docs build/docs

lock: $(TEST) ## write the lock files anew from pyproject.toml
	$(VENV)/bin/pip install -q uv
	$(VENV)/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--extra dev --extra models --extra swebench --extra inspect --extra docs pyproject.toml -o .lock/test.txt
	$(VENV)/bin/uv pip compile -q --universal --generate-hashes --no-emit-index-url --no-header --no-annotate \
		-c .lock/test.txt pyproject.toml -o .lock/core.txt

clean: ## remove the environment and caches; results stay
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Longhaul needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv $(VENV)

$(CORE): .lock/core.txt pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install -q -r .lock/core.txt
	$(VENV)/bin/pip install -q --no-deps -e .
	touch $@

$(TEST): .lock/test.txt pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/pip install -q -r .lock/test.txt
	$(VENV)/bin/pip install -q --no-deps -e .
	touch $@ $(CORE)
