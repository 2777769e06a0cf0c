# One command per habit. `make run` and `make test` set up what they need, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

.PHONY: setup run test check bench clean format

setup: $(VENV)/.dev

run: $(VENV)/.run
	@$(BIN)/guildhall serve

test: $(VENV)/.dev check
	@$(BIN)/pytest -n 2 --dist worksteal

check: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev
	@$(BIN)/ruff check -q --fix .
	@$(BIN)/ruff format -q .

bench: $(VENV)/.bench
	@$(BIN)/python -m bench

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Guildhall needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(VENV)/bin/python constraints.txt pyproject.toml sdk/pyproject.toml
	@echo "Installing Guildhall and what it stands on ..."
	@$(PIP) -e sdk -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@echo "Installing what the tests and checks need ..."
	@$(PIP) -e sdk -e '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@$(PIP) -e sdk -e '.[dev,bench]'
	@touch $@
