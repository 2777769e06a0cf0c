"""Preferences in the database: checked when they are written, and again when their schema has changed."""

import copy
import hashlib
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from guildhall_sdk import (
    Clock,
    InvalidRequest,
    PermissionDenied,
    Preference,
    Principal,
    Reader,
    Row,
    Statement,
    TooLarge,
    Writer,
    load_queries,
)
from guildhall_sdk.errors import PreconditionFailed
from guildhall_sdk.plugin import PluginData, Plugins, RemovedPlugin
from guildhall_sdk.schema import Schema
from guildhall_sdk.services.computing import Validator, Validators
from guildhall_sdk.settings import StoredPreference

sql = load_queries(Path(__file__).with_name("queries.sql"))
Value = TypeVar("Value")
#: How long a value may be as JSON in UTF-8.
MAX_PREFERENCE_BYTES = 64 * 1024
_log = logging.getLogger("guildhall.preferences")


class _Statements(NamedTuple):
    value: Statement
    overwrite: Statement
    insert: Statement
    update: Statement


_STATEMENTS: Mapping[str, _Statements] = {
    "team": _Statements(sql.team_value, sql.team_overwrite, sql.team_insert, sql.team_update),
    "company": _Statements(sql.company_value, sql.company_overwrite, sql.company_insert, sql.company_update),
}


@dataclass(frozen=True, slots=True, eq=False)
class _Declared:
    """A preference, the plugin that declares it, and its schema to check with and to compare by."""

    plugin: str
    preference: Preference[Any]
    checker: Validator
    digest: str
    outdated: set[str]  # labels of which the log says already that an old value no longer fits

    @property
    def label(self) -> str:
        return f"{self.plugin}.{self.preference.name}"

    @property
    def statements(self) -> _Statements:
        return _STATEMENTS[self.preference.holder]

    def default(self) -> Any:
        """Returns a copy of the default, which a caller may change."""
        return copy.deepcopy(self.preference.default)

    def stored(self, row: Row | None) -> StoredPreference[Any]:
        if row is None:
            return StoredPreference(value=self.default())
        return StoredPreference(
            value=self._value(row),
            version=row["version"],
            updated_at=row["updated_at"],
            updated_by=row["updated_by"],
        )

    def _value(self, row: Row) -> Any:
        """Returns the value of a row, checked again where its schema has changed: readers rely on that."""
        if row["value"] is None:
            return self.default()
        value = json.loads(row["value"])
        if row["schema"] != self.digest:
            try:
                self.checker.check(value)
            except InvalidRequest as refusal:
                if self.label not in self.outdated:
                    self.outdated.add(self.label)
                    fields = {"preference": self.label, "detail": refusal.detail}
                    _log.warning("preference.outdated", extra={"fields": fields})
                return self.default()
        return value


