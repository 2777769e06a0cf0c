"""Programs that do work on request, each in a process of its own: `python -m PROGRAM ARGUMENT…`.

Every line on stdin names a work and how many of it; the answer is a line with the seconds and the CPU
seconds that it took in all.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from bench.servers import ROOT, BenchFailed, plain_environment

_STOP_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Cost:
    """What a work took: by the wall's clock, and by the process's own."""

    seconds: float
    cpu_seconds: float

    def per(self, many: int) -> "Cost":
        return Cost(self.seconds / many, self.cpu_seconds / many)


Work = Callable[[int], Cost]


def answer(works: Mapping[str, Work]) -> None:
    """Does in this process what is asked for on stdin, until it ends."""
    for line in sys.stdin:
        name, many = line.split()
        cost = works[name](int(many))
        print(cost.seconds, cost.cpu_seconds, flush=True)


@contextmanager
def contestant(program: str, *arguments: str) -> Iterator[Callable[[str, int], Cost]]:
    """`do(work, many)` of a program that is started here and ends with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", program, *arguments],
        cwd=ROOT,
        env=plain_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    sent, answers, errors = process.stdin, process.stdout, process.stderr

    def do(work: str, many: int) -> Cost:
        try:
            sent.write(f"{work} {many}\n")
            sent.flush()
        except BrokenPipeError:
            raise BenchFailed(f"{program}: {errors.read().strip()[-500:]}") from None
        taken = answers.readline().split()
        if not taken:
            raise BenchFailed(f"{program}: {errors.read().strip()[-500:]}")
        seconds, cpu_seconds = map(float, taken)
        return Cost(seconds, cpu_seconds)

    try:
        yield do
    finally:
        with suppress(BrokenPipeError):
            sent.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        answers.close()
        errors.close()
