"""What the worker has done and is doing, put into words."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from builtin_plugins.jobs.worker.attempt import Attempt, Ending
from builtin_plugins.jobs.worker.display import Display
from builtin_plugins.jobs.worker.held_job import HeldJob


@dataclass(slots=True)
class ProgressReport:
    """Counts endings, and writes on the display."""

    display: Display
    counts: Counter[str] = field(default_factory=Counter)
    trouble: str | None = None

    def claimed(self, held: HeldJob) -> None:
        self.display.event(f"claimed {held.id} {held.kind}, attempt {held.attempt}")

    def ended(self, held: HeldJob, ending: Ending, seconds: float) -> None:
        self.counts[ending.outcome] += 1
        words = f": {ending.words}" if ending.words else ""
        self.display.event(f"{ending.outcome} {held.id} {held.kind} after {seconds:.1f} s{words}")

    def troubled(self, words: str, wait_seconds: float) -> None:
        """Said once for each trouble, however often it is met."""
        if words != self.trouble:
            self.display.event(f"no jobs for now: {words} (trying again, next in {wait_seconds:.1f} s)")
        self.trouble = words

    def untroubled(self) -> None:
        if self.trouble is not None:
            self.display.event("the server gives jobs again")
        self.trouble = None

    def kinds_gone(self, names: Iterable[str]) -> None:
        self.display.event(f"the server does not know {_listed(names)}: going on without, asking again later")

    def kinds_back(self, names: Iterable[str]) -> None:
        self.display.event(f"the server knows {_listed(names)} again")

    def draining(self, holding: int) -> None:
        what = (
            f"finishing {_jobs(holding)}; a second signal gives them back" if holding else "nothing is held"
        )
        self.display.event(f"stopping: {what}")

    def leaving(self, holding: int) -> None:
        self.display.event(f"leaving: giving {_jobs(holding)} back")

    def stuck(self, held: HeldJob) -> None:
        self.display.event(f"{held.id} {held.kind} was told to stop and does not: its slot stays taken")

    def paint(self, attempts: list[Attempt], now_ms: int, *, draining: bool) -> None:
        running = ", ".join(_running(attempt, now_ms) for attempt in attempts)
        doing = running or self.trouble or ("stopped" if draining else "waiting for jobs")
        prefix = "stopping: " if draining and running else ""
        self.display.now(f"{self.total()} | {prefix}{doing}")

    def total(self) -> str:
        dropped = f", {self.counts['dropped']} dropped" if self.counts["dropped"] else ""
        return f"{self.counts['done']} done, {self.counts['failed']} failed{dropped}"


def _running(attempt: Attempt, now_ms: int) -> str:
    fraction = attempt.handler.call.fraction
    percent = "" if fraction is None else f" {fraction:.0%}"
    return f"{attempt.held.kind}{percent} {(now_ms - attempt.started_at) // 1000} s"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _jobs(number: int) -> str:
    return "1 job" if number == 1 else f"{number} jobs"