class StoredPreferences:
    """Implements the SDK's `Preferences`."""

    def __init__(self, plugins: Plugins, validators: Validators, clock: Clock) -> None:
        self._plugins = plugins
        self._validators = validators
        self._clock = clock
        self._outdated: set[str] = set()
        self._owned: Sequence[tuple[str, Preference[Any]]] = plugins.owned(Preference)
        self.declare(self._owned)

    def declare(self, declared: Iterable[tuple[str, Preference[Any]]]) -> None:
        """Replaces the declared preferences."""
        self._declared = {
            preference: _Declared(
                plugin,
                preference,
                self._validators.validator(preference.schema),
                _digest(preference.schema),
                self._outdated,
            )
            for plugin, preference in declared
        }

    async def team(self, reader: Reader, team_id: str, preference: Preference[Value]) -> Value:
        return (await self._stored(reader, "team", team_id, preference)).value

    async def company(self, reader: Reader, org_id: str, preference: Preference[Value]) -> Value:
        return (await self._stored(reader, "company", org_id, preference)).value

    async def read(
        self, reader: Reader, principal: Principal, preference: Preference[Value]
    ) -> StoredPreference[Value]:
        permission = preference.read_permission
        if permission is not None and not principal.may(permission):
            raise PermissionDenied(permission)
        return await self._stored(reader, preference.holder, _holder_id(principal, preference), preference)

    async def write(
        self,
        writer: Writer,
        principal: Principal,
        preference: Preference[Value],
        value: Value,
        *,
        version: int | None = None,
    ) -> StoredPreference[Value]:
        declared = self._find(preference, preference.holder)
        _check_writer(principal, preference)
        text = _as_json(value, declared.label)
        declared.checker.check(json.loads(text))
        return await self._change(writer, principal, declared, text, version)

    async def reset(
        self,
        writer: Writer,
        principal: Principal,
        preference: Preference[Value],
        *,
        version: int | None = None,
    ) -> StoredPreference[Value]:
        declared = self._find(preference, preference.holder)
        _check_writer(principal, preference)
        return await self._change(writer, principal, declared, None, version)

    async def _change(
        self, writer: Writer, principal: Principal, declared: _Declared, text: str | None, version: int | None
    ) -> StoredPreference[Any]:
        """Writes a value by one statement, which decides between two who write at once."""
        now, statements = self._clock.now_ms(), declared.statements
        binds = {
            "holder_id": _holder_id(principal, declared.preference),
            "plugin": declared.plugin,
            "name": declared.preference.name,
            "value": text,
            "schema": declared.digest,
            "now": now,
            "user_id": principal.user_id,
        }
        if version is None:
            row = await writer.one(statements.overwrite, **binds)
        elif version == 0:
            row = await writer.one(statements.insert, **binds)
        else:
            row = await writer.one(statements.update, **binds, version=version)
        if row is None:
            raise PreconditionFailed("It changed since you read it; read it again and repeat.")
        detail = {"holder": declared.preference.holder, "version": row["version"]}
        writer.audit("preference.changed", ("preference", declared.label), detail=detail)
        return StoredPreference(
            value=declared.default() if text is None else json.loads(text),
            version=row["version"],
            updated_at=now,
            updated_by=principal.user_id,
        )

    async def _stored(
        self, reader: Reader, holder: str, holder_id: str, preference: Preference[Value]
    ) -> StoredPreference[Value]:
        declared = self._find(preference, holder)
        row = await reader.one(
            declared.statements.value, holder_id=holder_id, plugin=declared.plugin, name=preference.name
        )
        return declared.stored(row)

    def _find(self, preference: Preference[Any], holder: str) -> _Declared:
        owned = self._plugins.owned(Preference)
        if owned is not self._owned:  # a plugin could not start, and was taken out again
            self._owned = owned
            self.declare(owned)
        found = self._declared.get(preference)
        if found is None:
            raise LookupError(
                f"no plugin declares the preference {preference.name!r}: "
                "give this very object in declare_preferences"
            )
        if preference.holder != holder:
            raise LookupError(f"the preference {found.label} is a {preference.holder}'s, not a {holder}'s")
        return found


def _holder_id(principal: Principal, preference: Preference[Any]) -> str:
    return principal.team_id if preference.holder == "team" else principal.org_id


def _check_writer(principal: Principal, preference: Preference[Any]) -> None:
    if not principal.may(preference.write_permission):
        raise PermissionDenied(preference.write_permission)


def _digest(schema: Schema) -> str:
    return hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()


def _as_json(value: Any, label: str) -> str:
    """Encodes the value; its length is checked before its schema, so that what is too long costs little."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError):
        raise InvalidRequest(f"The preference {label} takes JSON.") from None
    if size > MAX_PREFERENCE_BYTES:
        raise TooLarge(f"The preference {label} takes at most {MAX_PREFERENCE_BYTES} bytes as JSON.")
    return text


async def _count(reader: Reader, removed: RemovedPlugin) -> int:
    return int(await reader.value(sql.count_of_plugin, plugin=removed.id))


async def _remove(writer: Writer, removed: RemovedPlugin) -> None:
    await writer.run(sql.drop_team_values, plugin=removed.id)
    await writer.run(sql.drop_company_values, plugin=removed.id)


#: What was decided about a plugin that is gone.
PLUGIN_DATA = (PluginData(name="preferences", count=_count, remove=_remove),)
