"""From a plugin's word on who is calling to the principal: all but the name comes from the database."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from guildhall_sdk import Credential, Principal, Reader, load_queries
from guildhall_sdk.errors import Unauthenticated
from guildhall_sdk.principal import SignIn
from kernel.identity.authenticate import principal_with
from kernel.logs import get_logger
from kernel.rbac import DeclaredRoles
from libs.names import username_fault, username_key

_sql = load_queries(Path(__file__).with_name("queries.sql"))
_log = get_logger("identity")
OUT_OF_ORDER = "This way to sign in is out of order; ask the operator to look into the log."


async def principal_answered(
    reader: Reader, plugin_id: str, answer: object, kinds: Sequence[str], now_ms: int, roles: DeclaredRoles
) -> Principal:
    """Returns whom a plugin's answer of `decide_principal` stands for; raises `Unauthenticated`.

    `kinds` are the kinds of credentials that the plugin declares.
    """
    if (fault := _answer_fault(answer, kinds)) is not None or not isinstance(answer, SignIn):
        _log.error("sign_in.refused", plugin=plugin_id, reason=f"decide_principal: {fault}")
        raise Unauthenticated(OUT_OF_ORDER)
    principal = await _principal_named(reader, answer, answer.kind or kinds[0], now_ms, roles)
    if principal is None:
        _log.info("sign_in.refused", plugin=plugin_id, reason="nobody here, in no such team, or ended")
        raise Unauthenticated("You are signed in elsewhere, and nobody here; ask for an account.")
    return principal


def _answer_fault(answer: object, kinds: Sequence[str]) -> str | None:
    """Returns what is wrong with an answer, in words for its author."""
    if not isinstance(answer, SignIn):
        return f"it gave {type(answer).__name__}, not SignIn"
    if (answer.user_id is None) == (answer.username is None):
        return "a SignIn needs one of user_id and username"
    for name in ("user_id", "username", "team", "kind"):
        if not isinstance(getattr(answer, name), str | None):
            return f"the {name} of a SignIn must be text"
    if answer.scope is not None and not _is_list_of_texts(answer.scope):
        return "the scope of a SignIn must be a list of permissions"
    if type(answer.expires_at) not in (int, type(None)):
        return "the expires_at of a SignIn must be a number of milliseconds"
    if answer.kind is not None and answer.kind not in kinds:
        return f"it does not declare the kind of credential {answer.kind!r}"
    return None


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list | tuple | set | frozenset) and all(isinstance(one, str) for one in value)


async def _principal_named(
    reader: Reader, answer: SignIn, kind: str, now_ms: int, roles: DeclaredRoles
) -> Principal | None:
    """Returns the person that an answer names, or None for nobody, no such team, or what has ended."""
    if answer.expires_at is not None and answer.expires_at <= now_ms:
        return None
    user_id = await _user_id(reader, answer)
    if user_id is None or not _plain(answer.team or ""):
        return None
    team_id = await reader.value(_sql.team_to_act_in, user_id=user_id, team=answer.team)
    if team_id is None:
        return None
    scope = None if answer.scope is None else frozenset(answer.scope)
    credential = Credential(
        _credential_id(kind, user_id, team_id, scope), kind, scope, answer.expires_at, began_at=None
    )
    return await principal_with(reader, credential, user_id, team_id, roles)


async def _user_id(reader: Reader, answer: SignIn) -> str | None:
    if answer.username is None:
        return answer.user_id if _plain(answer.user_id or "") else None
    if username_fault(answer.username) is not None:
        return None
    found: str | None = await reader.value(_sql.user_id_by_name, username_key=username_key(answer.username))
    return found


def _plain(text: str) -> bool:
    """Tells whether a text can be an id or a slug; no other is looked for, as a database may choke on it."""
    return text.isascii() and text.isprintable()


def _credential_id(kind: str, user_id: str, team_id: str, scope: frozenset[str] | None) -> str:
    """Returns one id for one person who comes in one way; another scope is another credential."""
    without_scope = f"{kind}:{user_id}:{team_id}"
    if scope is None:
        return without_scope
    return f"{without_scope}:{hashlib.sha256(repr(sorted(scope)).encode()).hexdigest()[:16]}"
