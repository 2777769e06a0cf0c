"""Is a SQLite file still whole?"""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from kernel.db.errors import DatabaseDamaged
from kernel.logs import get_logger

_log = get_logger("db")
_STEPS_BETWEEN_LOOKS = 2_000_000
_SAY_SECONDS = 10.0


def check_after_crash(path: Path) -> None:
    """Reads the whole file, some hundred MiB a second, and raises `DatabaseDamaged`; says that it does."""
    _log.warning("db.checking", reason="the last server did not stop cleanly", bytes=path.stat().st_size)
    began = time.monotonic()
    reason = find_damage(path, thorough=False)
    if reason is not None:
        raise DatabaseDamaged(reason, f"the database {path}")
    _log.info("db.checked", seconds=round(time.monotonic() - began, 3))


def find_damage(path: Path, *, thorough: bool) -> str | None:
    """The first thing that is wrong, in one line; `thorough` compares every index with its table too."""
    began = said = time.monotonic()

    def look() -> int:
        nonlocal said
        now = time.monotonic()
        if now - said >= _SAY_SECONDS:
            said = now
            _log.info("db.still_checking", seconds=round(now - began))
        return 0

    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.set_progress_handler(look, _STEPS_BETWEEN_LOOKS)
            check = "integrity_check" if thorough else "quick_check"
            (found,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if found == "ok" else " ".join(str(found).split())[:200]
