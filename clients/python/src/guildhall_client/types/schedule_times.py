"""What the API says about schedule times."""

from typing import TypedDict


class ScheduleTime(TypedDict):
    next: list[str]


__all__ = ["ScheduleTime"]
