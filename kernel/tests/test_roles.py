"""What each role holds of the permissions that ship, and who may grant which role."""

import re
from pathlib import Path

import pytest

from guildhall_sdk import Credential, Permission, PermissionDenied, Principal
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES, is_demotion
from kernel.rbac import DeclaredRoles

VIEWER = {"notes:read", "files:read", "search", "workflows:read"}
MEMBER = VIEWER | {"notes:write", "files:write", "chat:use", "workflows:run"}
ADMIN = MEMBER | {
    "notes:delete",
    "notes:manage",
    "files:delete",
    "files:manage",
    "workflows:write",
    "members:manage",
    "settings:manage",
}
TRANSLATOR = VIEWER | {"localization:read", "localization:translate"}
REVIEWER = TRANSLATOR | {"localization:review"}
TABLE = {
    "viewer": VIEWER,
    "member": MEMBER,
    "admin": ADMIN,
    "owner": ADMIN,
    "translator": TRANSLATOR,
    "reviewer": REVIEWER,
    "localizer": REVIEWER | {"localization:manage", "chat:use"},
    "worker": {"jobs:execute"},
    "org_reader": {"org:read"},
    "org_admin": {"org:read", "org:manage"},
    "org_owner": {"org:read", "org:manage"},
}


def test_the_roles_hold_what_the_table_says(roles):
    assert {role: set(roles.held_by(role)) for role in (*TEAM_ROLES, *ORG_ROLES)} == TABLE
    everything = {name for held in TABLE.values() for name in held} | {"instance:manage"}
    assert set(roles.permissions) == everything
    assert roles.effective("viewer", None, True, None) == everything
    assert roles.held_by("nobody") == frozenset()


def test_the_page_of_roles_says_the_same():
    page = (Path(__file__).resolve().parents[2] / "docs/roles.md").read_text("utf-8")
    said: dict[str, set[str]] = {}
    for role, holds in re.findall(r"^\| `(\w+)` \| (.*?) \|$", page, re.MULTILINE):
        words = set(re.split(r", | \+ ", holds))
        said[role] = {name for word in words for name in said.get(word, {word})}
    assert said == TABLE


def test_a_role_holds_what_a_lower_one_does_and_a_withdrawn_permission_is_gone():
    opening = Permission(name="box:open", description="Open boxes", roles=["member"])
    roles = DeclaredRoles([opening])
    holding = [role for role in (*TEAM_ROLES, *ORG_ROLES) if "box:open" in roles.held_by(role)]
    assert holding == ["member", "admin", "owner"]
    scope = frozenset({"box:open"})
    assert roles.effective("member", None, False, scope) == scope
    roles.declare([])
    assert roles.effective("member", None, False, scope) == frozenset()
    assert roles.effective("viewer", None, True, scope) == frozenset()


def test_who_holds_less_is_demoted(roles):
    for before in TEAM_ROLES:
        for after in TEAM_ROLES:
            if "owner" not in (before, after):
                less = not roles.held_by(before) <= roles.held_by(after)
                assert is_demotion(before, after) is less, (before, after)


@pytest.fixture
def principal(roles):
    def principal(role: str, *, operator: bool = False, scope: frozenset[str] | None = None) -> Principal:
        return Principal(
            user_id="usr_1",
            username="ada",
            display_name="Ada",
            locale="en",
            two_factor=False,
            operator=operator,
            team_id="team_1",
            team_name="General",
            role=role,
            org_id="org_1",
            org_slug="acme",
            org_name="Acme",
            org_role=None,
            org_suspended=False,
            credential=Credential("tok_1", "session", scope, None),
            permissions=roles.effective(role, None, operator, scope),
        )

    return principal


@pytest.fixture
def grantable(roles):
    def allowed(by: Principal, role: str) -> bool:
        try:
            roles.check_grantable(by, role)
        except PermissionDenied:
            return False
        return True

    return lambda by: {role for role in TEAM_ROLES if allowed(by, role)}


def test_nobody_grants_what_they_do_not_hold(principal, grantable):
    assert grantable(principal("owner")) == {"viewer", "member", "admin", "owner"}
    assert grantable(principal("viewer", operator=True)) == set(TEAM_ROLES)
    assert grantable(principal("localizer")) == {"viewer", "translator", "reviewer", "localizer"}


def test_a_scope_limits_granting_too(principal, grantable):
    narrow = frozenset({"members:manage", *VIEWER})
    assert grantable(principal("owner", scope=narrow)) == {"viewer"}
    assert grantable(principal("owner", operator=True, scope=narrow)) == {"viewer"}


def test_a_worker_cannot_make_workers(principal, grantable):
    assert "worker" not in grantable(principal("worker"))


def test_a_refusal_names_the_missing_permission(principal, roles):
    with pytest.raises(PermissionDenied) as refusal:
        roles.check_grantable(principal("owner"), "translator")
    assert refusal.value.extras == {"permission": "localization:read"}
