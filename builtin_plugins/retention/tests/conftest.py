"""Rows of a test's own that are thrown away, and the plugin that brings them."""

from types import SimpleNamespace

import pytest

from builtin_plugins.retention.sweeper import RetentionSweeper
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.retention import Retained, days_setting


class Shelf:
    """Things that were over at some time; `portions` are how many each call was asked for at the most."""

    def __init__(self):
        self.over_at, self.portions, self.dies_at = [], [], None
        self.setting = days_setting("keep_days", what="things on the shelf", default=0)

    async def count(self, reader, before):
        return sum(at < before for at in self.over_at)

    async def delete_expired(self, writer, before, limit):
        self.portions.append(limit)
        if len(self.portions) == self.dies_at:
            raise ConnectionError("killed here")
        gone = sorted(at for at in self.over_at if at < before)[:limit]
        self.over_at = sorted(self.over_at)[len(gone) :]
        return len(gone)

    def plugin(self):
        retained = Retained(
            name="shelf",
            title="things on the shelf",
            keep_days=self.setting,
            count=self.count,
            delete_expired=self.delete_expired,
        )

        @hookimpl
        def declare_settings():
            return [self.setting]

        @hookimpl
        def declare_retained():
            return [retained]

        return SimpleNamespace(
            PLUGIN=Plugin("shelf", "Shelf", "1.0", "A shelf.", requires=("retention",)),
            declare_settings=declare_settings,
            declare_retained=declare_retained,
        )


@pytest.fixture
def shelf():
    return Shelf()


class WithDays:
    """A host whose operator has set other days since."""

    def __init__(self, host, days, name="keep_days"):
        self._host, self._days, self._name = host, days, name

    def __getattr__(self, name):
        return getattr(self._host, name)

    def setting(self, setting):
        return self._days if setting.name == self._name else self._host.setting(setting)


@pytest.fixture
def look():
    """`await look(hall, 30)`: what the server does once in the background; how many rows went."""
    return lambda hall, days: RetentionSweeper(WithDays(hall.server.host, days)).sweep()
