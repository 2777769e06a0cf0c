"""What a slot promises: the last content that was written whole, whoever wrote it and however that ended."""

import os

import pytest

from libs import memory_slots as module
from libs.memory_slots import MemorySlot


@pytest.fixture
def slot():
    slot = MemorySlot()
    yield slot
    for copy in slot.copies:
        os.close(copy)


def test_a_new_slot_holds_nothing(slot):
    assert slot.read() == (0, b"")


def test_the_last_content_is_read_whatever_its_length(slot):
    for number, content in enumerate((b"a" * 100, b"", b"b", b"c" * 5000), 1):
        assert slot.write(number, content)
        assert slot.read() == (number, content)


@pytest.mark.parametrize("torn", [b"", b"\0" * 20, b"\xff" * 20, b"\xff" * 5000])
def test_what_was_torn_leaves_the_content_before(slot, torn):
    slot.write(1, b"first")
    slot.write(2, b"second")
    os.ftruncate(slot.copies[1], 30)
    os.pwrite(slot.copies[1], torn, 0)
    assert slot.read() == (2, b"second")
    assert slot.write(3, b"third") and slot.read() == (3, b"third")


def test_a_content_without_room_is_refused(slot, monkeypatch):
    slot.write(1, b"first")

    def full(*_):
        raise OSError(28, "No space left on device")

    for cut in (full, lambda *_: 3):
        with monkeypatch.context() as crowded:
            crowded.setattr(module.os, "pwrite", cut)
            assert not slot.write(2, b"second")
        assert slot.read() == (1, b"first")


def test_what_a_process_wrote_outlives_it(slot):
    pid = os.fork()
    if pid == 0:
        slot.write(1, b"from a process that is gone")
        os.kill(os.getpid(), 9)
    os.waitpid(pid, 0)
    assert slot.read() == (1, b"from a process that is gone")
