"""The SQLite file on disk: private to its owner, and owned by one process."""

import fcntl
import os
from pathlib import Path

from databases import DatabaseURL

from kernel.db.errors import DatabaseInUse, DatabaseUnreachable


def database_path(url: DatabaseURL) -> Path:
    """The file that `sqlite:///relative` or `sqlite:////absolute` names."""
    if url.options or url.hostname or url.database in ("", ":memory:"):
        raise DatabaseUnreachable(
            "a SQLite URL names a file, like sqlite:///data/guildhall.db, and takes no options"
        )
    return Path(url.database)


def prepare_file(path: Path, *, must_exist: bool) -> None:
    """Makes the folder 0700 and the file 0600 if they are not there; the WAL inherits the file's mode."""
    try:
        if must_exist and not path.is_file():
            raise DatabaseUnreachable(f"there is no database at {path}")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise DatabaseUnreachable(f"the database {path} cannot be opened: {error.strerror}") from error


class FileLock:
    """Held from connect to disconnect; the kernel of the machine lets go when the process dies.

    `unclean` tells that whoever held it before did not get to release it.
    """

    def __init__(self, database: Path) -> None:
        path = database.with_name(database.name + ".lock")
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
                f"{database} is in use by another server{f' (process {owner})' if owner else ''}; "
                "one process owns a SQLite file, use PostgreSQL for several"
            ) from None
        self.unclean = os.fstat(self._file).st_size > 0
        os.truncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        os.truncate(self._file, 0)
        os.close(self._file)
