import pytest

from tests.console.visitor import Visitor


@pytest.fixture
def visitor(hall, open_page):
    return Visitor(hall, open_page)
