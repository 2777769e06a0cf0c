"""A way to sign in elsewhere, as it is stored, and how it is shown to who set it up."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from guildhall_sdk import Host, NotFound, Reader, Row, load_queries, rfc3339
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.identity import Vault
from guildhall_sdk.services.sign_in import SignInKind, SignInWay

sql = load_queries(Path(__file__).with_name("queries.sql"))

MAX_WAYS = 500
#: On the page to sign in.
MAX_OFFERED = 20
IN_VAULT = "sign_in"
EVERYBODY = "instance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A claim that gives a role: in the team it names, else in the one of its way."""

    claim: str
    contains: str
    role: str
    team: str | None = None

    def public(self) -> dict[str, Any]:
        """Returns the rule as it was given."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Who is let in by a way, and as what."""

    domains: Sequence[str] = ()
    team: str | None = None
    default_role: str | None = "member"
    create_people: bool = True
    rules: Sequence[Rule] = ()
    break_glass: Sequence[str] = ()


ADMISSION_FIELDS = tuple(field.name for field in fields(Admission))


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way without its secrets."""

    id: str
    org_id: str | None
    kind: str
    label: str
    settings: Mapping[str, Any]
    secrets: Sequence[str]
    admission: Admission
    required: bool
    created_at: int

    @classmethod
    def of(cls, row: Row) -> "Way":
        admission = json.loads(row["admission"])
        rules = [Rule(**rule) for rule in admission.pop("rules")]
        return cls(
            id=row["id"],
            org_id=row["org_id"],
            kind=row["kind"],
            label=row["label"],
            settings=json.loads(row["settings"]),
            secrets=json.loads(row["secrets"]),
            admission=Admission(**admission, rules=rules),
            required=bool(row["required"]),
            created_at=row["created_at"],
        )

    def public(self, host: Host) -> dict[str, Any]:
        """Returns the way for who manages it: never a secret, but which are set."""
        kind = kind_named(host, self.kind)
        addresses = {} if kind is None else kind[1].addresses
        base_url = host.settings.base_url
        return {
            "id": self.id,
            "kind": self.kind,
            "label": self.label,
            **self.settings,
            **{name: getattr(self.admission, name) for name in ADMISSION_FIELDS},
            "rules": [rule.public() for rule in self.admission.rules],
            "required": self.required,
            "secrets_set": self.secrets,
            "addresses": {name: base_url + path.format(id=self.id) for name, path in addresses.items()},
            "created_at": rfc3339(self.created_at),
        }

    def subject_key(self, host: Host, subject: str) -> str:
        """Returns what a subject is stored as: who vouches for it is part of it."""
        kind = kind_named(host, self.kind)
        anchors = [] if kind is None else [self.settings.get(name) for name in kind[1].anchors]
        return hashlib.sha256(json.dumps([*anchors, subject]).encode()).hexdigest()


def kinds(host: Host) -> Mapping[str, tuple[str, SignInKind]]:
    """Returns the kinds that are there by name, each with the id of its plugin."""
    return {kind.name: (owner, kind) for owner, kind in host.service(Plugins).owned(SignInKind)}


def kind_named(host: Host, name: str) -> tuple[str, SignInKind] | None:
    """Returns the kind of this name with the id of its plugin, or None where that is gone."""
    return kinds(host).get(name)


async def with_secrets(reader: Reader, host: Host, way: Way) -> SignInWay:
    """Returns a way as its kind takes it."""
    vault, owner = host.service(Vault), way.org_id or EVERYBODY
    settings = dict(way.settings)
    for name in way.secrets:
        secret = await vault.get(reader, IN_VAULT, owner, f"{way.id}.{name}")
        if secret is not None:
            settings[name] = secret.decode()
    return SignInWay(id=way.id, kind=way.kind, org_id=way.org_id, settings=settings)


async def find_way(reader: Reader, way_id: str) -> Way:
    """Returns a way for who signs in by it; raises `NotFound`."""
    row = await reader.one(sql.way, id=way_id)
    if row is None:
        raise NotFound("There is no such way to sign in.")
    return Way.of(row)
