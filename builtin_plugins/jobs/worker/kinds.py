"""What this machine can run: the remote kinds of the plugins installed here, and turns of a model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from guildhall_sdk import JobKind
from guildhall_sdk.jobs import RemoteHandler

MODEL_TURN = "ai.turn"
ASK_AGAIN_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Runnable:
    handler: RemoteHandler
    timeout_seconds: int


class NothingToRun(Exception):
    """Why this worker would have nothing to do, in one line."""


def runnable_kinds(
    installed: Iterable[JobKind], model_turn: Runnable | None, wanted: Iterable[str] | None
) -> Mapping[str, Runnable]:
    """Those that are wanted, or all there are."""
    here = {
        kind.name: Runnable(kind.worker, kind.timeout_seconds)
        for kind in installed
        if kind.worker is not None
    }
    if model_turn is not None:
        here[MODEL_TURN] = model_turn
    if not here:
        raise NothingToRun(
            "there is nothing to run here: no installed plugin brings a kind of job with a worker, "
            "and there is no --model"
        )
    if wanted is None:
        return here
    chosen = list(dict.fromkeys(wanted))
    if MODEL_TURN in chosen and MODEL_TURN not in here:
        raise NothingToRun(f"{MODEL_TURN} needs --model and --model-url")
    if missing := [name for name in chosen if name not in here]:
        raise NothingToRun(f"cannot run {', '.join(missing)} here; can run {', '.join(sorted(here))}")
    return {name: here[name] for name in chosen}


class KnownKinds:
    """Those of this worker's kinds that its server knows, as far as it has said."""

    def __init__(self, kinds: Iterable[str]) -> None:
        self._all = tuple(kinds)
        self._unknown: frozenset[str] = frozenset()
        self._ask_again_at = 0

    def now(self, steady_ms: int) -> list[str]:
        """From time to time all of them: a plugin may have come back."""
        if steady_ms >= self._ask_again_at:
            return list(self._all)
        return [name for name in self._all if name not in self._unknown]

    def drop(self, names: frozenset[str], steady_ms: int) -> frozenset[str]:
        """Leaves these out for a while; which of them are news."""
        ours = names & frozenset(self._all)
        asked_all = steady_ms >= self._ask_again_at
        before, self._unknown = self._unknown, ours if asked_all else self._unknown | ours
        self._ask_again_at = steady_ms + ASK_AGAIN_SECONDS * 1000
        return ours - before

    def learn(self, asked: Iterable[str]) -> frozenset[str]:
        """The server took these; which of them it did not know before."""
        back = self._unknown & frozenset(asked)
        self._unknown -= back
        return back
