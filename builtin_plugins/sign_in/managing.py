"""Setting ways up: what is given is checked by the way's kind, and nobody is locked out."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from builtin_plugins.sign_in.way import (
    ADMISSION_FIELDS,
    EVERYBODY,
    IN_VAULT,
    MAX_WAYS,
    Admission,
    Rule,
    Way,
    kind_named,
    kinds,
    sql,
    with_secrets,
)
from guildhall_sdk import Actor, Call, Conflict, InvalidRequest, NotFound, Reader, Writer, new_id
from guildhall_sdk.principal import Roles
from guildhall_sdk.schema import obj
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.sign_in import SignInKind
from guildhall_sdk.services.tenancy import Directory
from libs.json_validation import Misfit, Validator
from libs.names import name_fault

_DOMAIN = re.compile(r"(?=.{4,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")
_OWN = frozenset({"kind", "label", "required", *ADMISSION_FIELDS})


class Scope(NamedTuple):
    """Whose ways are managed: those of a company, or with None those for everybody."""

    org_id: str | None


class Checked(NamedTuple):
    """All that is stored of a way, and the secrets that are to be stored or deleted."""

    label: str
    settings: Mapping[str, Any]
    secrets: Mapping[str, str | None]
    admission: Admission
    required: bool


async def ways_of(reader: Reader, scope: Scope, after: str | None, limit: int) -> Sequence[Way]:
    page = {"after": after or "", "limit": limit}
    if scope.org_id is None:
        rows = await reader.all(sql.ways_of_instance, **page)
    else:
        rows = await reader.all(sql.ways_of_company, org_id=scope.org_id, **page)
    return [Way.of(row) for row in rows]


async def way_of(reader: Reader, scope: Scope, way_id: str) -> Way:
    if scope.org_id is None:
        row = await reader.one(sql.way_of_instance, id=way_id)
    else:
        row = await reader.one(sql.way_of_company, id=way_id, org_id=scope.org_id)
    if row is None:
        raise NotFound
    return Way.of(row)


async def create(call: Call, scope: Scope) -> Way:
    body = call.body
    kind = _kind(call, body.get("kind"))
    checked = await _check(call, scope, kind, body, None)
    way_id = new_id("way", call.now_ms)
    async with call.write(_actor(call, scope)) as writer:
        await writer.serialize(f"sign-in-ways:{scope.org_id or EVERYBODY}")
        if await writer.value(sql.many_ways, org_id=scope.org_id) >= MAX_WAYS:
            raise Conflict(
                f"There are at most {MAX_WAYS} ways to sign in; delete one first.", code="too_many_ways"
            )
        stored = await _stored(writer, call, scope, way_id, checked, ())
        await writer.run(sql.add_way, id=way_id, org_id=scope.org_id, kind=kind, now=call.now_ms, **stored)
        await _put_domains(call, writer, scope, way_id, checked.admission.domains)
        writer.audit("sign_in.way_added", ("way", way_id), detail={"kind": kind, "label": checked.label})
        return await way_of(writer, scope, way_id)


async def change(call: Call, scope: Scope, way_id: str) -> Way:
    async with call.read() as reader:
        before = await way_of(reader, scope, way_id)
        opened = await with_secrets(reader, call.host, before)
    if call.body.get("kind", before.kind) != before.kind:
        raise InvalidRequest.at("/kind", "is what it is; add another way instead")
    _kind(call, before.kind)
    given = {**_given_before(before), **opened.settings, **call.body}
    checked = await _check(call, scope, before.kind, given, before)
    _check_secrets_stay(call, before, checked)
    async with call.write(_actor(call, scope)) as writer:
        await writer.serialize(f"sign-in-ways:{scope.org_id or EVERYBODY}")
        if await way_of(writer, scope, way_id) != before:
            raise Conflict("Somebody changed this way meanwhile; look at it again.", code="changed_meanwhile")
        only_given = {name: value for name, value in checked.secrets.items() if name in call.body}
        checked = checked._replace(secrets=only_given)
        stored = await _stored(writer, call, scope, way_id, checked, before.secrets)
        await writer.run(sql.change_way, id=way_id, org_id=scope.org_id, **stored)
        await _put_domains(call, writer, scope, way_id, checked.admission.domains)
        if checked.settings != before.settings and not call.principal.operator:
            owners = int(call.principal.org_role != "org_owner")
            await writer.run(sql.forget_links_over, way_id=way_id, owners=owners)
        writer.audit("sign_in.way_changed", ("way", way_id), detail={"fields": sorted(call.body)})
        return await way_of(writer, scope, way_id)


def _check_secrets_stay(call: Call, before: Way, checked: Checked) -> None:
    """Raises where a secret that nobody can read would go to another server than it was given for."""
    found = kind_named(call.host, before.kind)
    anchors = () if found is None else found[1].anchors
    moved = next((one for one in anchors if checked.settings.get(one) != before.settings.get(one)), None)
    for name in before.secrets if moved is not None else ():
        if name not in call.body:
            raise InvalidRequest.at(f"/{name}", f"is given again where {moved} is another")


def _given_before(way: Way) -> dict[str, Any]:
    admission = {name: getattr(way.admission, name) for name in ADMISSION_FIELDS}
    rules = [rule.public() for rule in way.admission.rules]
    return {**admission, "rules": rules, "label": way.label, "required": way.required}


async def delete(call: Call, scope: Scope, way_id: str) -> None:
    async with call.write(_actor(call, scope)) as writer:
        way = await way_of(writer, scope, way_id)
        for name in way.secrets:
            await call.service(Vault).delete(
                writer, IN_VAULT, scope.org_id or EVERYBODY, _secret_id(way_id, name)
            )
        await writer.run(sql.delete_way, id=way_id, org_id=scope.org_id)
        detail = {"kind": way.kind, "label": way.label}
        writer.audit("sign_in.way_deleted", ("way", way_id), detail=detail)


def _kind(call: Call, name: str | None) -> str:
    to_set_up = {one: kind for one, (_, kind) in kinds(call.host).items() if kind.fields is not None}
    if name not in to_set_up:
        raise InvalidRequest.at("/kind", f"takes one of {', '.join(sorted(to_set_up)) or 'none'}")
    return name


async def _check(
    call: Call, scope: Scope, kind_name: str, given: Mapping[str, Any], before: Way | None
) -> Checked:
    found = kind_named(call.host, kind_name)
    assert found is not None
    owner, kind = found
    label = given.get("label") or kind_name
    if (fault := name_fault(label)) is not None:
        raise InvalidRequest.at("/label", fault)
    settings = {name: value for name, value in given.items() if name not in _OWN and value is not None}
    _check_fields(kind, settings)
    if kind.check is not None:
        settings = dict(await kind.check(call.host.host_of(owner), settings))
    async with call.read() as reader:
        admission = await _admission(call, reader, scope, given)
        if given.get("required"):
            await _check_way_out(call, reader, scope, admission)
    secrets = {name: settings.pop(name, None) for name in kind.secrets}
    return Checked(label, settings, secrets, admission, bool(given.get("required")))


def _check_fields(kind: SignInKind, settings: Mapping[str, Any]) -> None:
    try:
        Validator(obj({**(kind.fields or {})}, required=kind.required)).check(settings)
    except Misfit as misfit:
        errors = [{"pointer": pointer, "message": message} for pointer, message in misfit.complaints]
        raise InvalidRequest(str(misfit), errors=errors) from None


async def _admission(call: Call, reader: Reader, scope: Scope, given: Mapping[str, Any]) -> Admission:
    domains = tuple(dict.fromkeys(domain.strip().lower() for domain in given.get("domains") or ()))
    for number, domain in enumerate(domains):
        if not _DOMAIN.fullmatch(domain):
            raise InvalidRequest.at(
                f"/domains/{number}", "is no domain such as example.com; write an international one as xn--"
            )
    team = await _team(call, reader, scope, given.get("team"), "/team")
    role = given.get("default_role", "member")
    rules = []
    for number, rule in enumerate(given.get("rules") or ()):
        there = await _team(call, reader, scope, rule.get("team"), f"/rules/{number}/team")
        rules.append(Rule(claim=rule["claim"], contains=rule["contains"], role=rule["role"], team=there))
    for one in {role, *(rule.role for rule in rules)} - {None}:
        call.service(Roles).check_grantable(call.principal, one)
    creates = given.get("create_people")
    return Admission(
        domains=domains,
        team=team,
        default_role=role,
        create_people=True if creates is None else creates,
        rules=rules,
        break_glass=tuple(dict.fromkeys(given.get("break_glass") or ())),
    )


async def _team(call: Call, reader: Reader, scope: Scope, ref: str | None, pointer: str) -> str | None:
    if ref is None:
        return None
    directory = call.service(Directory)
    if scope.org_id is None:
        team = await directory.team(reader, ref)
    else:
        team = await directory.team_by_ref(reader, scope.org_id, ref)
    if team is None:
        raise InvalidRequest.at(pointer, "is no team; name one by its id")
    return team.id


async def _check_way_out(call: Call, reader: Reader, scope: Scope, admission: Admission) -> None:
    """Raises unless somebody could come in by a password when the other side is down."""
    if not admission.break_glass:
        raise InvalidRequest.at(
            "/break_glass",
            "names at least one person with a password, who still comes in when the other side is down",
        )
    for number, user_id in enumerate(admission.break_glass):
        user = await call.service(Directory).user(reader, user_id)
        is_ours = user is not None and scope.org_id in (None, user.org_id) and user.removed_at is None
        if user is None or not is_ours or not user.has_password or user.suspended_at is not None:
            raise InvalidRequest.at(
                f"/break_glass/{number}", "is nobody who can sign in with a password; name people by their id"
            )


async def _stored(
    writer: Writer, call: Call, scope: Scope, way_id: str, checked: Checked, had: Sequence[str]
) -> dict[str, Any]:
    """Puts secrets into the vault, and returns the columns of the rest."""
    vault, owner, names = call.service(Vault), scope.org_id or EVERYBODY, {*had}
    for name, secret in checked.secrets.items():
        if secret is None:
            await vault.delete(writer, IN_VAULT, owner, _secret_id(way_id, name))
            names.discard(name)
        else:
            await vault.put(writer, IN_VAULT, owner, _secret_id(way_id, name), secret.encode())
            names.add(name)
    return {
        "label": checked.label,
        "settings": json.dumps(checked.settings),
        "secrets": json.dumps(sorted(names)),
        "admission": json.dumps(asdict(checked.admission)),
        "required": int(checked.required),
    }


def _secret_id(way_id: str, name: str) -> str:
    return f"{way_id}.{name}"


async def _put_domains(call: Call, writer: Writer, scope: Scope, way_id: str, domains: Sequence[str]) -> None:
    """Puts the domains of a way in place; one that another company has is refused."""
    before = {row["domain"] for row in await writer.all(sql.domains_of_way, way_id=way_id)}
    for domain in sorted(before - {*domains}):
        await writer.run(sql.drop_domain, way_id=way_id, domain=domain)
    new = [domain for domain in domains if domain not in before]
    if new:
        await writer.serialize(*(f"sign-in-domain:{domain}" for domain in sorted(new)))
    for domain in new:
        binds = {"domain": domain, "way_id": way_id, "org_id": scope.org_id}
        if await writer.one(sql.other_company_at_domain, **binds) is not None:
            raise Conflict(
                f"The domain {domain} is another company's here; ask the operator.", code="email_domain_taken"
            )
        await writer.run(sql.add_domain, **binds, now=call.now_ms)


def _actor(call: Call, scope: Scope) -> Actor | None:
    """Records what is for everybody in no company's trail."""
    who = call.principal
    return Actor(who.username, who.user_id, request_id=call.request_id) if scope.org_id is None else None
