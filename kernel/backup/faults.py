"""What stands in the way of a backup or a restore."""

from guildhall_sdk import OperatorError


class BackupFault(OperatorError):
    """One line for the operator, that says what to do."""
