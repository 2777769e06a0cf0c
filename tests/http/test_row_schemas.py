"""The schemas of the rows themselves: a malformed one would show only at its first use, as a failure."""

import pytest

from kernel.config import Settings
from kernel.http.validation import schema_faults
from kernel.plugins.admission import Admission
from kernel.plugins.discovery import discover


def every_row():
    admission = Admission()
    admission.admit_all(discover(Settings.from_environment({}).plugins))
    return [bound.row for bound in admission.registry.routes()]


@pytest.mark.parametrize("row", every_row(), ids=lambda row: f"{row.method} {row.path}")
def test_every_schema_of_a_row_is_a_schema(row):
    assert schema_faults(row) == []
