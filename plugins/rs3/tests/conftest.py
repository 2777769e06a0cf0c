"""The store over a folder of the test's own."""

import pytest

from kernel.testing.selection import registry_of


@pytest.fixture
def open_store(pytestconfig, tmp_path):
    """Opens the folder once more each time, as another process would; the caller closes it."""
    kind = registry_of(pytestconfig).blob_stores()["rs3"]
    return lambda: kind.open(tmp_path, {})


@pytest.fixture
async def store(open_store):
    opened = await open_store()
    yield opened
    await opened.close()
