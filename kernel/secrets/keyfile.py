"""The instance's secret key: from a setting, or made once in the data folder."""

import os
import secrets
from pathlib import Path

from kernel.faults import BootRefused

KEY_FILE = "secret.key"
MINIMUM_LENGTH = 16


class SecretKeyError(BootRefused):
    """The reason why the instance's secret key cannot be used, in one line for its operator."""


class SecretKeyMismatch(SecretKeyError):
    """This database was sealed with another secret key."""


def parse_secret_key(text: str, where: str) -> bytes:
    """Parses a key; space around it does not count, so that a file may end in a newline."""
    key = text.strip().encode()
    if len(key) < MINIMUM_LENGTH:
        raise SecretKeyError(f"{where}: the secret key is too short; it needs {MINIMUM_LENGTH} characters")
    return key


def load_or_create_secret_key(explicit: str | None, data_folder: Path) -> bytes:
    """Returns the setting's key, or that of `secret.key`, which the first of any racing processes makes."""
    path = data_folder / KEY_FILE
    if explicit is None and not path.exists():
        try:
            _create(path, secrets.token_urlsafe(48))
        except OSError as error:
            raise SecretKeyError(f"{path}: the secret key cannot be made: {error.strerror}") from None
    return load_secret_key(explicit, data_folder)


def load_secret_key(explicit: str | None, data_folder: Path) -> bytes:
    """Returns the setting's key, or that of `secret.key`; for commands that must not make one."""
    if explicit is not None:
        return parse_secret_key(explicit, "SERVICE_SECRET_KEY")
    return read_key_file(data_folder / KEY_FILE)


def read_key_file(path: Path) -> bytes:
    """Reads a key file that nobody but its owner can reach; any other is refused, as ssh does."""
    try:
        return parse_secret_key(_read_private(path), str(path))
    except OSError as error:
        raise SecretKeyError(f"{path}: cannot be used as the secret key: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SecretKeyError(f"{path}: is not a secret key; it must be text") from None


def keep_secret_key(key: bytes, data_folder: Path) -> None:
    """Makes `secret.key` of a key that comes from elsewhere, unless there is one."""
    _create(data_folder / KEY_FILE, key.decode())


def _create(path: Path, key: str) -> None:
    """Makes a whole, durable file under its name at once, unless somebody else's stands there."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(key + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_private(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        mode = os.fstat(file.fileno()).st_mode
        if mode & 0o077:
            raise SecretKeyError(
                f"{path}: others can reach it (mode {mode & 0o777:04o}); run: chmod 600 {path}"
            )
        return file.read(64 * 1024)
