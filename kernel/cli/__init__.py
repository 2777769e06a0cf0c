"""The command `guildhall`."""

import gc
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; what goes wrong is one line on standard error."""
    gc.disable()  # nearly all that an import makes stays: to look for what does not takes a tenth of it
    try:
        from kernel.cli.command_line import run
    finally:
        gc.enable()
    return run(arguments)
