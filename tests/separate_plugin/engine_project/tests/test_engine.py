import pytest
from guildhall_plain_sqlite.engine import PlainSqlite

from guildhall_testing.engine_conformance import EngineConformance


class TestPlainSqlite(EngineConformance):
    engine = PlainSqlite()
    unreachable_url = "plain-sqlite:////proc/nowhere/hall.db"
    makes_copies = False

    @pytest.fixture
    def url(self, tmp_path):
        return f"plain-sqlite:///{tmp_path}/hall/plain.db"
