# Everything a newcomer types.  Needs Python 3.11 or later and make; all else goes into $(VENV).
#
#   make demo         open the dashboard on the sample
#   make test         run the tests, with the coverage floor
#   make check        lint, types, import directions, dead code
#   make bench        measure speed and memory against the limits in benchmarks/README.md
#   make screenshots  make the pictures of README and docs again (needs Chromium)
#   make sample       write the sample data again (same seed, same bytes)
#   make constraints  pin the newest allowed versions, with hashes, for every platform (needs uv)
#   make clean        remove the environment and the caches

VENV ?= .venv
PYTHON ?= $(firstword $(foreach name,python3 python3.14 python3.13 python3.12 python3.11 python,\
	$(shell $(name) -c 'import sys; sys.version_info >= (3, 11) and print("$(name)")' 2>/dev/null)))
ifneq ($(words $(VENV)),1)
$(error VENV has to be a path without spaces (the folder of the checkout may have some))
endif
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
INSTALL := $(PIP) install --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test check bench screenshots sample constraints clean

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/.ready
	$(BIN)/source-guard demo

test: $(VENV)/.ready-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report=term

check: $(VENV)/.ready-dev
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports
	$(BIN)/python -m vulture

bench: $(VENV)/.ready-dev
	$(BIN)/python -m benchmarks

screenshots: $(VENV)/.ready-dev
	$(BIN)/python docs/screenshots.py

sample: $(VENV)/.ready
	$(BIN)/python -m sample_data.generate

# What is missing on this machine, in one sentence, before anything is made.  Without ensurepip (on Debian a package of
# its own) `python -m venv` leaves an environment without pip behind; one that was left before is completed.
NEEDED = Python 3.11 or later is needed
ANSWERS = $(shell "$(PYTHON)" -c 'import sys; print(sys.version_info >= (3, 11) or "")' 2>/dev/null)
MAKES_VENV = $(shell "$(PYTHON)" -c 'import ensurepip, venv; print(True)' 2>/dev/null)
define REFUSE_PYTHON
$(if $(PYTHON),,$(error $(NEEDED): install it, or name it with PYTHON=/path/to/python))
$(if $(ANSWERS),,$(error $(NEEDED), and $(PYTHON) is none: name another with PYTHON=/path/to/python))
$(if $(MAKES_VENV),,$(error $(PYTHON) lacks its module venv: install it (Debian, Ubuntu: apt install python3-venv)))
endef

# The stamps say which environment is complete.  Each lock names every package that is needed, so pip is told to look for
# no other (--no-deps): what is released tomorrow cannot change what is installed, and `pip check` says if a lock has a
# gap.  Hashes are checked for every download; the project itself has none and is installed last, with the build backend
# that is already there.
$(VENV)/.ready: constraints.txt pyproject.toml
	@echo "Installing Source Guard into $(VENV): about a minute, once."
	$(REFUSE_PYTHON)
	$(BIN)/python -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv $(VENV)
	$(INSTALL) --no-deps --require-hashes -r constraints.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	$(PIP) check
	touch $@

$(VENV)/.ready-dev: constraints-dev.txt $(VENV)/.ready
	@echo "Installing what tests and checks need into $(VENV): about a minute, once."
	$(INSTALL) --no-deps --require-hashes -r constraints-dev.txt
	$(PIP) check
	touch $@

UV_COMPILE = uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --extra build

constraints:
	$(UV_COMPILE) -o constraints.txt
	$(UV_COMPILE) -c constraints.txt --extra test --extra bench -o constraints-dev.txt

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.*
