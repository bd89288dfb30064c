"""Threads that share a loop over tables, in such a way that no interrupt leaves it half made."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import starmap
from operator import length_hint
from queue import SimpleQueue
from typing import Any


class Crew:
    """`num_helpers` threads that help whoever calls with the slices of a loop. Several callers may share one."""

    def __init__(self, num_helpers: int):
        self.num_helpers = num_helpers
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        for _ in range(num_helpers):
            threading.Thread(target=self._work, name="sobremesa", daemon=True).start()

    def _work(self) -> None:
        while True:
            self._calls.get()()

    def run(self, loop: Callable[..., Any], arguments: Sequence[Any], slices: Sequence[tuple[int, int]]) -> Any:
        """Calls `loop(*arguments, begin, end)` for each slice; when all are done, raises what one raised, if any did.

        Returns what the slice done last returned. Whoever is free takes the next slice, the calling thread too.

        Only the main thread is ever interrupted, between two instructions of Python. So a compiled loop isn't; and as
        the step from a slice to the next isn't one of Python's either, no slice is begun and then forgotten: after an
        interrupt the thread takes part again, in what is left to do, and raises it at the end.
        """
        job, interrupt = _Job(partial(loop, *arguments), slices), None
        while not job.is_done():
            try:
                for _ in range(self.num_helpers):
                    self._calls.put(job.help)
                job.take_part()
                job.wait()
            except BaseException as error:
                interrupt = error
        for error in (*job.errors, interrupt):
            if error is not None:
                raise error
        return job.results.pop()


class _Job:
    def __init__(self, call: Callable[[int, int], Any], slices: Sequence[tuple[int, int]]):
        self.call = call
        self.results: deque[Any] = deque(maxlen=1)
        self.errors: list[Exception] = []
        self._left = iter(slices)  # shared: each slice is taken once
        self._helping: list[None] = []  # an entry for each helper that is at work
        self._bell: SimpleQueue[None] = SimpleQueue()

    def is_done(self) -> bool:
        return length_hint(self._left) == 0 and not self._helping  # in this order: who helps was there before

    def take_part(self) -> None:
        """Slices, one by one, until none is left."""
        while True:
            try:
                self.results.extend(starmap(self.call, self._left))
                return
            except Exception as error:
                self.errors.append(error)

    def help(self) -> None:
        """For the helpers, who ring the bell when no slice is left."""
        self._helping.append(None)
        self.take_part()
        self._helping.pop()
        self._bell.put(None)

    def wait(self) -> None:
        while not self.is_done():
            self._bell.get()


_CREWS: dict[tuple[int, int], Crew] = {}


def crew_of(num_threads: int) -> Crew:
    """That many threads with the calling one; made when first needed, and anew in a forked child, which has none."""
    key = os.getpid(), num_threads
    if key not in _CREWS:
        _CREWS[key] = Crew(num_threads - 1)
    return _CREWS[key]
