"""Working files: without a name while they are open, and swept when a process was killed."""

from kernel.scratch import ScratchFolder

CANARY = b"a canary in a working file"


def test_a_working_file_has_no_name_and_what_was_left_is_swept(tmp_path):
    scratch = ScratchFolder(tmp_path)
    with scratch.open() as file:
        file.write(CANARY)
        file.flush()
        folder = tmp_path / "scratch"
        assert (list(folder.iterdir()), folder.stat().st_mode & 0o777) == ([], 0o700)
    (folder / "left").write_bytes(CANARY)
    (folder / "deeper").mkdir()
    (folder / "deeper" / "left").write_bytes(CANARY)
    (folder / "pointer").symlink_to(tmp_path)
    scratch.sweep()
    assert list(folder.iterdir()) == [] and tmp_path.exists()
