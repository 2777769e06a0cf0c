"""SQLite keeps what every engine promises."""

import pytest

from builtin_plugins.sqlite.engine import SqliteEngine
from guildhall_testing.engine_conformance import EngineConformance


class TestSqlite(EngineConformance):
    engine = SqliteEngine()
    unreachable_url = "sqlite:////proc/nowhere/guildhall.db"

    @pytest.fixture
    def url(self, tmp_path):
        return f"sqlite:///{tmp_path}/hall/guildhall.db"
