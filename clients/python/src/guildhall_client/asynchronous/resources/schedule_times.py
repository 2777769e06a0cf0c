"""The rows of schedule times."""

from guildhall_client.asynchronous.api import AsyncApi
from guildhall_client.types.schedule_times import ScheduleTime


class AsyncScheduleTimes:
    """Calls of schedule times."""

    def __init__(self, api: AsyncApi) -> None:
        self._api = api

    async def get(
        self, *, cron: str | None = None, every_seconds: int | None = None, timezone: str | None = None
    ) -> ScheduleTime:
        """The next times of a cron expression, or of every so many seconds from now on.

        `cron`: Five fields: minute, hour, day of the month, month, day of the week
        `every_seconds`: So many seconds apart; times keep their grid over restarts
        `timezone`: The clocks that cron goes by, such as Europe/Amsterdam
        Needs workflows:read.
        """
        reply: ScheduleTime = await self._api.call(
            "GET",
            "/api/schedule-times",
            query={"cron": cron, "every_seconds": every_seconds, "timezone": timezone},
        )
        return reply
