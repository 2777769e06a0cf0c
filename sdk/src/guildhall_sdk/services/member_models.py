"""Models by the names that members know them by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from guildhall_sdk.data import Reader
from guildhall_sdk.principal import Principal

#: The model that is there without set-up.
DEFAULT_MODEL = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberModel:
    """A model that somebody may use.

    `executor` runs it, None is the hall's own; `model` is asked for there, None is the executor's. `roles`
    are what it is good for: `chat`, and the model roles that it has. `price` is `{currency,
    input_per_million, output_per_million}`.
    """

    name: str
    label: str
    description: str = ""
    executor: str | None = None
    model: str | None = None
    roles: Sequence[str] = ("chat",)
    price: Mapping[str, Any] | None = None


class MemberModels(Protocol):
    """The models that an instance and its companies name for their people. Its plugin may be absent."""

    async def usable(self, reader: Reader, principal: Principal) -> Sequence[MemberModel]:
        """Returns those that somebody may use, by name."""

    async def named(self, reader: Reader, principal: Principal, name: str) -> MemberModel:
        """Returns one that somebody may use; raises `NotFound` `unknown_model` for any other."""
