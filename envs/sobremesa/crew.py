"""Threads that share a loop over tables, in such a way that no interrupt leaves it half made."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any


class Crew:
    """`num_workers` threads that wait for slices of a loop. Several callers may share one."""

    def __init__(self, num_workers: int):
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        for _ in range(num_workers):
            threading.Thread(target=self._work, name="sobremesa", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._calls.get()()

    def run(self, loop: Callable[..., Any], arguments: Sequence[Any], slices: Sequence[tuple[int, int]]) -> Any:
        """Calls `loop(*arguments, begin, end)` for each slice; when all are done, raises what one raised, if any did.

        Returns what the slice that was done last returned.

        Only the main thread is ever interrupted, and it does nothing here but wait: it asks the crew again, who find
        what is left to do, and raises the interrupt at the end.
        """
        job, interrupt = _Job(loop, arguments, slices), None
        while not job.is_done():
            try:
                for _ in slices:
                    self._calls.put(job.do_one)
                job.wait()
            except BaseException as error:
                interrupt = error
        for error in (*job.errors, interrupt):
            if error is not None:
                raise error
        return job.result


class _Job:
    def __init__(self, loop: Callable[..., Any], arguments: Sequence[Any], slices: Sequence[tuple[int, int]]):
        self.loop, self.arguments = loop, arguments
        self.left = deque(slices)
        self.num_slices = len(slices)
        self.errors: list[BaseException | None] = []  # one entry for each slice that is done
        self.result: Any = None
        self._bell: SimpleQueue[None] = SimpleQueue()

    def is_done(self) -> bool:
        return len(self.errors) == self.num_slices

    def wait(self) -> None:
        while not self.is_done():
            self._bell.get()  # rung once for each slice

    def do_one(self) -> None:
        """The next slice, if one is left; for the workers."""
        try:
            begin, end = self.left.popleft()
        except IndexError:
            return
        error = None
        try:
            self.result = self.loop(*self.arguments, begin, end)
        except BaseException as raised:
            error = raised
        self.errors.append(error)
        self._bell.put(None)


_CREWS: dict[tuple[int, int], Crew] = {}


def crew_of(num_workers: int) -> Crew:
    """Made when first needed, and anew in a forked child, whose parent's threads it doesn't have."""
    key = os.getpid(), num_workers
    if key not in _CREWS:
        _CREWS[key] = Crew(num_workers)
    return _CREWS[key]
