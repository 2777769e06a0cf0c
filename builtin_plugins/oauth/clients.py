"""Programs that register themselves, as RFC 7591 has it: public ones, which keep no secret."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.oauth import redirects
from builtin_plugins.oauth.redirects import OAuthRefused
from guildhall_sdk import Call, Reader, Writer, load_queries, new_id
from libs.names import name_fault

sql = load_queries(Path(__file__).with_name("queries.sql"))

#: A program that nobody allowed anything is forgotten after so long.
UNUSED_MS = 7 * 24 * 3600 * 1000
MAX_UNUSED = 5_000
_SWEPT_AT_ONCE = 100
_FORM = {
    "grant_types": ["authorization_code", "refresh_token"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "none",
}


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A program that registered."""

    id: str
    name: str
    redirect_uris: Sequence[str]


async def find_client(reader: Reader, client_id: str) -> OAuthClient | None:
    row = await reader.one(sql.client, id=client_id) if client_id.isascii() else None
    return None if row is None else OAuthClient(row["id"], row["name"], json.loads(row["redirect_uris"]))


def described(body: Mapping[str, Any]) -> tuple[str, Sequence[str]]:
    """Returns the name and addresses of a program that wants to register; raises `OAuthRefused`."""
    uris = [*dict.fromkeys(body["redirect_uris"])]
    for uri in uris:
        redirects.check_registered(uri)
    for name in ("grant_types", "response_types"):
        given = body.get(name)
        if isinstance(given, list) and given and not set(map(str, given)) & set(_FORM[name]):
            raise OAuthRefused(
                "invalid_client_metadata", f"{name} must have one of {', '.join(_FORM[name])}."
            )
    name = str(body.get("client_name") or "").strip() or "App"
    if (fault := name_fault(name)) is not None:
        raise OAuthRefused("invalid_client_metadata", f"client_name {fault}.")
    return name, uris


async def register(writer: Writer, call: Call, name: str, uris: Sequence[str]) -> Mapping[str, Any]:
    """Stores a program. Where very many register, the oldest are forgotten, and nobody is refused."""
    now = call.now_ms
    await writer.run(sql.sweep_clients, before=now - UNUSED_MS, limit=_SWEPT_AT_ONCE)
    if int(await writer.value(sql.count_unused, most=MAX_UNUSED)) >= MAX_UNUSED:
        await writer.run(sql.sweep_clients, before=now, limit=_SWEPT_AT_ONCE)
    client_id = new_id("app", now)
    await writer.run(
        sql.insert_client, id=client_id, name=name, redirect_uris=json.dumps(list(uris)), now=now
    )
    return {
        "client_id": client_id,
        "client_id_issued_at": now // 1000,
        "client_name": name,
        "redirect_uris": list(uris),
        **_FORM,
    }
