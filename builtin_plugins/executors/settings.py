"""What an operator decides: the instance's own model, fixed executors, and how long retired ones are kept."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builtin_plugins.executors.endpoints import parse_endpoint
from builtin_plugins.executors.records import (
    CAPABILITY_PATTERN,
    EXECUTOR_NAME_PATTERN,
    MAX_CAPABILITIES,
    executor_name_key,
)
from guildhall_sdk import Reader, Setting, UserError, Writer, load_queries
from guildhall_sdk.retention import Retained, days_setting
from guildhall_sdk.services.models import EXECUTOR_NAME_MAX
from guildhall_sdk.settings import seconds, text, web_url

LOCAL_ID, LOCAL_NAME = "exe_local", "local"
MAX_KEY_CHARACTERS = 4096
_NAME = re.compile(EXECUTOR_NAME_PATTERN.strip("^$"))
_CAPABILITY = re.compile(CAPABILITY_PATTERN.strip("^$"))
_KEY = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class EnvironmentExecutor:
    """A push executor of the operator's settings; its id follows from its name."""

    id: str
    name: str
    url: str
    model: str | None
    capabilities: tuple[str, ...]
    key: str | None = field(repr=False)


def executors(given: str) -> Sequence[EnvironmentExecutor]:
    """Returns those of `SERVICE_EXECUTORS`; raises `ValueError` with the name and what is wrong."""
    found: dict[str, EnvironmentExecutor] = {}
    for row in _rows(given):
        if fault := _fault(row):
            raise ValueError(f"the executor {row['name']!r}: {fault}")
        name = row["name"]
        name_key = executor_name_key(name)
        if name_key == LOCAL_NAME or name_key in found:
            raise ValueError(f"the name {name!r} is there twice")
        found[name_key] = EnvironmentExecutor(
            id=f"exe_env_{hashlib.sha256(name_key.encode()).hexdigest()[:24]}",
            name=name,
            url=parse_endpoint(row["url"]).url,
            model=row["model"],
            capabilities=tuple(dict.fromkeys(row.get("capabilities", ()))),
            key=row.get("key"),
        )
    return tuple(found.values())


def _rows(given: str) -> Sequence[Mapping[str, Any]]:
    form = "takes JSON: [{name, url, model, key?, capabilities?}]"
    try:
        rows = json.loads(given)
    except (ValueError, RecursionError):
        raise ValueError(form) from None
    wanted, known = {"name", "url", "model"}, {"name", "url", "model", "key", "capabilities"}
    if not isinstance(rows, list) or not all(isinstance(r, dict) and wanted <= set(r) <= known for r in rows):
        raise ValueError(form)
    return rows


def _fault(row: Mapping[str, Any]) -> str | None:
    for name in ("name", "url", "model", "key"):
        if name in row and not (isinstance(row[name], str) and row[name]):
            return f"its {name} is not a text"
    capabilities = row.get("capabilities", [])
    if not isinstance(capabilities, list):
        return "its capabilities are not a list"
    faults = {
        "name": name_fault(row["name"]),
        "key": key_fault(row["key"]) if "key" in row else None,
        "capabilities": capabilities_fault(capabilities),
    }
    for name, fault in faults.items():
        if fault is not None:
            return f"its {name} {fault}"
    try:
        parse_endpoint(row["url"])
    except UserError as refusal:
        return refusal.detail
    return None


def name_fault(name: str) -> str | None:
    if not 1 <= len(name) <= EXECUTOR_NAME_MAX or not _NAME.fullmatch(name):
        return (
            f"takes 1 to {EXECUTOR_NAME_MAX} letters, digits, spaces and . _ : / -, "
            "with a letter or digit at both ends"
        )
    return None


def key_fault(key: str) -> str | None:
    if len(key) > MAX_KEY_CHARACTERS or not _KEY.fullmatch(key):
        return "takes printable ASCII without spaces"
    return None


def capabilities_fault(capabilities: Sequence[Any]) -> str | None:
    words = all(isinstance(word, str) and _CAPABILITY.fullmatch(word) for word in capabilities)
    if len(capabilities) > MAX_CAPABILITIES or not words:
        return f"takes at most {MAX_CAPABILITIES} words of lower-case letters, digits and . _ : -"
    return None


def endpoint_url(given: str) -> str:
    """Returns the address of an endpoint, in the one spelling that is kept."""
    try:
        return parse_endpoint(web_url(given)).url
    except UserError as refusal:
        raise ValueError(refusal.detail) from None


MODEL_URL: Setting[str | None] = Setting(
    name="model_url",
    variable="SERVICE_MODEL_URL",
    help="the default model's address, /v1 included",
    default=None,
    parse=endpoint_url,
)
MODEL_KEY: Setting[str | None] = Setting(
    name="model_key",
    variable="SERVICE_MODEL_KEY",
    help="the default model's key",
    default=None,
    parse=text,
    secret=True,
)
MODEL_NAME: Setting[str | None] = Setting(
    name="model_name",
    variable="SERVICE_MODEL_NAME",
    help="the name of the default model",
    default=None,
    parse=text,
)
EXECUTORS: Setting[Sequence[EnvironmentExecutor]] = Setting(
    name="executors",
    variable="SERVICE_EXECUTORS",
    help="executors, as JSON",
    default=(),
    parse=executors,
    secret=True,
)
TIMEOUT: Setting[int] = Setting(
    name="timeout",
    variable="SERVICE_EXECUTOR_TIMEOUT",
    help="how long a model turn may wait",
    default=120,
    parse=seconds,
)
SETTINGS: Sequence[Setting[Any]] = (
    MODEL_URL,
    MODEL_KEY,
    MODEL_NAME,
    EXECUTORS,
    TIMEOUT,
)

sql = load_queries(Path(__file__).with_name("retention.sql"))

KEEP_EXECUTORS_DAYS = days_setting(
    "keep_retired_days",
    what="executors that were retired",
    default=365,
    variable="SERVICE_KEEP_RETIRED_EXECUTORS_DAYS",
)


async def _count(reader: Reader, before: int) -> int:
    return int(await reader.value(sql.count, before=before))


async def _delete_old(writer: Writer, before: int, limit: int) -> int:
    return len(await writer.all(sql.delete, before=before, limit=limit))


RETIRED_EXECUTORS = Retained(
    name="retired_executors",
    title="executors that were retired",
    keep_days=KEEP_EXECUTORS_DAYS,
    count=_count,
    delete_expired=_delete_old,
)
