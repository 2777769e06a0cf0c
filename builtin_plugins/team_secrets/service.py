"""Storing, listing and deleting secrets of teams, and giving them to plugins, without HTTP."""

import re
from collections.abc import Sequence
from pathlib import Path

from guildhall_sdk import (
    Conflict,
    Host,
    InvalidRequest,
    NotFound,
    Principal,
    Reader,
    Row,
    Writer,
    load_queries,
    new_id,
)
from guildhall_sdk.plugin import TeamContent, TeamMove
from guildhall_sdk.services.identity import Vault

sql = load_queries(Path(__file__).with_name("queries.sql"))

MAX_SECRETS = 200
MAX_VALUE = 16_384
MAX_NAME = 64
_NAME = re.compile(rf"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{{0,{MAX_NAME - 2}}}[A-Za-z0-9_])?")
_IN_VAULT = "team_secret"


class StoredSecrets:
    """Implements the SDK's `TeamSecrets`, and what the rows do."""

    def __init__(self, host: Host) -> None:
        self._clock = host.clock
        self._vault = host.service(Vault)

    async def get(self, reader: Reader, team_id: str, name: str) -> str | None:
        row = await reader.one(sql.secret, team_id=team_id, name=name)
        if row is None:
            return None
        value = await self._vault.get(reader, _IN_VAULT, row["org_id"], row["id"])
        return None if value is None else value.decode()

    async def names(self, reader: Reader, team_id: str) -> Sequence[str]:
        return [row["name"] for row in await self.rows(reader, team_id)]

    async def rows(self, reader: Reader, team_id: str) -> Sequence[Row]:
        """Returns the name of each secret, and when it was set."""
        return await reader.all(sql.secrets_of_team, team_id=team_id)

    async def put(self, writer: Writer, caller: Principal, name: str, value: str) -> int:
        """Stores a secret, in place of the one that was there; returns the time."""
        _check_name(name)
        now = self._clock.now_ms()
        await writer.serialize(f"team_secrets.{caller.team_id}")
        known = await writer.one(sql.secret, team_id=caller.team_id, name=name)
        if known is None and await writer.value(sql.many_of_team, team_id=caller.team_id) >= MAX_SECRETS:
            raise Conflict(
                f"A team has at most {MAX_SECRETS} secrets. Delete some first.", code="too_many_secrets"
            )
        secret_id = await writer.value(
            sql.put_secret,
            id=new_id("sec", now),
            org_id=caller.org_id,
            team_id=caller.team_id,
            name=name,
            now=now,
        )
        await self._vault.put(writer, _IN_VAULT, caller.org_id, secret_id, value.encode())
        action = "team_secret.created" if known is None else "team_secret.replaced"
        writer.audit(action, ("team_secret", secret_id), detail={"name": name})
        return now

    async def delete(self, writer: Writer, caller: Principal, name: str) -> None:
        row = await writer.one(sql.delete_secret, team_id=caller.team_id, name=name)
        if row is None:
            raise NotFound()
        await self._vault.delete(writer, _IN_VAULT, row["org_id"], row["id"])
        writer.audit("team_secret.deleted", ("team_secret", row["id"]), detail={"name": name})


def _check_name(name: str) -> None:
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise InvalidRequest.at(
            "/name",
            f"takes 1 to {MAX_NAME} letters, digits and _ . -, with a letter, digit or _ at both ends",
        )


async def _move_to_team(host: Host, writer: Writer, how: TeamMove) -> None:
    """Moves a team's secrets; one whose name is taken there gets a number behind it."""
    await writer.serialize(f"team_secrets.{how.target.id}")
    taken = {row["name"] for row in await writer.all(sql.secrets_of_team, team_id=how.target.id)}
    for row in await writer.all(sql.secrets_of_team, team_id=how.source.id):
        name, number = row["name"], 2
        while name in taken:
            name, number = f"{row['name'][: MAX_NAME - 4]}-{number}", number + 1
        taken.add(name)
        await writer.run(sql.move_secret, id=row["id"], name=name, source=how.source.id, target=how.target.id)


CONTENT = TeamContent(name="secrets", held=sql.held_by_team, move=_move_to_team)
