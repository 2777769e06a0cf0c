"""Names, and who may grant which role."""

import pytest

from guildhall_sdk import TEAM_ROLES, Credential, PermissionDenied, Principal
from guildhall_sdk.names import locale_fault, name_fault, username_fault, username_key
from guildhall_sdk.services.tenancy import check_grantable
from kernel.rbac import effective_permissions


@pytest.mark.parametrize("username", ["ada", "Ada Lovelace", "ada@example.org", "Ünal", "李小龍", "a" * 64])
def test_ordinary_usernames_pass(username):
    assert username_fault(username) is None


@pytest.mark.parametrize(
    "username",
    [
        "",
        "a" * 65,
        " ada",
        "ada ",
        "ada\n",
        "a\tb",
        "a\x00b",
        "a\u200bb",
        "a\u202eb",
        "ada\u3164",
        "\u00a8ada",
        "a\u2028b",
    ],
)
def test_usernames_that_could_hide_something_are_refused(username):
    assert username_fault(username) is not None


def test_folding_again_changes_nothing():
    for name in ("ﬁne", "ẞ", "ͅα", "ᾳ", "K", "İstanbul", "ａdmin"):
        assert username_key(username_key(name)) == username_key(name)


@pytest.mark.parametrize("name", ["Ada Lovelace", "👩‍🚀 crew", "O'Brien", "日本"])
def test_ordinary_names_pass(name):
    assert name_fault(name) is None


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "a" * 129, "a\u202eb", "a\x1b[0m"])
def test_names_that_break_a_line_are_refused(name):
    assert name_fault(name) is not None


@pytest.mark.parametrize("locale", ["en", "nl-BE", "zh-Hant-TW", "sl-rozaj-biske-1994"])
def test_language_tags_pass(locale):
    assert locale_fault(locale) is None


@pytest.mark.parametrize(
    "locale", ["", "e", "en_US", "en-", "-en", "en\n", "nl--BE", "é" * 2, "en" + "-a" * 50]
)
def test_other_tags_are_refused(locale):
    assert locale_fault(locale) is not None


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
        permissions=effective_permissions(role, None, operator, scope),
    )


def grantable(by: Principal) -> set[str]:
    def allowed(role: str) -> bool:
        try:
            check_grantable(by, role)
        except PermissionDenied:
            return False
        return True

    return {role for role in TEAM_ROLES if allowed(role)}


def test_nobody_grants_what_they_do_not_hold():
    assert grantable(principal("owner")) == {"viewer", "member", "admin", "owner"}
    assert grantable(principal("viewer", operator=True)) == set(TEAM_ROLES)
    assert grantable(principal("localizer")) == {"viewer", "translator", "reviewer", "localizer"}


def test_a_scope_limits_granting_too():
    narrow = frozenset({"members:manage", *TEAM_ROLES["viewer"]})
    assert grantable(principal("owner", scope=narrow)) == {"viewer"}
    assert grantable(principal("owner", operator=True, scope=narrow)) == {"viewer"}


def test_a_worker_cannot_make_workers():
    assert "worker" not in grantable(principal("worker"))


def test_a_refusal_names_the_missing_permission():
    with pytest.raises(PermissionDenied) as refusal:
        check_grantable(principal("owner"), "translator")
    assert refusal.value.extras == {"permission": "localization:read"}
