"""PostgreSQL keeps what every engine promises."""

import pytest

from builtin_plugins.postgresql.engine import PostgresEngine
from guildhall_testing.engine_conformance import EngineConformance
from guildhall_testing.postgres import session_server


class TestPostgres(EngineConformance):
    engine = PostgresEngine()
    unreachable_url = "postgresql://ada:sesame@127.0.0.1:1/guildhall"

    @pytest.fixture
    def url(self):
        made = session_server().create_database()
        yield made
        session_server().drop_database(made)
