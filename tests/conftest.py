"""Every test that asks for `game` runs once for each game of the registry."""

from __future__ import annotations

import os

import pytest
import sobremesa
import support


@pytest.fixture(scope="session", params=list(sobremesa.games()))
def game(request) -> str:
    return request.param


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compiles the games that the collected tests name, before the first test is timed.

    Workers of pytest-xdist begin with different games and then find the others' in numba's cache.
    """
    if session.config.option.collectonly:
        return
    wanted = [game for game in sobremesa.games() if any(game in item.nodeid for item in session.items)]
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    num_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    first = worker * len(wanted) // num_workers
    is_controller = bool(session.config.getoption("numprocesses", None)) and "PYTEST_XDIST_WORKER" not in os.environ
    for game in [] if is_controller else wanted[first:] + wanted[:first]:
        support.compile_kernels(game)
