import asyncio
import os
import subprocess
import sys
from pathlib import Path

from guildhall_testing.hall import Hall


async def test_the_command_names_a_company(hall: Hall) -> None:
    """It runs beside the server, on the same database."""
    settings = hall.server.settings
    place = {"SERVICE_DATA": str(settings.data), "SERVICE_DATABASE_URL": str(settings.database_url)}
    guildhall = str(Path(sys.executable).with_name("guildhall"))
    done = await asyncio.to_thread(
        subprocess.run,
        [guildhall, "sample-plugin", hall.acme.org_id],
        env={**os.environ, **place},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f" is {hall.acme.org_id}\n")
