"""What a check of a disk finds, and that it leaves nothing behind."""

import errno
import os

import pytest

from libs import disks
from libs.disks import Disk, DiskTrouble


def test_a_disk_that_takes_a_file_says_what_is_free(tmp_path):
    assert Disk(tmp_path).check() >= disks.MIN_FREE_BYTES
    assert not [*tmp_path.iterdir()]


def test_little_room_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(disks, "MIN_FREE_BYTES", 2**80)
    with pytest.raises(DiskTrouble, match=f"the disk of {tmp_path} is full: [0-9]+ KiB are free"):
        Disk(tmp_path).check()


@pytest.mark.parametrize("failing", ["open", "write"])
def test_a_write_that_does_not_land_is_said_with_its_reason(tmp_path, monkeypatch, failing):
    def fail(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(disks.os, failing, fail)
    with pytest.raises(DiskTrouble, match="cannot be written to: Read-only file system"):
        Disk(tmp_path).check()
    assert not [*tmp_path.iterdir()]


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(DiskTrouble, match="No such file or directory"):
        Disk(tmp_path / "gone").check()
