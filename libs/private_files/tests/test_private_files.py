"""Private files: made whole by one of many, read from nobody else's reach, and without a name."""

import stat

import pytest

from libs.private_files import NotPrivate, ScratchFolder, create_private, read_private


def test_the_first_one_made_stays_and_is_its_owners_alone(tmp_path):
    path = tmp_path / "folder" / "key"
    create_private(path, "first")
    create_private(path, "second")
    assert read_private(path, 100) == "first"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["key"]


def test_a_file_that_others_can_reach_is_refused_with_the_remedy(tmp_path):
    path = tmp_path / "key"
    create_private(path, "text")
    path.chmod(0o640)
    with pytest.raises(NotPrivate, match=r"mode 0640.*chmod 600"):
        read_private(path, 100)


def test_a_working_file_has_no_name_and_what_was_left_is_swept(tmp_path):
    folder = tmp_path / "scratch"
    scratch = ScratchFolder(folder)
    with scratch.open() as file:
        file.write(b"content")
        file.flush()
        assert (list(folder.iterdir()), folder.stat().st_mode & 0o777) == ([], 0o700)
    (folder / "left").write_bytes(b"content")
    (folder / "deeper").mkdir()
    (folder / "deeper" / "left").write_bytes(b"content")
    (folder / "pointer").symlink_to(tmp_path)
    scratch.sweep()
    assert list(folder.iterdir()) == [] and tmp_path.exists()
