"""What every database engine promises, as tests: inherit from `EngineConformance` and give it an engine.

    class TestMyEngine(EngineConformance):
        engine = MyEngine()

        @pytest.fixture
        def url(self, tmp_path):
            return f"mine:///{tmp_path}/hall.db"

`url` names an empty database, another one for each test. `unreachable_url` names none that could be opened.
"""

from guildhall_testing.engine_conformance.copies import CopyTests
from guildhall_testing.engine_conformance.limits import LimitTests
from guildhall_testing.engine_conformance.schemas import SchemaTests
from guildhall_testing.engine_conformance.scopes import ScopeTests

__all__ = ["EngineConformance"]


class EngineConformance(ScopeTests, SchemaTests, LimitTests, CopyTests):
    """All of it."""
