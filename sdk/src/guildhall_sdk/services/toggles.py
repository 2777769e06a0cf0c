"""Per-team switches: features and tools."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.principal import Principal


class Features(Protocol):
    async def listing(self, reader: Reader, team_id: str) -> Sequence[dict[str, Any]]: ...

    async def enabled(self, reader: Reader, team_id: str, name: str) -> bool: ...

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        """Raises `NotFound` for a feature that nobody declared."""
        ...


class Tools(Protocol):
    async def listing(self, reader: Reader, team_id: str) -> Sequence[dict[str, Any]]: ...

    async def set(self, writer: Writer, team_id: str, name: str, enabled: bool) -> None:
        """Raises `NotFound` for a tool that nobody declared."""
        ...

    async def call(
        self, reader: Reader, principal: Principal, name: str, arguments: Mapping[str, Any]
    ) -> Any:
        """Runs a tool as this caller: known, enabled for the team, permitted, arguments valid."""
        ...
