# Two commands are all a newcomer needs: `make train` and `make test`. Each makes .venv and installs what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

PEERS := .venv-peers

.PHONY: train test faults bench bench-peers bench-results lint pages clean

train: $(VENV)/.agents
	$(BIN)/sobremesa train freep $(ARGS)

test: $(VENV)/.test
	SOBREMESA_NOTEBOOK_DECISIONS=8192 $(BIN)/python -m pytest --numprocesses 2 --nbmake $(ARGS)

faults: $(VENV)/.test  ## plants faults one by one; each must turn a named test red
	$(BIN)/python tests/planted_faults.py $(ARGS)

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

# Other libraries want versions of their own.
$(PEERS)/.installed: benchmarks/peers.txt pyproject.toml
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/peers.txt
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

clean:
	rm -rf $(VENV) $(PEERS)
