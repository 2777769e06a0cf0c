"""What a text says of the fields of a schema."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

Path = tuple[str, ...]


class Fields(Protocol):
    """Values for the places of a schema; nothing where nothing is said."""

    def texts(self, path: Path, hints: Mapping[str, Any]) -> Iterable[str]: ...

    def numbers(self, path: Path) -> Iterable[int | float]: ...

    def boolean(self, path: Path) -> bool | None: ...

    def choice(self, path: Path, values: Sequence[Any]) -> Any: ...

    def items(self, path: Path, names: Sequence[str] | None) -> "Iterable[Fields]":
        """The items of a list; `names` are the properties of each, where they are objects."""
        ...


class NoFields:
    """Knows nothing."""

    def texts(self, _path: Path, _hints: Mapping[str, Any]) -> Iterable[str]:
        return ()

    def numbers(self, _path: Path) -> Iterable[int | float]:
        return ()

    def boolean(self, _path: Path) -> bool | None:
        return None

    def choice(self, _path: Path, _values: Sequence[Any]) -> Any:
        return None

    def items(self, _path: Path, _names: Sequence[str] | None) -> Iterable[Fields]:
        return ()
