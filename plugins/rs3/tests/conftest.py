"""The store over a folder of the test's own."""

import pytest

from guildhall_sdk.blobs import BlobStoreKind
from guildhall_testing.selection import registry_of


@pytest.fixture
def open_store(pytestconfig, tmp_path):
    """Opens the folder once more each time, as another process would; the caller closes it."""
    kind = next(one for one in registry_of(pytestconfig).declared(BlobStoreKind) if one.name == "rs3")
    return lambda: kind.open(tmp_path, {})


@pytest.fixture
async def store(open_store):
    opened = await open_store()
    yield opened
    await opened.close()
