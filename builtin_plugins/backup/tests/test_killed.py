"""Killed outright at any step, a backup leaves none, and a restore leaves what was there or what is new."""

import os
import re
import shutil
import signal

import pytest

pytestmark = pytest.mark.any_database

# `make soak` takes so many of all steps of a command.
POINTS = 60 if "SOAK_ROUNDS" in os.environ else 0


def some_of(steps, *, in_short=2):
    """The last ones, at which it matters most, and others from the first on; one of each in short."""
    if not POINTS:
        return [steps, steps // 2][:in_short]
    last = list(range(max(1, steps - POINTS // 2), steps + 1))
    return sorted({*range(1, steps + 1, max(1, steps // (POINTS // 2))), *last})


async def titles(place):
    return {row["title"] for row in await place.read("SELECT title FROM notes")}


def test_a_killed_backup_leaves_no_folder_that_passes_for_one(restored, tmp_path):
    target = tmp_path / "kept/nightly"
    steps = restored.run("backup", target).steps
    shutil.rmtree(target)
    for step in some_of(steps):
        assert restored.run("backup", target, dies_at=step).returncode == -signal.SIGKILL
        if target.exists():  # it was whole already
            assert restored.run("backup", "verify", target).returncode == 0
            shutil.rmtree(target)
    done = restored.run("backup", target)
    assert done.returncode == 0, done.output
    assert restored.run("backup", "verify", target).returncode == 0
    assert [path.name for path in target.parent.iterdir()] == ["nightly"], "what the killed left is gone"


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_a_killed_restore_leaves_the_old_or_the_new(restored, backups, dialect):
    steps = restored.run("restore", backups.late, "--replace").steps
    assert await titles(restored) == {"early", "late"}
    for step in some_of(steps, in_short=1 if dialect == "postgresql" else 2):
        assert restored.run("restore", backups.early, "--replace").returncode == 0
        done = restored.run("restore", backups.late, "--replace", dies_at=step)
        assert done.returncode == -signal.SIGKILL
        assert await titles(restored) in ({"early"}, {"early", "late"}), f"killed at step {step} of {steps}"
        for command in (("scrub",), ("audit", "verify")):
            found = restored.run(*command)
            assert found.returncode == 0, (step, command, found.output)


def refusals(output: str) -> list[str]:
    """The lines without those that tell how far a copy has come, which a slow machine gets to see."""
    return [line for line in output.splitlines() if not re.match(r"(?!guildhall)[a-z]+: ", line)]


async def test_a_full_disk_is_one_line_and_changes_nothing(restored, backups, tmp_path):
    for limit in (20_000, 300_000):
        done = restored.run("backup", tmp_path / "nightly", file_limit=limit)
        assert done.returncode == 2 and len(refusals(done.output)) == 1, done.output
        assert str(tmp_path) in done.output, "it says where"
        assert not (tmp_path / "nightly").exists() and not list(tmp_path.glob(".nightly*"))
        done = restored.run("restore", backups.late, "--replace", file_limit=limit)
        assert done.returncode == 2 and len(refusals(done.output)) == 1, done.output
        assert await titles(restored) == {"early"}
    assert restored.run("scrub").returncode == 0
