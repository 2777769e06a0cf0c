"""What this machine can run: the remote kinds of the plugins installed here, and turns of a model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from guildhall_sdk import JobKind, UserError
from guildhall_sdk.jobs import RemoteHandler
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.jobs import TurnRunner, WorkerModel
from libs.model_wire import MODEL_TURN

ASK_AGAIN_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Runnable:
    handler: RemoteHandler
    timeout_seconds: int


def runnable_kinds(
    plugins: Plugins, model: WorkerModel | None, wanted: Iterable[str] | None
) -> Mapping[str, Runnable]:
    """Returns the kinds that are wanted, or all there are; raises `UserError` where none is to be run."""
    here = {
        kind.name: Runnable(kind.worker, kind.timeout_seconds)
        for kind in plugins.declared(JobKind)
        if kind.worker is not None
    }
    if model is not None:
        here[MODEL_TURN] = _model_turns(plugins, model)
    if not here:
        raise UserError(
            "there is nothing to run here: no installed plugin brings a kind of job with a worker, "
            "and there is no --model"
        )
    if wanted is None:
        return here
    chosen = list(dict.fromkeys(wanted))
    if MODEL_TURN in chosen and MODEL_TURN not in here:
        raise UserError(f"{MODEL_TURN} needs --model and --model-url")
    if missing := [name for name in chosen if name not in here]:
        raise UserError(f"cannot run {', '.join(missing)} here; can run {', '.join(sorted(here))}")
    return {name: here[name] for name in chosen}


def _model_turns(plugins: Plugins, model: WorkerModel) -> Runnable:
    for _, runner in plugins.owned(TurnRunner):
        if runner.kind == MODEL_TURN:
            return Runnable(runner.handler(model.url, model.key), runner.timeout_seconds)
    raise UserError("--model: no plugin that is loaded here talks to models")


class KnownKinds:
    """Those of this worker's kinds that its server knows, as far as it has said."""

    def __init__(self, kinds: Iterable[str]) -> None:
        self._all = tuple(kinds)
        self._unknown: frozenset[str] = frozenset()
        self._ask_again_at = 0

    def now(self, steady_ms: int) -> list[str]:
        """Returns the kinds to claim; from time to time all of them: a plugin may have come back."""
        if steady_ms >= self._ask_again_at:
            return list(self._all)
        return [name for name in self._all if name not in self._unknown]

    def drop(self, names: frozenset[str], steady_ms: int) -> frozenset[str]:
        """Leaves these out for a while; which of them are news."""
        ours = names & frozenset(self._all)
        claimed_all = steady_ms >= self._ask_again_at
        before, self._unknown = self._unknown, ours if claimed_all else self._unknown | ours
        self._ask_again_at = steady_ms + ASK_AGAIN_SECONDS * 1000
        return ours - before

    def learn(self, claimed: Iterable[str]) -> frozenset[str]:
        """Records kinds that the server took; returns those that it did not know before."""
        back = self._unknown & frozenset(claimed)
        self._unknown -= back
        return back
