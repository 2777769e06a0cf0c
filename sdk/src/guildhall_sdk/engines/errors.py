"""The errors of a database engine, in words for an operator or a caller."""

from guildhall_sdk.errors import OperatorError, Unavailable


class DatabaseUnreachable(OperatorError):
    """The database cannot be opened; the message is one line without a secret."""


class DatabaseInUse(DatabaseUnreachable):
    """Another process has the database, and what is asked for wants it alone."""


class DatabaseOccupied(DatabaseUnreachable):
    """There is something where nothing was expected."""


class DatabaseDamaged(DatabaseUnreachable):
    """Raised when the database does not hold what was written there; the message says what to do."""

    def __init__(self, reason: str, database: str = "the database") -> None:
        super().__init__(
            f"{database} is damaged ({reason}); put a backup in its place: guildhall restore DIR --replace"
        )


class DatabaseBusy(Unavailable):
    """The database does not take a statement just now; what others cannot do just now is another matter."""

    #: Whether that is because there is no room left on its disk.
    disk_full = False


def busy(detail: str, *, disk_full: bool = False) -> DatabaseBusy:
    """Returns the refusal for a moment in which the database does not take the statement."""
    refusal = DatabaseBusy(detail, headers={"Retry-After": "1"})
    refusal.disk_full = disk_full
    return refusal


def took_too_long() -> DatabaseBusy:
    """Returns the refusal for a statement that was stopped; a repeat at once would fare no better."""
    return DatabaseBusy(
        "The database took too long over this and was stopped; nothing was changed. Ask for less, or later.",
        headers={"Retry-After": "10"},
    )
