"""The command that starts a Python child with little in it: no environment, no site of a user, no SDK."""

import sys
from collections.abc import Mapping
from pathlib import Path

ENVIRONMENT: Mapping[str, str] = {"LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}
_SDK = Path(__file__).resolve().parent.parent
# An empty package in place of the SDK's own, so that only what is named below it is loaded.
_PRELUDE = (
    "import sys; sdk = sys.modules['guildhall_sdk'] = type(sys)('guildhall_sdk');"
    " sdk.__path__ = [sys.argv[1]]; "
)


def confined_command(program: str, *arguments: str) -> tuple[str, ...]:
    """Returns the command that runs `program` with these arguments as a child to be confined.

    The program has the arguments as `sys.argv[2:]`, and can import `guildhall_sdk.confinement`.
    """
    return (sys.executable, "-I", "-B", "-c", _PRELUDE + program, str(_SDK), *arguments)
