# The list of verbs. Each sets up what it needs, once: a virtual environment in .venv with the locked libraries.
.DEFAULT_GOAL := help
.PHONY: help demo test test-fast test-long slow-tests kernels test-kernels lint format bench docs site lock clean

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The site has an environment of its own: nothing else needs its libraries.
SITE_VENV := .venv-site
# pip has one thread: two of them unpack half of the libraries each.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --require-hashes
# A quarter of the libraries' lines, which no test and no command runs: they are not compiled beforehand.
NEVER_IMPORTED := tests|pip|setuptools|pkg_resources|mypy|mypyc|lexers
# The newest Python there is; PYTHON=… chooses another.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)

# Compiled Python files are kept: without them every process of the tests compiles the whole project again.
unexport PYTHONDONTWRITEBYTECODE

help:
	@echo 'make demo    compare learners on a bundled table; the report goes to demo/'
	@echo 'make test    lint, then all tests'
	@echo 'make test-fast    the tests of the inner loop, in half a minute'
	@echo 'make slow-tests   record which tests the fast run leaves out'
	@echo 'make test-long    all tests, with random examples and more of them'
	@echo 'make lint    ruff, mypy, import-linter'
	@echo 'make bench   crake beside its peers, as ratios'
	@echo 'make site    all pages as a site with search, in site/'
	@echo 'make docs    write the command reference and the output of commands anew, run the examples'

$(READY): requirements.lock pyproject.toml
	@test -n '$(PYTHON)' || { echo 'crake needs Python 3.11 or newer, and none was found. Install it, or name it: make PYTHON=/path/to/python3.12 …' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo '$(PYTHON) has no venv module. On Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	@echo 'Setting up .venv with $(PYTHON) (once, about a minute) …'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@awk '/^[A-Za-z0-9]/ { n++ } { print > ("$(VENV)/requirements." n % 2) }' requirements.lock
	@$(INSTALL) -r $(VENV)/requirements.0 & first=$$!; $(INSTALL) -r $(VENV)/requirements.1 && wait $$first
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q -j 0 -x '/($(NEVER_IMPORTED))/' src $(VENV)/lib >/dev/null || true # on all cores; pip has one
	@touch $@

demo: $(READY)
	@mkdir -p demo
	$(BIN)/crake compare breast-cancer --html demo/breast-cancer.html --show-rows
	@echo 'Open the report in a browser: $(CURDIR)/demo/breast-cancer.html'

# The type checker has one thread: it runs beside the compiler.
test: $(READY)
	@$(MAKE) --no-print-directory -j 2 lint test-kernels
	$(BIN)/pytest -n auto --dist worksteal -q --costs -m 'not long'

kernels: $(READY)
	@$(BIN)/python -m crake.evaluation.protocol.first_compile

# Learners that `compare` leaves out of small tables: both processes of pytest would compile them at the same time.
OTHERS := part ripper reptree boosted-trees aode tan nbtree bayes-network
COMMA := ,
test-kernels: kernels
	@$(BIN)/python -m crake.evaluation.protocol.first_compile \
	  $(foreach name,$(OTHERS),$(foreach kind,numeric nominal,$(name)$(COMMA)$(kind)$(COMMA)0))

# Of each test one case for each learner, none that is slow, few examples. What is compiled already is not compiled again,
# and what pytest makes of the tests is kept, whatever the environment says: that is half of collecting.
test-fast: export PYTHONDONTWRITEBYTECODE =
test-fast: kernels
	$(BIN)/pytest -n auto --dist worksteal -q --fast --hypothesis-profile=few tests

# Adds to tests/slow_tests.txt what the fast run shall leave out from now on; delete the file first to write it anew.
slow-tests: kernels
	$(BIN)/pytest -n auto --dist worksteal -q --fast --hypothesis-profile=few --record-slow tests

# Random examples, and more of them; what fails is kept in tests/examples_found, and every later run tries it.
test-long: $(READY)
	$(BIN)/pytest -n auto --dist worksteal -q --hypothesis-profile=exploring

lint: $(READY)
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports >/dev/null || { $(BIN)/lint-imports; exit 1; }

format: $(READY)
	@$(BIN)/ruff check -q --fix .
	@$(BIN)/ruff format -q .

bench: $(READY)
	$(BIN)/python -m benchmarks

docs: $(READY)
	$(BIN)/python -m crake.cli.reference > docs/cli.md
	$(BIN)/python -m tests.write_documents docs
	$(BIN)/pytest -q docs README.md

# All pages with the reference made from docstrings, in site/. They work from the disk and from any web server.
site: $(SITE_VENV)/.ready
	@NO_MKDOCS_2_WARNING=1 $(SITE_VENV)/bin/mkdocs build --quiet --config-file website/mkdocs.yml
	@echo 'Open the site in a browser: $(CURDIR)/site/index.html'

$(SITE_VENV)/.ready: website/requirements.lock
	@test -n '$(PYTHON)' || { echo 'the site needs Python 3.11 or newer' >&2; exit 1; }
	@test -x $(SITE_VENV)/bin/python || $(PYTHON) -m venv $(SITE_VENV)
	@$(SITE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r website/requirements.lock
	@touch $@

lock: $(READY)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q --python-version 3.11 --universal --generate-hashes --no-annotate --no-header --extra dev pyproject.toml -o requirements.lock
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["site"], sep="\n")' | \
	$(BIN)/uv pip compile -q --python-version 3.11 --universal --generate-hashes --no-annotate --no-header - -o website/requirements.lock

clean:
	rm -rf $(VENV) $(SITE_VENV) site demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
