"""Run jobs in threads, a bounded number ahead, and give their results in order.

Flows in: jobs.  Flows out: their results.
Rules kept here: memory is bounded by the results of a few jobs; results come in the order of the jobs.
Not here: what the jobs do (readers of blocks and of row groups).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_THREADS = 2
_Result = TypeVar("_Result")


def run_in_order(jobs: Iterable[Callable[[], _Result]], name: str) -> Iterator[_Result]:
    """Yield the results of ``jobs``, in order; ``name`` is that of the threads."""
    ahead: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(_THREADS, thread_name_prefix=f"source-guard-{name}") as pool:
        for job in jobs:
            ahead.append(pool.submit(job))
            if len(ahead) > _THREADS:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
