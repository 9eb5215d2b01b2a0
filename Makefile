# make demo   sets everything up in .venv and runs the main job
# make test   sets everything up and runs the tests
# make docs   builds the site into build/site, offline
# make check  lint, spelling and types;  make bench  speed against peers;  make lock  renews requirements.lock

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test docs check bench lock clean

demo: $(READY)
	$(BIN)/steelyard demo

test: $(READY) $(VENV)/.browser
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/pyright
	PATH="$(CURDIR)/$(BIN):$$PATH" pyright --verifytypes steelyard --ignoreexternal --outputjson \
	  | $(BIN)/python tests/support/typed_face.py

docs: $(READY)
	OPENBLAS_NUM_THREADS=1 NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site is in build/site; open build/site/index.html."

bench: $(READY)
	$(BIN)/steelyard bench

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# The report's tests open it in a real browser. Where there is none and we may install one, we do; else they skip.
$(VENV)/.browser: $(READY)
	@command -v chromium chromium-browser google-chrome >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 \
	       && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	  || echo "No Chromium found: the tests that open a report in a browser will be skipped."
	@touch $@

lock: $(READY)
	$(BIN)/uv pip compile --universal --generate-hashes --python-version 3.11 --quiet --no-header \
	  --extra all --extra dev --extra docs --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist steelyard-demo
