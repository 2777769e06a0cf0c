"""What stands in the way of a backup or a restore."""


class BackupFault(Exception):
    """One line for the operator, that says what to do."""
