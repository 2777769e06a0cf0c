"""A zip file that is not believed: what its parts expand to is judged before each is opened."""

import codecs
from collections.abc import Collection, Iterator
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from .limits import ReadingLimits
from .refusal import ReadingRefused

_CHUNK_BYTES = 64 * 1024
_LARGE_BYTES = 16 << 20
_ENCRYPTED_FLAG = 0x1

# How names in a zip file are spelled that are not in UTF-8; looked up while modules can be loaded.
codecs.lookup("cp437")


class Archive:
    def __init__(self, document: BinaryIO, limits: ReadingLimits) -> None:
        try:
            self._zip = ZipFile(document)
        except (BadZipFile, EOFError, NotImplementedError, ValueError):
            raise ReadingRefused("is a package that is cut off or malformed") from None
        if len(self._zip.infolist()) > limits.parts:
            raise ReadingRefused(f"is a package of more than {limits.parts} parts")
        self._limits = limits
        self._room = limits.expanded_bytes

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def names(self) -> Collection[str]:
        return self._zip.NameToInfo.keys()

    def require(self, name: str) -> ZipInfo:
        try:
            return self._zip.getinfo(name)
        except KeyError:
            raise ReadingRefused(f"lacks its part {name[:80]}") from None

    def chunks(self, name: str) -> Iterator[bytes]:
        info = self.require(name)
        self._judge(info)
        with self._zip.open(info) as part:
            # Never more than was announced and judged: that much zipfile sees to.
            while chunk := part.read(_CHUNK_BYTES):
                self._room -= len(chunk)
                yield chunk

    def _judge(self, info: ZipInfo) -> None:
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise ReadingRefused("is locked by a password")
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ReadingRefused("is packed by a method that Office files do not use")
        if info.file_size > self._room:
            max_mib = self._limits.expanded_bytes >> 20
            raise ReadingRefused(f"is a package that expands to more than {max_mib} MiB")
        if info.file_size > max(_LARGE_BYTES, self._limits.expansion * info.compress_size):
            raise ReadingRefused(f"is a package that expands more than {self._limits.expansion} times")
