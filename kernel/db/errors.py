"""What goes wrong between us and the database, in words for an operator or a caller."""

from guildhall_sdk import Unavailable


class DatabaseUnreachable(Exception):
    """The database cannot be opened; the message is one line without a secret."""


class MigrationError(Exception):
    """The schema cannot be brought to what the program needs; the message names owner and file."""


def busy(detail: str) -> Unavailable:
    """The refusal for a moment in which the database does not take the statement."""
    return Unavailable(detail, headers={"Retry-After": "1"})
