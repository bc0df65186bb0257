# Every target makes the environment it needs, once per change of its two inputs.

PY := .venv/bin/python
READY := .venv/.ready

# Compiled code is kept, and made where it is first used: else each start compiles anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test coverage check bench docs venvs format clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

# The first interpreter that is new enough makes the environment, also in place of one
# whose making was interrupted.
$(READY): pyproject.toml constraints.txt
	@if ! $(PY) -m pip --version >/dev/null 2>&1; then \
	  for python in python3 python3.13 python3.12 python3.11; do \
	    if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      found="$$python"; break; \
	    fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo "agentsim needs Python 3.11 or newer, and no python3, python3.11, python3.12 or python3.13 on PATH is one: install it and run make again." >&2; \
	    exit 1; \
	  fi; \
	  echo "Making .venv with $$("$$found" --version)"; \
	  "$$found" -m venv --clear .venv || exit 1; \
	fi
	@echo "Installing what constraints.txt pins"
	@scripts/install.sh $(PY) -c constraints.txt -e '.[dev]'
	@touch $(READY)

demo: $(READY) ## Run a scenario, then catch a faulty agent in the same scenario
	@bash scripts/demo.sh

test: $(READY) ## Run all tests, the slow ones too, on two workers
	@$(PY) -m tests.support.environments $(PY) -m pytest -n 2 --dist worksteal

coverage: $(READY) ## Run the fast tests under branch coverage, and hold it to its bar
	@$(PY) -m coverage erase
	@$(PY) -m coverage run -m pytest -q -m 'not slow' -n 2 --dist worksteal
	@$(PY) -m coverage combine -q
	@$(PY) -m coverage report

check: $(READY) ## Check lint, format, types, import direction and the rules of the house
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@.venv/bin/lint-imports --no-logo
	@$(PY) -m pytest -q tests/house

bench: $(READY) ## Measure speed against the bars in docs/benchmarks.md
	@$(PY) -m benchmarks

docs: $(READY) ## Write the pages of docs/reference anew from what the code declares
	@$(PY) -m tests.docs.reference_pages

venvs: $(READY) ## Make the environments that tests need beside it: other Pythons, frameworks
	@$(PY) -m tests.support.environments

format: $(READY) ## Format the code and apply the safe fixes
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .

clean: ## Remove the environments and all caches
	@rm -rf .venv .venv-* .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	@find agentsim tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
