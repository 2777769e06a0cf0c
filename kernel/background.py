"""Work beside requests and jobs, of plugins and of the server: it ends before the database closes."""

from functools import partial
from typing import Any

from guildhall_sdk import Problem
from kernel.logs import get_logger
from kernel.scope import change_scope
from libs.coordination import Background, BackgroundReports, Work

_log = get_logger("background")


def background() -> Background:
    """Returns the background of one server; its pieces of work are the SDK's `BackgroundWork`."""
    # In the background also where a request began it.
    begins = partial(change_scope, background=True)
    return Background(BackgroundReports(begins=begins, fails=_log_failure, goes_on=_log_left))


def _log_failure(work: Work, error: BaseException, pause: float | None) -> None:
    fields: dict[str, Any] = {"plugin": work.owner, "work": work.name}
    if pause is not None:
        fields["again_seconds"] = pause
    if isinstance(error, Problem):  # a database that is busy, say: where it happened tells nothing
        _log.warning("background.failed", reason=f"{type(error).__name__}: {error.detail}", **fields)
    else:
        _log.error("background.failed", exc=error, **fields)


def _log_left(work: Work) -> None:
    _log.error("background.not_stopped", plugin=work.owner, work=work.name)
