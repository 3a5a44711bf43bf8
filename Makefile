# Two commands for newcomers: `make demo` designs one example, `make test` runs every check.
VENV := .venv
PYTHON ?= python3
BIN := $(VENV)/bin

.PHONY: demo test bench clean

$(VENV)/run.stamp: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements-dev.lock
	touch $@

demo: $(VENV)/run.stamp
	$(BIN)/fabric design designs/blackwell-roce-800g

test: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict fabric
	$(BIN)/lint-imports
	$(BIN)/pytest -q -n auto

bench: $(VENV)/dev.stamp
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/bench/run.py

clean:
	rm -rf $(VENV) output build dist
