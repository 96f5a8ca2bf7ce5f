# `make` alone lists what there is. Everything runs in .venv, which is made on first use.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
TRAIN := .venv/.train
# setuptools warns that other folders with the package's name might be loaded instead. Here these folders are the package
# itself (ARCHITECTURE.md, Packaging), and Windows needs the mapping.
INSTALL := PYTHONWARNINGS="ignore:Editable installation" $(BIN)/python -m pip install -q -c scripts/constraints.txt
# One thread for each process: two threads on two cores are slower at all sizes used here.
export OMP_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help run test test-all fuzz lint lock bench docs screenshots clean clean-machine

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

run: $(READY) ## Set everything up and open the window on the demo patient (in the terminal without a display)
	$(BIN)/rehabcount demo

test: lint ## Set everything up and run the tests
	$(BIN)/pytest -n 2

test-all: lint ## Run all tests, the slow ones too
	$(BIN)/pytest -n 2 -m "slow or not slow"

fuzz: $(READY) ## A million buffers through every decoder, 2,000 damaged files of every kind through what reads them
	$(BIN)/python -m tests.fuzz.decoders --buffers 1000000
	$(BIN)/python -m tests.fuzz.files --cases 2000

lint: $(TRAIN) ## Check format, style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

lock: ## Pin the bedside's libraries with their hashes anew (scripts/bedside.lock)
	PYTHON=$(PYTHON) scripts/lock.sh

bench: $(READY) ## Run the benchmarks that need no data
	$(BIN)/rehabcount bench recording

docs: $(TRAIN) ## Build the documentation site into build/site; a warning is an error
	$(BIN)/python -m sphinx -q -W --keep-going docs build/site

screenshots: $(READY) ## Draw the pictures of the documentation anew
	$(BIN)/rehabcount simulate --draw docs/simulated/drink.png
	$(BIN)/rehabcount simulate --draw docs/simulated/drink.gif
	xvfb-run -a -s "-screen 0 3840x2160x24" $(BIN)/python scripts/screenshots.py

clean: ## Remove everything that was made
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

clean-machine: ## Prove `make test` and `make run` in a fresh Debian (root, debootstrap)
	scripts/clean-machine.sh test run

$(READY): pyproject.toml scripts/constraints.txt scripts/system-libraries.sh
	PYTHON=$(PYTHON) scripts/system-libraries.sh
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rehabcount needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --upgrade pip
	$(INSTALL) -e ".[bench,dev]"
	@touch $@

# torch, for training and its tests; the bedside install has no torch.
$(TRAIN): $(READY)
	$(INSTALL) -e ".[bench,dev,docs,train]"
	@touch $@
