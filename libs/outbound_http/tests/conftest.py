"""A name service for the addresses that are checked."""

import pytest

from tests.name_service import Names


@pytest.fixture
def names():
    return Names()
