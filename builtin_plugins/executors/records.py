"""An executor as it is made, listed and shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from guildhall_sdk.services.models import Executor

EXECUTOR_NAME_PATTERN = "^[A-Za-z0-9](?:[A-Za-z0-9 ._:/-]*[A-Za-z0-9])?$"
CAPABILITY_PATTERN = "^[a-z0-9](?:[a-z0-9._:-]*[a-z0-9])?$"
MAX_CAPABILITIES = 32


def executor_name_key(name: str) -> str:
    """Returns what the names of executors are compared by."""
    return name.lower()


def order_of(executor: Executor) -> str:
    """Returns what lists are sorted by, and their cursors made of: the local one, then by name."""
    rank = "!" if executor.mode == "local" else ""
    return f"{rank}{executor_name_key(executor.name)}|{executor.id}"


def public(executor: Executor, *, with_url: bool) -> dict[str, Any]:
    """Returns it as the API shows it; where it lives and what was found there is for who manages it."""
    fields: dict[str, Any] = {
        "id": executor.id,
        "name": executor.name,
        "mode": executor.mode,
        "model": executor.model,
        "capabilities": list(executor.capabilities),
        "org_id": executor.org_id,
        "source": executor.source,
        "health": executor.health.public(),
    }
    if with_url and executor.url is not None:
        fields["url"] = executor.url
        fields["quirks"] = dict.fromkeys(executor.quirks, True)
    return fields


@dataclass(frozen=True, slots=True)
class NewExecutor:
    """An executor to be made; a push executor needs `url`, and `org_id` binds it to a company."""

    name: str
    mode: Literal["push", "pull"]
    model: str | None = None
    url: str | None = None
    key: str | None = None
    capabilities: Sequence[str] = ()
    org_id: str | None = None


class AdmittedExecutor(NamedTuple):
    """A new executor that `StoredExecutors.admit` has checked; nothing else makes one."""

    new: NewExecutor
    by_operator: bool
