"""What the proofs run of others: Debian's programs, unpacked in the environment, and Patroni of PyPI."""

import os
import platform
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = ROOT / ".venv/debian"
PATRONI = ROOT / ".venv/patroni"
_MACHINE = f"{platform.machine()}-linux-gnu"
_LIBRARIES = DEBIAN / "usr/lib" / _MACHINE


def program(name: str) -> str | None:
    """Returns where a program is: the unpacked one, or that of the machine."""
    for folder in ("usr/bin", "usr/sbin"):
        if (DEBIAN / folder / name).is_file():
            return str(DEBIAN / folder / name)
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


def needed(*names: str) -> pytest.MarkDecorator:
    """Skips where one of these programs is missing."""
    missing = [name for name in names if program(name) is None]
    reason = f"{', '.join(missing)} is not here: `make proofs` fetches it"
    return pytest.mark.skipif(bool(missing), reason=reason)


def environment(**more: str) -> dict[str, str]:
    """The environment of such a program: with the libraries that were unpacked beside it."""
    return {
        "PATH": os.environ["PATH"],
        "LD_LIBRARY_PATH": f"{_LIBRARIES}:{DEBIAN / 'lib' / _MACHINE}",
        "LANG": "C.UTF-8",
        **more,
    }


def clock_library() -> Path | None:
    """Returns the library that gives a process another time of day."""
    return next(iter(_LIBRARIES.glob("faketime/libfaketime.so.1")), None)
