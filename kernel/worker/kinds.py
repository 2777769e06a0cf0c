"""What this machine can run: the remote kinds of the plugins installed here, and turns of a model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from guildhall_sdk import JobKind
from guildhall_sdk.jobs import RemoteHandler

MODEL_TURN = "ai.turn"


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
