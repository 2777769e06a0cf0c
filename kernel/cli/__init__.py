"""The command `guildhall`."""

import argparse
import os
import sys
from collections.abc import Sequence

from kernel import __version__
from kernel.config import Settings, SettingsError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; what goes wrong is one line on standard error."""
    from kernel.cli import (
        audit,
        backup,
        doctor,
        people,
        plugin,
        restore,
        scrub,
        secrets,
        serve,
        worker,
    )

    parser = argparse.ArgumentParser(prog="guildhall", description="A team workspace server.")
    parser.add_argument("--version", action="version", version=f"guildhall {__version__}")
    parser.set_defaults(settings=Settings.from_environment)
    commands = parser.add_subparsers(required=True, metavar="command")
    for group in (serve, worker, plugin, people, audit, secrets, backup, restore, scrub, doctor):
        group.add_to(commands)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options, options.settings(os.environ)))
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if not isinstance(error, expected_faults()):
            raise
        print(f"guildhall: {error}", file=sys.stderr)
        return 2


def expected_faults() -> tuple[type[Exception], ...]:
    """What an operator can mend; it is said in one line, without a traceback."""
    from kernel.backup import BackupFault
    from kernel.db import DatabaseUnreachable, MigrationError
    from kernel.disks import DiskTrouble
    from kernel.faults import BootRefused, CommandRefused
    from kernel.http.listener import AddressTaken

    return (
        AddressTaken,
        BackupFault,
        BootRefused,
        CommandRefused,
        DatabaseUnreachable,
        DiskTrouble,
        MigrationError,
        SettingsError,
    )
