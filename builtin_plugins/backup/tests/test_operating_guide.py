"""The commands of the operators' guide, as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_readme import ROOT, bash_blocks

pytestmark = pytest.mark.any_database

GUIDE = ROOT / "docs/operating.md"


def test_the_backup_and_the_rehearsal_of_the_guide_work(place, backups, dialect, tmp_path):
    assert place.run("restore", backups.late).returncode == 0
    section = GUIDE.read_text("utf-8").partition("\n## Backup\n")[2].partition("\n## ")[0]
    assert all(block in section for block in bash_blocks(GUIDE))
    script = "set -euo pipefail\n" + "".join(bash_blocks(GUIDE))
    for theirs, ours in (
        ("/var/backups/guildhall", tmp_path / "backups"),
        ("/var/tmp/rehearsal", tmp_path / "rehearsal"),
        ("/var/lib/guildhall", place.data),
    ):
        script = script.replace(theirs, str(ours))
    bin_folder = Path(sys.executable).parent
    environ = {**place.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    if dialect == "sqlite":
        # The guide's settings name no database: it is the one in the data folder.
        del environ["SERVICE_DATABASE_URL"]
    else:
        script = script.split("export SERVICE_DATA")[0]
    done = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"2 blobs, 1\.3 MiB, as of .*: sound", done.stdout), done.stdout
    assert dialect == "postgresql" or "all hold" in done.stdout
