"""Filters and paths, as they are read and tried."""

import pytest

from builtin_plugins.scim.attributes import ENTERPRISE, USERS
from builtin_plugins.scim.filters import read_filter
from builtin_plugins.scim.patching import Operation, patch
from guildhall_sdk import InvalidRequest
from libs.fair_slots import finished

ADA = {
    "userName": "Ada@Acme.test",
    "externalId": "X-1",
    "active": True,
    "name": {"familyName": "Lovelace", "givenName": "Ada"},
    "emails": [
        {"value": "ada@acme.test", "type": "work", "primary": True},
        {"value": "ada@home.test", "type": "home", "display": "\U0001f600"},
    ],
    "meta": {"lastModified": "2026-01-02T00:00:00Z"},
    ENTERPRISE: {"department": "Sums"},
}


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ('userName eq "ada@acme.TEST"', True),
        ('USERNAME EQ "ada@acme.test"', True),
        ('externalId eq "x-1"', False),
        ('externalId eq "X-1"', True),
        ("active eq true", True),
        ("active eq false", False),
        ('active eq "true"', False),
        ('name.familyName co "love"', True),
        ('name.familyName sw "Love" and name.givenName ew "x"', False),
        ('name.familyName sw "Love" or name.givenName ew "x"', True),
        ("not (userName pr)", False),
        ("nickName pr", False),
        ("nickName eq null", True),
        ('userName ne "x"', True),
        ('emails eq "ada@home.test"', True),
        ('emails.value eq "ADA@home.test"', True),
        ('emails[type eq "work" and value co "@acme"]', True),
        ('emails[type eq "home" and value co "@acme"]', False),
        ('emails[not (type eq "work")]', True),
        ('meta.lastModified ge "2026-01-01T00:00:00Z"', True),
        ('meta.lastModified gt "2026-01-02T00:00:00Z"', False),
        (f'{ENTERPRISE}:department eq "sums"', True),
        ('urn:ietf:params:scim:schemas:core:2.0:User:userName sw "a"', True),
        ('userName eq "a" and (userName pr or userName pr) or active eq true', True),
        (r'userName eq "\u0041da@acme.test"', True),
        ("userName gt 5", False),
        ("meta gt 5", False),
        ("name lt 1.5", False),
        ("active ge 0", False),
        (r'emails.display co "\ud83d\ude00"', True),
    ],
)
def test_filters_find_what_they_say(text, is_found):
    assert read_filter(text).matches(ADA) is is_found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "userName",
        "userName eq",
        "userName is 5",
        'userName eq "a',
        'userName eq "a" and',
        'userName eq "a" userName eq "b"',
        '(userName eq "a"',
        'emails[type eq "a"',
        r'userName eq "\x"',
        r'userName eq "\u0000"',
        r'userName eq "\ud83d"',
        r'userName eq "\ude00\ud83d"',
        "a; DROP TABLE users",
        "not userName pr",
        'userName eq "' + "x" * 3000 + '"',
        "(" * 60 + "a pr" + ")" * 60,
        " and ".join(["a pr"] * 80),
    ],
)
def test_what_is_no_filter_is_refused(text):
    with pytest.raises(InvalidRequest) as refusal:
        read_filter(text)
    assert refusal.value.code == "invalid_filter"


def patched(op, path=None, value=None):
    document = {name: inner for name, inner in ADA.items() if name != "meta"}
    patch(USERS, document, Operation(op, path, value))
    return document


def test_patches_reach_items_parts_and_extensions():
    assert patched("replace", 'emails[type eq "work"].value', "new@acme.test")["emails"][0]["value"] == (
        "new@acme.test"
    )
    other = patched("add", 'emails[type eq "other"].value', "o@acme.test")["emails"]
    assert other[-1] == {"type": "other", "value": "o@acme.test"}
    assert patched("remove", 'emails[type eq "home"]')["emails"] == [ADA["emails"][0]]
    primary = patched("add", "emails", [{"value": "p@acme.test", "primary": True}])["emails"]
    assert [one.get("primary") for one in primary] == [None, None, True]
    assert patched("replace", "name.givenName", "Augusta")["name"]["givenName"] == "Augusta"
    assert patched("replace", f"{ENTERPRISE}:department", "Engines")[ENTERPRISE] == {"department": "Engines"}
    assert ENTERPRISE not in patched("remove", f"{ENTERPRISE}:department")
    assert patched("add", None, {f"{ENTERPRISE}": {"costCenter": "7"}})[ENTERPRISE]["costCenter"] == "7"
    assert "title" not in patched("replace", "title", "")
    assert patched("add", "unknownThing", 5).keys() == patched("add", "title", None).keys()


@pytest.mark.parametrize(
    ("op", "path", "value", "code"),
    [
        ("replace", "id", "x", "mutability"),
        ("add", "groups", [{"value": "t"}], "mutability"),
        ("remove", "userName", None, "mutability"),
        ("replace", "emails[", "x", "invalid_path"),
        ("replace", "name.nothing", "x", "invalid_path"),
        ("replace", 'userName[a eq "b"]', "x", "invalid_path"),
        ("replace", 'emails[type co "zzz"].value', "x@y.test", "no_target"),
        ("replace", None, "x", "invalid_value"),
        ("replace", "active", "perhaps", "invalid_value"),
    ],
)
def test_patches_that_cannot_be_are_refused(op, path, value, code):
    with pytest.raises(InvalidRequest) as refusal:
        patched(op, path, value)
    assert refusal.value.code == code


MEMBERS = [{"value": f"usr_{number}", "type": "User"} for number in range(20_000)]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ('members.value eq "usr_19999"', True),
        ('members eq "usr_20000"', False),
        ('members[value eq "usr_7" and type eq "user"]', True),
        ('members[value eq "usr_7" and type eq "Group"]', False),
        ('members.value ne "usr_20000"', True),
        ('members.value ne "usr_19999"', False),
        ("members.value eq null", False),
        ("members.display eq null", True),
        ("members.display pr", False),
        ('displayName eq "All" and not (members.value co "x")', True),
        ('displayName eq "None" or members.value ew "_0" and members.value ew "_19999"', True),
    ],
)
def test_a_long_list_is_looked_at_a_little_at_a_time(text, is_found):
    document = {"displayName": "All", "members": MEMBERS}
    wanted = read_filter(text)
    looked_at = []
    for term in wanted.terms:
        test = term.test

        def counted(given, test=test):
            looked_at.append(len(given["members"]))
            return test(given)

        term.test = counted
    assert finished(wanted.matches_in_steps(document)) is is_found
    assert max((count for count in looked_at if count < len(MEMBERS)), default=0) <= 250
    in_one = sum(count == len(MEMBERS) for count in looked_at)
    assert in_one == sum(term.attribute != "members" for term in wanted.terms)
    assert wanted.matches(document) is is_found


@pytest.mark.parametrize("members", [[], MEMBERS[:1], MEMBERS[:250], MEMBERS[:251]])
@pytest.mark.parametrize("text", ['members.value ne "usr_0"', "members eq null", "not (members pr)"])
def test_in_steps_or_at_once_is_the_same(text, members):
    document = {"members": members} if members else {}
    wanted = read_filter(text)
    assert finished(wanted.matches_in_steps(document)) is wanted.matches(document)
