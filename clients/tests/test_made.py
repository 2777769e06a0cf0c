"""The clients say what the route table says."""

import subprocess
import sys
from zipfile import ZipFile

import pytest

from clients import generate
from clients.generator.operations import read_document, read_operations
from guildhall_client import AsyncClient, Client

pytestmark = pytest.mark.any_database


@pytest.fixture(scope="module")
def document():
    return read_document()


def test_the_clients_are_those_of_the_table(document):
    made = generate.make(document)
    stale = [
        str(path.relative_to(generate.HERE))
        for path, text in made.items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    there = {path for folder in generate.MADE_FOLDERS for path in folder.rglob("*.[pt][ys]")}
    left = sorted(str(path.relative_to(generate.HERE)) for path in there - {*made})
    assert (stale, left) == ([], []), "the table has changed: run `make clients`"


def test_each_row_is_a_method_of_both(document):
    operations = read_operations(document)
    assert len(operations) > 150
    clients = (Client("http://hall.example"), AsyncClient("http://hall.example"))
    for operation in operations:
        for client in clients:
            method = getattr(getattr(client, operation.resource), operation.name)
            assert method.__doc__, operation


def test_the_wheel_has_all_of_it_and_its_types(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(command, cwd=generate.HERE / "python", check=True, capture_output=True)
    (wheel,) = tmp_path.glob("guildhall_client-*.whl")
    packed = {*ZipFile(wheel).namelist()}
    sources = {str(path.relative_to(generate.PYTHON.parent)) for path in generate.PYTHON.rglob("*.py")}
    assert sources <= packed and "guildhall_client/py.typed" in packed
