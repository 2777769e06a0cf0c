"""The rows of runs."""

from typing import Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.events import Events
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.runs import Run, RunPage


class Runs:
    """Calls of runs."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def cancel(self, id: str) -> Run:
        """Cancel a run: what executes finishes, and nothing follows.

        Needs workflows:run.
        """
        reply: Run = self._api.call("POST", f"/api/runs/{segment(id)}/cancel")
        return reply

    def events(self, id: str) -> Events:
        """A run as server-sent events, from Last-Event-ID on, until it ends; 204 behind the last.

        Needs workflows:read.
        """
        return Events(self._api, "GET", f"/api/runs/{segment(id)}/events")

    def get(self, id: str) -> Run:
        """One run with its steps; inputs and outputs are shown to its creator.

        Needs workflows:read.
        """
        reply: Run = self._api.call("GET", f"/api/runs/{segment(id)}")
        return reply

    def retry(
        self,
        id: str,
        *,
        from_: Literal["failed", "start"] | Omitted = OMITTED,
        version: Literal["same", "current"] | Omitted = OMITTED,
    ) -> Run:
        """Try a run again, from the step that failed or anew, as the caller.

        `from_`: Where to begin: at the failed step, or anew
        `version`: The version that ran, or the one that runs now
        Needs workflows:run.
        """
        reply: Run = self._api.call(
            "POST", f"/api/runs/{segment(id)}/retry", fields={"from": from_, "version": version}
        )
        return reply

    def list(
        self,
        *,
        page_size: int | None = None,
        workflow: str | None = None,
        state: Literal["running", "succeeded", "failed", "cancelled"] | None = None,
    ) -> Pages[Run, RunPage]:
        """The team's runs, newest first.

        Needs workflows:read.
        """
        return Pages(self._api, "/api/runs", query={"limit": page_size, "workflow": workflow, "state": state})
