"""The instance's secret key: from a setting, or made once in the data folder."""

import secrets
from pathlib import Path

from kernel.config import MIN_KEY_LENGTH, PRODUCT
from kernel.faults import BootRefused
from kernel.logs import get_logger
from libs.private_files import NotPrivate, create_private, read_private
from libs.secret_values import MAKE_ONE, guessable

_log = get_logger("secrets")
KEY_FILE = "secret.key"
_MAX_CHARACTERS = 64 * 1024
_SHARED = "All servers on one database share one key"


class SecretKeyError(BootRefused):
    """The reason why the instance's secret key cannot be used, in one line for its operator."""


class SecretKeyMismatch(SecretKeyError):
    """This database was sealed with another secret key."""


class SecretKey:
    """The secret key of an instance: that of its setting, else that of `secret.key` in its data folder."""

    def __init__(self, explicit: str | None, data_folder: Path) -> None:
        self._explicit = explicit
        self.file = data_folder / KEY_FILE

    def is_set_up(self) -> bool:
        return self._explicit is not None or self.file.exists()

    def key(self) -> bytes:
        """Returns the key that is there; makes none."""
        if self._explicit is not None:
            return _parse(self._explicit, "SERVICE_SECRET_KEY")
        return self.read(self.file)

    def key_or_new(self) -> bytes:
        """Returns the key, which the first of any racing processes makes."""
        if not self.is_set_up():
            try:
                create_private(self.file, secrets.token_urlsafe(48) + "\n")
            except OSError as error:
                raise SecretKeyError(
                    f"{self.file}: the secret key cannot be made: {error.strerror}"
                ) from None
        return self.key()

    def store(self, key: bytes) -> None:
        """Makes `secret.key` of a key that comes from elsewhere, unless there is one."""
        create_private(self.file, key.decode() + "\n")

    @staticmethod
    def read(file: Path) -> bytes:
        """Reads a key file that nobody but its owner can reach; any other is refused, as ssh does."""
        try:
            return _parse(read_private(file, _MAX_CHARACTERS), str(file))
        except NotPrivate as fault:
            raise SecretKeyError(f"{file}: {fault}") from None
        except OSError as error:
            raise SecretKeyError(f"{file}: cannot be used as the secret key: {error.strerror}") from None
        except UnicodeDecodeError:
            raise SecretKeyError(f"{file}: is not a secret key; it must be text") from None


def _parse(text: str, where: str) -> bytes:
    """Parses a key; space around it does not count, so that a file may end in a newline."""
    key = text.strip().encode()
    if len(key) < MIN_KEY_LENGTH:
        raise SecretKeyError(f"{where}: the secret key is too short; it needs {MIN_KEY_LENGTH} characters")
    return key


class ServerKey(SecretKey):
    """The secret key of a server, which its first start makes: only once it knows that there is none yet."""

    def __init__(self, explicit: str | None, data_folder: Path) -> None:
        super().__init__(explicit, data_folder)
        self._where = "SERVICE_SECRET_KEY" if explicit is not None else str(self.file)
        if self.is_set_up():
            self.key()  # so that what is wrong with it is said at once

    def of_new_database(self) -> bytes:
        """Returns the key that a database is sealed with from now on; raises for one that can be guessed."""
        key = self.key_or_new()
        if (fault := guessable(key.decode(), PRODUCT)) is not None:
            raise SecretKeyError(
                f"{self._where}: the secret key {fault}; {MAKE_ONE}. "
                "A file that holds it is named by SERVICE_SECRET_KEY_FILE"
            )
        return key

    def of_sealed_database(self) -> bytes:
        """Returns the key that is there, however weak: the database is sealed with it. Makes none."""
        if not self.is_set_up():
            raise SecretKeyMismatch(
                "this database was sealed with a secret key that is not here. "
                f"{_SHARED}: put it at {self._where}, or set SERVICE_SECRET_KEY or SERVICE_SECRET_KEY_FILE"
            )
        key = self.key()
        if (fault := guessable(key.decode(), PRODUCT)) is not None:
            _log.warning(
                "secret_key.weak", reason=f"it {fault}", remedy="guildhall secrets rewrap NEW_KEY_FILE"
            )
        return key
