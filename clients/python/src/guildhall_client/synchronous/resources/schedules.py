"""The rows of schedules."""

from collections.abc import Mapping
from typing import Any, Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.schedules import Schedule, SchedulePage, ScheduleRunReply


class Schedules:
    """Calls of schedules."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        *,
        workflow_slug: str,
        cron: str | Omitted | None = OMITTED,
        enabled: bool | Omitted = OMITTED,
        every_seconds: int | Omitted | None = OMITTED,
        input: Mapping[str, Any] | Omitted = OMITTED,
        missed: Literal["none", "last", "all"] | Omitted = OMITTED,
        overlap: Literal["skip", "queue", "cancel"] | Omitted = OMITTED,
        timezone: str | Omitted = OMITTED,
    ) -> Schedule:
        """Start a workflow at times: by a cron expression, or every so many seconds.

        `enabled`: Off, it starts nothing; what ran goes on
        `input`: The workflow's input
        `missed`: What becomes of times at which nothing could start, as the server was off
        `overlap`: Where the run before is still under way: leave out, wait, or cancel it
        `timezone`: The clocks that cron goes by, such as Europe/Amsterdam
        `workflow_slug`: The workflow to start
        Needs workflows:write.
        """
        reply: Schedule = self._api.call(
            "POST",
            "/api/schedules",
            fields={
                "cron": cron,
                "enabled": enabled,
                "every_seconds": every_seconds,
                "input": input,
                "missed": missed,
                "overlap": overlap,
                "timezone": timezone,
                "workflow_slug": workflow_slug,
            },
        )
        return reply

    def delete(self, id: str) -> None:
        """Delete a schedule; runs that it started remain.

        Needs workflows:write.
        """
        self._api.call("DELETE", f"/api/schedules/{segment(id)}")

    def get(self, id: str) -> Schedule:
        """A schedule with its next times.

        Needs workflows:read.
        """
        reply: Schedule = self._api.call("GET", f"/api/schedules/{segment(id)}")
        return reply

    def run(self, id: str) -> ScheduleRunReply:
        """Start its workflow now, as the caller.

        Needs workflows:write.
        """
        reply: ScheduleRunReply = self._api.call("POST", f"/api/schedules/{segment(id)}/run")
        return reply

    def update(
        self,
        id: str,
        *,
        cron: str | Omitted | None = OMITTED,
        enabled: bool | Omitted = OMITTED,
        every_seconds: int | Omitted | None = OMITTED,
        input: Mapping[str, Any] | Omitted = OMITTED,
        missed: Literal["none", "last", "all"] | Omitted = OMITTED,
        overlap: Literal["skip", "queue", "cancel"] | Omitted = OMITTED,
        timezone: str | Omitted = OMITTED,
        workflow_slug: str | Omitted = OMITTED,
    ) -> Schedule:
        """Change a schedule; what is left out stays.

        `enabled`: Off, it starts nothing; what ran goes on
        `input`: The workflow's input
        `missed`: What becomes of times at which nothing could start, as the server was off
        `overlap`: Where the run before is still under way: leave out, wait, or cancel it
        `timezone`: The clocks that cron goes by, such as Europe/Amsterdam
        `workflow_slug`: The workflow to start
        Needs workflows:write.
        """
        reply: Schedule = self._api.call(
            "PATCH",
            f"/api/schedules/{segment(id)}",
            fields={
                "cron": cron,
                "enabled": enabled,
                "every_seconds": every_seconds,
                "input": input,
                "missed": missed,
                "overlap": overlap,
                "timezone": timezone,
                "workflow_slug": workflow_slug,
            },
        )
        return reply

    def list(self, *, page_size: int | None = None) -> Pages[Schedule, SchedulePage]:
        """The team's schedules, newest first, those of plugins too.

        Needs workflows:read.
        """
        return Pages(self._api, "/api/schedules", query={"limit": page_size})
