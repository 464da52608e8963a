# Two commands matter: `make demo` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-all test-all-rest check bench docs lock setup clean

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Weft needs Python 3.11 or newer; set PYTHON=...") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(STAMP)

demo: setup
	@$(BIN)/weft demo

test: setup
	$(BIN)/python -m pytest -n auto -m "not full"

test-all: test test-all-rest

# The long sweeps alone: what `test-all` adds to `test`.
test-all-rest: setup
	$(BIN)/python -m pytest -n auto -m full

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m benchmarks

docs: setup
	$(BIN)/python scripts/make_docs.py

lock:
	uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --no-strip-extras --no-annotate --group dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
