"""An object with its newest version, as a row tells it to one caller, and who may do what with it."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from guildhall_sdk import NotFound, PermissionDenied, Principal, Row, rfc3339
from guildhall_sdk.services.stored_objects import StoredObject, StoredVersion, Visibility

TextStatus = Literal["none", "pending", "indexed", "stale", "unsupported"]

READ, WRITE, DELETE, MANAGE = "files:read", "files:write", "files:delete", "files:manage"
ALL = frozenset({READ, WRITE, DELETE, MANAGE})
CAPABILITIES: Mapping[str, frozenset[str]] = {
    "view": frozenset({READ}),
    "edit": frozenset({READ, WRITE}),
    "manage": ALL,
}
NONE: frozenset[str] = frozenset()


def rights_on(
    caller: Principal,
    *,
    team_id: str,
    owner_id: str,
    visibility: str,
    granted: frozenset[str],
    across_company: bool = False,
) -> frozenset[str]:
    """Returns the rights by ownership, live grants and role, never past the credential.

    What is private is the owner's alone.
    """
    here = team_id == caller.team_id
    rights = NONE
    if here and owner_id == caller.user_id:
        rights = ALL
    elif visibility != "private":
        for capability in granted:
            rights |= CAPABILITIES[capability]
        if here and visibility == "team":
            rights |= ALL & caller.permissions
        if across_company and visibility == "team" and caller.may("org:read"):
            rights |= {READ}
    scope = caller.credential.scope
    return rights if scope is None else rights & scope


def require(right: str, rights: frozenset[str]) -> None:
    """Raises unless the right is held; a caller who cannot see the object is told that there is none."""
    if right not in rights:
        raise PermissionDenied(right) if READ in rights else NotFound()


class LiveGrant(NamedTuple):
    """A grant to the caller by name, or to their team; `expires_at` None is without an end."""

    principal_id: str
    capability: str
    expires_at: int | None


class Record(NamedTuple):
    """`newest` may be a delete marker; `grants` are the caller's live ones."""

    id: str
    org_id: str
    team_id: str
    key: str
    owner_id: str
    owner_name: str
    visibility: Visibility
    revision: int
    last_number: int
    text_status: TextStatus
    created_at: int
    updated_at: int
    newest: StoredVersion
    title: str | None
    grants: tuple[LiveGrant, ...]

    @property
    def granted(self) -> frozenset[str]:
        return frozenset(grant.capability for grant in self.grants) if self.grants else NONE

    @property
    def etag(self) -> str:
        """The entity tag of the metadata."""
        return f'"{self.id}.{self.revision}"'

    @property
    def present(self) -> bool:
        return not self.newest.marker

    def next_moment(self, now_ms: int) -> int:
        """Returns when its next version is made: later than the one before, so that ids sort as they came."""
        return max(now_ms, self.newest.created_at + 1)

    def managed_under(self, caller: Principal) -> LiveGrant | None:
        """Returns the grant without which the caller would not manage it; None by ownership or role."""
        if MANAGE in self.rights_apart(caller):
            return None
        managing = [grant for grant in self.grants if MANAGE in CAPABILITIES[grant.capability]]
        return max(managing, key=_lasting, default=None)

    def check_visibility(self, caller: Principal, wanted: Visibility) -> None:
        """Checks who decides who sees it; under a grant that ends nobody shows it to the team."""
        if wanted == self.visibility:
            return
        self.require(MANAGE, caller)
        under = self.managed_under(caller)
        if wanted == "team" and under is not None and under.expires_at is not None:
            raise PermissionDenied(
                MANAGE,
                f"Your own grant ends at {rfc3339(under.expires_at)}; what the team sees would outlive it.",
            )

    def rights_apart(self, caller: Principal) -> frozenset[str]:
        """Returns what the caller may do whatever they were given."""
        return rights_on(
            caller,
            team_id=self.team_id,
            owner_id=self.owner_id,
            visibility=self.visibility,
            granted=NONE,
        )

    def rights_of(self, caller: Principal, *, across_company: bool = False) -> frozenset[str]:
        return rights_on(
            caller,
            team_id=self.team_id,
            owner_id=self.owner_id,
            visibility=self.visibility,
            granted=self.granted,
            across_company=across_company,
        )

    def require(self, right: str, caller: Principal, *, across_company: bool = False) -> None:
        require(right, self.rights_of(caller, across_company=across_company))

    def stored(self) -> StoredObject:
        return StoredObject(
            id=self.id,
            org_id=self.org_id,
            team_id=self.team_id,
            key=self.key,
            owner_id=self.owner_id,
            owner_name=self.owner_name,
            visibility=self.visibility,
            revision=self.revision,
            text_status=self.text_status,
            created_at=self.created_at,
            updated_at=self.updated_at,
            current=self.newest,
        )

    def to_json(self, versions: Sequence[StoredVersion], rights: frozenset[str]) -> dict[str, Any]:
        """Returns the object as the API shows it; `rights` are those of whoever is shown it."""
        return {
            "id": self.id,
            "key": self.key,
            "filename": self.newest.filename,
            "content_type": self.newest.content_type,
            "size": self.newest.size,
            "sha256": self.newest.sha256,
            "visibility": self.visibility,
            "owner": {"id": self.owner_id, "name": self.owner_name},
            "team_id": self.team_id,
            "version": self.newest.number,
            "versions": [version_to_json(version) for version in versions],
            "text_status": self.text_status,
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
            "permissions": sorted(rights),
        }


def version_to_json(version: StoredVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "size": version.size,
        "sha256": version.sha256,
        "content_type": version.content_type,
        "created_at": rfc3339(version.created_at),
        "created_by": version.created_by,
    }


def content_etag(version: StoredVersion) -> str:
    return f'"{version.sha256}"'


def record_from(row: Row, now_ms: int) -> Record:
    """Makes a record of the columns of an object with its newest version and the caller's grants."""
    grants = []
    for whose in ("user", "team"):
        capability, ends = row[f"{whose}_capability"], row[f"{whose}_until"]
        if capability is not None and (ends is None or ends > now_ms):
            grants.append(LiveGrant(row[f"{whose}_grantee"], capability, ends))
    return Record(
        id=row["id"],
        org_id=row["org_id"],
        team_id=row["team_id"],
        key=row["key"],
        owner_id=row["owner_id"],
        owner_name=row["owner_name"],
        visibility=row["visibility"],
        revision=row["revision"],
        last_number=row["last_number"],
        text_status=row["text_status"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        newest=version_from(row),
        title=row["title"],
        grants=tuple(grants),
    )


def _lasting(grant: LiveGrant) -> float:
    return math.inf if grant.expires_at is None else grant.expires_at


def version_from(row: Row) -> StoredVersion:
    """Makes a version of its columns beside those of its object."""
    return StoredVersion(
        id=row["version_id"],
        object_id=row["id"],
        org_id=row["org_id"],
        team_id=row["team_id"],
        key=row["key"],
        number=row["number"],
        marker=bool(row["marker"]),
        latest=row["version_id"] == row["newest_id"],
        sha256=row["sha256"],
        size=row["size"],
        etag=row["etag"],
        content_type=row["content_type"],
        filename=row["filename"],
        attributes=decoded(row["attributes"]),
        created_at=row["version_created_at"],
        created_by=row["created_by"],
        owner_id=row["owner_id"],
        owner_name=row["owner_name"],
        content=row.get("content"),
    )


def decoded(attributes: str) -> dict[str, Any]:
    """Decodes attributes as they are stored; most versions have none."""
    return {} if attributes == "{}" else dict(json.loads(attributes))
