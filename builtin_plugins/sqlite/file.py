"""The SQLite file on disk: private to its owner, owned by one process, and still whole or not."""

import fcntl
import logging
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urlsplit

from guildhall_sdk.engines.engine import DatabaseDamaged, DatabaseInUse, DatabaseUnreachable

_log = logging.getLogger("guildhall.db")
_STEPS_BETWEEN_LOOKS = 2_000_000
_SAY_SECONDS = 10.0


def database_path(text: str) -> Path:
    """Returns the file that `sqlite:///relative` or `sqlite:////absolute` names."""
    url = urlsplit(text)
    path = unquote(url.path.removeprefix("/"))
    if url.query or url.hostname or path in ("", ":memory:"):
        raise DatabaseUnreachable(
            "a SQLite URL names a file, like sqlite:///data/guildhall.db, and takes no options"
        )
    return Path(path)


def prepare_file(path: Path, *, must_exist: bool) -> None:
    """Makes the folder 0700 and the file 0600 if they are not there; the WAL inherits the file's mode."""
    try:
        if must_exist and not path.is_file():
            raise DatabaseUnreachable(f"there is no database at {path}")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise DatabaseUnreachable(f"the database {path} cannot be opened: {error.strerror}") from error


def owner_of(database: Path) -> int | None:
    """Returns the process that owns the file, if it lives; takes no lock: a server may just be starting."""
    try:
        pid = int(lock_path(database).read_text("ascii"))
        os.kill(pid, 0)
    except PermissionError:
        return pid
    except (OSError, ValueError):
        return None
    return pid


def lock_path(database: Path) -> Path:
    return database.with_name(database.name + ".lock")


class FileLock:
    """Held from connect to disconnect; the kernel of the machine lets go when the process dies.

    `unclean` tells that whoever held it before did not get to release it.
    """

    def __init__(self, database: Path) -> None:
        path = lock_path(database)
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DatabaseUnreachable(f"the lock {path} cannot be opened: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(self._file, 20, 0).decode("ascii", "replace").strip()
            os.close(self._file)
            raise DatabaseInUse(
                f"{database} is in use by a server{f' (process {owner})' if owner else ''}: stop the server "
                "first. One process owns a SQLite file; for several use PostgreSQL"
            ) from None
        self.unclean = os.fstat(self._file).st_size > 0
        os.truncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        os.truncate(self._file, 0)
        os.close(self._file)


def check_after_crash(path: Path) -> None:
    """Reads the whole file, some hundred MiB a second, and raises `DatabaseDamaged`; says that it does."""
    fields = {"reason": "the last server did not stop cleanly", "bytes": path.stat().st_size}
    _log.warning("db.checking", extra={"fields": fields})
    began = time.monotonic()
    reason = find_damage(path, thorough=False)
    if reason is not None:
        raise DatabaseDamaged(reason, f"the database {path}")
    _log.info("db.checked", extra={"fields": {"seconds": round(time.monotonic() - began, 3)}})


def find_damage(path: Path, *, thorough: bool) -> str | None:
    """Returns the first damage in one line; `thorough` compares every index with its table too."""
    began = logged_at = time.monotonic()

    def log_progress() -> int:
        nonlocal logged_at
        now = time.monotonic()
        if now - logged_at >= _SAY_SECONDS:
            logged_at = now
            _log.info("db.still_checking", extra={"fields": {"seconds": round(now - began)}})
        return 0

    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.set_progress_handler(log_progress, _STEPS_BETWEEN_LOOKS)
            check = "integrity_check" if thorough else "quick_check"
            (found,) = connection.execute(f"PRAGMA {check}(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if found == "ok" else " ".join(str(found).split())[:200]


def connect(path: Path, last_pragma: str, patience: float) -> sqlite3.Connection:
    """Opens a connection, for any thread, that waits so many seconds for a lock."""
    connection = sqlite3.connect(
        path,
        isolation_level=None,
        timeout=patience,
        cached_statements=1024,
        check_same_thread=False,
    )
    if connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
        raise sqlite3.OperationalError("its file system has no shared memory for a WAL")
    for pragma in (
        "PRAGMA synchronous=FULL",
        "PRAGMA foreign_keys=ON",
        "PRAGMA temp_store=MEMORY",
        "PRAGMA cache_size=-16000",
        last_pragma,
    ):
        connection.execute(pragma)
    return connection
