"""A backup as one encrypted file: a tar in chunks of AES-GCM, none of which can be changed or left out."""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from builtin_plugins.backup.manifest import BackupFault

_MAGIC = b"guildhall backup 1\n"
_SALT, _TAG = 16, 16
_CHUNK = 1024 * 1024
SUFFIX = ".sealed"


def is_sealed(path: Path) -> bool:
    """Tells whether this is an encrypted backup."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


class SealedWriter:
    """Encrypts what is written to it; the last chunk says that it is the last."""

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        salt = os.urandom(_SALT)
        self._file, self._cipher, self._salt = file, _cipher(key, salt), salt
        self._number, self._pending = 0, bytearray()
        file.write(_MAGIC + salt)

    def write(self, data: bytes) -> int:
        self._pending += data
        while len(self._pending) > _CHUNK:
            self._put(bytes(self._pending[:_CHUNK]), last=False)
            del self._pending[:_CHUNK]
        return len(data)

    def finish(self) -> None:
        self._put(bytes(self._pending), last=True)
        self._pending.clear()

    def _put(self, chunk: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._number, last=last), chunk, self._salt))
        self._number += 1


class SealedReader:
    """Gives the bytes of an encrypted file; raises `BackupFault` where the key does not fit."""

    def __init__(self, file: BinaryIO, key: bytes) -> None:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise BackupFault("this is no encrypted backup")
        self._file, self._salt = file, file.read(_SALT)
        self._cipher = _cipher(key, self._salt)
        self._chunks, self._rest = self._opened(), b""

    def read(self, size: int = -1) -> bytes:
        parts, found = [self._rest], len(self._rest)
        while size < 0 or found < size:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            parts.append(chunk)
            found += len(chunk)
        whole = b"".join(parts)
        cut = len(whole) if size < 0 else size
        self._rest = whole[cut:]
        return whole[:cut]

    def _opened(self) -> Iterator[bytes]:
        number, sealed = 0, self._file.read(_CHUNK + _TAG)
        while True:
            following = self._file.read(_CHUNK + _TAG)
            try:
                yield self._cipher.decrypt(_nonce(number, last=not following), sealed, self._salt)
            except InvalidTag:
                raise BackupFault(
                    "this backup does not open: SERVICE_BACKUP_KEY is not the key that it was made with, "
                    "or the file is damaged"
                ) from None
            if not following:
                return
            number, sealed = number + 1, following


def _cipher(key: bytes, salt: bytes) -> AESGCM:
    return AESGCM(HKDF(SHA256(), 32, salt, b"guildhall backup").derive(key))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def seal_folder(folder: Path, target: Path, key: bytes) -> None:
    """Writes a folder into one encrypted file, which is there under its name when it is whole."""
    draft = target.with_name(f".{target.name}.draft")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            sealed = SealedWriter(cast(BinaryIO, file), key)
            with tarfile.open(fileobj=cast(BinaryIO, sealed), mode="w|") as packed:
                packed.add(folder, arcname=".")
            sealed.finish()
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def unseal_folder(path: Path, target: Path, key: bytes | None) -> None:
    """Puts what is in an encrypted file into a folder; raises `BackupFault`."""
    if key is None:
        raise BackupFault(f"{path} is encrypted: set SERVICE_BACKUP_KEY to the key that it was made with")
    with path.open("rb") as file:
        reader = SealedReader(cast(BinaryIO, file), key)
        try:
            with tarfile.open(fileobj=cast(BinaryIO, reader), mode="r|") as packed:
                packed.extractall(target, filter="data")
            while reader.read(_CHUNK):  # to the chunk that says it is the last
                pass
        except tarfile.TarError as error:
            raise BackupFault(f"{path} is damaged: {error}") from None
