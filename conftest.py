"""For every test of this repository: where it writes, and which examples property tests draw."""

import gc
import os
import shutil
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

# The same examples each time, at any pace.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")

# Every commit waits for the disk, and nothing that a test writes has to last: where there is room in memory,
# pytest has its folders there.
_MEMORY, _ROOM = Path("/dev/shm"), 4 * 1024**3
if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

if sys.dont_write_bytecode:
    # Every process of a test would compile all that it imports; so they share it, away from the sources.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parent / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A hall makes a hundred thousand objects: at the usual pace looking at them is a quarter of a test's time.
gc.set_threshold(50_000, 10, 10)


def pytest_collection_finish() -> None:
    """Spares the garbage collector what was imported and collected: it stays."""
    gc.collect()
    gc.freeze()
