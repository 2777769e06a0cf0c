"""The commands of the operators' guide, as they stand there."""

import re
import shlex
import subprocess

import pytest

from tests import commands
from tests.test_readme import ROOT, bash_blocks

pytestmark = pytest.mark.any_database

GUIDE = ROOT / "docs/operating.md"


def test_the_backup_and_the_rehearsal_of_the_guide_work(place, backups, dialect, tmp_path):
    assert place.run("restore", backups.late).returncode == 0
    section = GUIDE.read_text("utf-8").partition("\n## Backup\n")[2].partition("\n## ")[0]
    assert all(block in section for block in bash_blocks(GUIDE))
    script = "".join(bash_blocks(GUIDE))
    for theirs, ours in (
        ("/var/backups/guildhall", tmp_path / "backups"),
        ("/var/tmp/rehearsal", tmp_path / "rehearsal"),
        ("/var/lib/guildhall", place.data),
    ):
        script = script.replace(theirs, str(ours))
    environ = place.environ
    if dialect == "sqlite":
        # The guide's settings name no database: it is the one in the data folder.
        del environ["SERVICE_DATABASE_URL"]
    else:
        script = script.split("export SERVICE_DATA")[0]
    said = "".join(outputs(script, environ))
    assert re.search(r"2 blobs, 1\.3 MiB, as of .*: sound", said), said
    assert dialect == "postgresql" or "all hold" in said


def outputs(script, environ):
    """What each of our commands says, in a process that is forked for it; the others are the system's."""
    for name, *words in map(shlex.split, re.split(r"\n| && ", script.strip())):
        if name == "export":
            environ.update([words[0].split("=", 1)])
        elif name == "guildhall":
            done = commands.run(environ, words)
            assert done.returncode == 0, (words, done.output)
            yield done.stdout
        else:
            subprocess.run([name, *words], check=True)
