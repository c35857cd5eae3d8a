# Everything here runs in a virtual environment of its own, made from nothing but Python.
# `make` says what there is; `make demo PYTHON=/path/to/python3.12` chooses the interpreter.

VENV ?= .venv
PYTHON ?= python3
# A python3 that is too old is passed over, one that was chosen is not.
pythons := $(PYTHON) $(if $(filter file,$(origin PYTHON)),python3.14 python3.13 python3.12 python3.11)
suits := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
bin := $(VENV)/bin
pip := $(bin)/python -m pip install --quiet --quiet --disable-pip-version-check
question := Which exceptions can a Queue raise, and when?

.DEFAULT_GOAL := help
.PHONY: help demo test check bench clean

help: ## Say what there is
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

demo: $(VENV)/.base ## Ask Python's own asyncio package a question: offline, without a key
	@set -- distill "$$($(bin)/python -c 'import asyncio; print(*asyncio.__path__)')" "$(question)"; \
	echo "\$$ orchestrator-context $$1 $$2 \"$$3\"" >&2; $(bin)/orchestrator-context "$$@"

test: $(VENV)/.test ## Run all tests
	@$(bin)/python -m pytest

check: $(VENV)/.check ## Format, lint, types, imports
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/mypy
	$(bin)/basedpyright --pythonpath $(bin)/python
	$(bin)/lint-imports

bench: $(VENV)/.bench ## Measure quality, time and memory
	@$(bin)/python tests/benchmarks/run.py

clean: ## Remove all that the other targets made
	rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What stands above a stamp is installed; a newer pyproject.toml installs it again. One after the
# other, since pip cannot share an environment with itself.

$(VENV)/.made:
	@for python in $(pythons) ""; do $$python -c '$(suits)' 2>/dev/null && break; done; \
	if [ -z "$$python" ]; then \
	  echo "This needs Python 3.11 or later with its modules venv and ensurepip, which Debian and"; \
	  echo "Ubuntu keep in the package python3-venv. None of these will do: $(pythons)."; \
	  echo "Install one, or say where it is: make $(MAKECMDGOALS) PYTHON=/path/to/python3"; \
	  exit 1; \
	fi >&2; \
	$(bin)/python -c 'import pip; $(suits)' 2>/dev/null || $$python -m venv --clear $(VENV)
	@$(pip) --upgrade 'pip>=25.1' # the first that knows dependency groups
	@touch $@

$(VENV)/.base: pyproject.toml $(VENV)/.made
	@echo "Installing into $(VENV)" >&2
	@$(pip) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.base
	@$(pip) --editable . --group test
	@touch $@

$(VENV)/.check: $(VENV)/.test
	@$(pip) --group check
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	@$(pip) --group bench
	@touch $@
