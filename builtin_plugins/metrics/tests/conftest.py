"""What the log says of metrics that could not be measured."""

import pytest

from builtin_plugins.metrics import measurements


@pytest.fixture
def failures(monkeypatch):
    """The metrics that were logged as failed, with who declared them."""
    logged = []

    class Log:
        def error(self, action, *, exc_info, extra):
            assert exc_info is not None
            logged.append((action, extra["fields"]["plugin"], extra["fields"]["metric"]))

    monkeypatch.setattr(measurements, "_log", Log())
    return logged
