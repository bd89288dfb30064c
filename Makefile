# Two commands are all a newcomer needs: `make train` and `make test`. Each makes .venv and installs what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
INSTALL := $(BIN)/python $(PIP_INSTALL) --constraint constraints.txt
PYTEST := -m pytest --numprocesses 2 --nbmake
test versions: export SOBREMESA_NOTEBOOK_DECISIONS := 8192

PEERS := .venv-peers

.PHONY: train test faults robust fuzz bench bench-peers bench-results lint pages clients versions clean

train: $(VENV)/.agents
	$(BIN)/sobremesa train freep $(ARGS)

test: $(VENV)/.test
	$(BIN)/python $(PYTEST) $(ARGS)

faults: $(VENV)/.test  ## plants faults one by one; each must turn a named test red
	$(BIN)/python tests/planted_faults.py $(ARGS)

CLIENT_SETS := $(patsubst tests/clients/%.txt,.clients/%/.stamp,$(wildcard tests/clients/*.txt))

clients: $(CLIENT_SETS)  ## drives other libraries on every game, each in an environment of its own (6 GB, half an hour)
	$(PYTHON) tests/clients/run.py $(ARGS)

VERSIONS := oldest newest

versions: $(VERSIONS:%=.versions/%/.stamp)  ## the tests with the oldest releases that pyproject.toml allows, then the newest
	for ends in $(VERSIONS); do \
		.versions/$$ends/bin/python $(PYTEST) $(ARGS) || exit 1; \
	done

robust: $(VENV)/.test  ## read-only installations, sixteen processes on an empty cache, memory, interrupts
	$(BIN)/python -m pytest tests/robust.py $(ARGS)

fuzz: $(VENV)/.test  ## drawn games and calls with every index checked; ARGS="--decisions 1_000_000 freep"
	$(BIN)/python tests/fuzz.py $(ARGS)

bench: $(VENV)/.agents
	$(BIN)/sobremesa bench freep $(ARGS)

bench-peers: $(PEERS)/.installed  ## other libraries' card games beside ours, on one core
	$(PEERS)/bin/python benchmarks/peers.py $(ARGS)

bench-results: $(PEERS)/.installed $(VENV)/.agents  ## measures everything; writes benchmarks/RESULTS.md and its plots
	mkdir -p benchmarks/results
	$(PEERS)/bin/python benchmarks/peers.py --json benchmarks/results/peers.json
	for game in $$($(BIN)/python -c "import sobremesa; print(*sobremesa.games())"); do \
		$(BIN)/sobremesa bench $$game --json benchmarks/results/$$game.json && \
		$(BIN)/sobremesa bench $$game --every --only full_loop --num-tables 4096 --num-threads 1 --no-first-steps \
			--json benchmarks/results/$${game}_players.json || exit 1; \
	done
	$(BIN)/python benchmarks/results.py

lint: $(VENV)/.dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/pyright

pages: $(VENV)/.agents  ## writes the tables of the games' pages anew
	$(BIN)/python -m sobremesa.pages

# A stamp for each set of extras; it is made anew when the versions or the extras change.
$(VENV)/.%: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable ".[$*]"
	touch $@

# The same for each set of versions that clients are driven with, and for both ends of our own ranges.
.clients/%/.stamp: tests/clients/%.txt pyproject.toml
	test -x .clients/$*/bin/python || $(PYTHON) -m venv .clients/$*
	.clients/$*/bin/python $(PIP_INSTALL) --requirement $< --editable .
	touch $@

.versions/oldest/.stamp: CONSTRAINTS := --constraint tests/oldest.txt
.versions/%/.stamp: pyproject.toml tests/oldest.txt
	test -x .versions/$*/bin/python || $(PYTHON) -m venv .versions/$*
	.versions/$*/bin/python $(PIP_INSTALL) --upgrade $(CONSTRAINTS) torch==2.13.0 --editable ".[test]"
	touch $@

# Other libraries want versions of their own.
$(PEERS)/.installed: benchmarks/peers.txt pyproject.toml
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/peers.txt
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

clean:
	rm -rf $(VENV) $(PEERS) .clients .versions
