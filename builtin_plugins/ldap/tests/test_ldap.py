"""Signing in with the password that a real directory knows."""

from pathlib import Path
from tempfile import mkdtemp

import pytest
import pytest_asyncio

from builtin_plugins.ldap.tests import slapd
from builtin_plugins.ldap.tests.slapd import BASE, PASSWORD, READER, READER_PASSWORD

pytestmark = [
    pytest.mark.shared_server,
    pytest.mark.any_database,
    pytest.mark.skipif(not slapd.is_here(), reason="there is no slapd here: make .venv/.slapd"),
]


@pytest.fixture(scope="module")
def directory():
    server = slapd.Slapd(Path(mkdtemp()))
    server.start()
    yield server
    server.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def hall(share_hall):
    async with share_hall(SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        yield opened


@pytest.fixture
def set_up(hall, directory):
    async def make(*, expect=201, **more):
        body = {
            "kind": "ldap",
            "label": "Directory",
            "url": directory.url,
            "bind_dn": READER,
            "bind_password": READER_PASSWORD,
            "base_dn": f"ou=people,{BASE}",
            "user_filter": "(uid={username})",
            "group_base_dn": f"ou=groups,{BASE}",
            "ca": directory.certificate,
            **more,
        }
        body = {name: value for name, value in body.items() if value is not None}
        answer = await hall.acme.org_owner.post("/api/org/sign-in", body)
        assert answer.status_code == expect, answer.text
        return answer.json()

    return make


@pytest.fixture
def log_in(hall):
    async def login(way, username="ada", password=PASSWORD):
        body = {"username": username, "password": password, "way": way["id"]}
        return await hall.anonymous.post("/api/login", body)

    return login


def code(response):
    return response.status_code, response.json().get("code")


@pytest.mark.every_database
async def test_people_come_in_with_their_directorys_password(hall, set_up, log_in):
    way = await set_up()
    assert "bind_password" not in way
    answer = await log_in(way)
    assert answer.status_code == 200, answer.text
    who = (await hall.bearer(answer.json()["token"]).get("/api/whoami")).json()
    assert who["user"]["display_name"] == "Ada Lovelace"
    assert who["org"]["id"] == (await hall.acme.member.get("/api/whoami")).json()["org"]["id"]
    again = (await log_in(way)).json()
    assert again["user"]["id"] == who["user"]["id"]


async def test_a_wrong_password_and_an_unknown_name_are_refused_alike(set_up, log_in):
    way = await set_up()
    wrong = await log_in(way, password="not it")
    unknown = await log_in(way, username="nobody")
    assert code(wrong) == code(unknown) == (401, "unauthenticated")
    assert wrong.json()["detail"] == unknown.json()["detail"]


async def test_an_empty_password_is_no_sign_in(set_up, log_in):
    """A directory says yes to a bind without a password, whoever it names."""
    way = await set_up()
    for password in ("", "\u0000"):
        assert (await log_in(way, password=password)).status_code in (400, 401)


@pytest.mark.parametrize(
    "username",
    [
        "*",
        "a*",
        "ad?",
        "ada)(uid=*",
        "ada)(|(uid=*",
        "*)(userPassword=*",
        "ada)(!(uid=x)",
        "\\2a",
        "ada\\00",
        "uid=ada,ou=people,dc=acme,dc=test",
        "ada,ou=people",
        "(uid=ada)",
        "ada\u0000",
    ],
)
async def test_no_name_is_read_as_a_filter(set_up, log_in, username):
    way = await set_up()
    assert (await log_in(way, username=username)).status_code in (400, 401)


async def test_whoever_is_not_one_alone_is_nobody(set_up, log_in):
    way = await set_up(user_filter="(mail={username})")
    assert code(await log_in(way, username="shared@acme.test")) == (401, "unauthenticated")


async def test_groups_give_roles_and_those_in_groups_count(hall, set_up, log_in):
    rules = [{"claim": "groups", "contains": "everybody", "role": "admin"}]
    way = await set_up(rules=rules)
    answer = (await log_in(way)).json()
    assert answer["team"]["role"] == "admin"
    way = await set_up(rules=[{"claim": "groups", "contains": "strangers", "role": "admin"}])
    assert (await log_in(way, username="ben")).json()["team"]["role"] == "member"


async def test_tls_is_checked_against_the_name_and_who_vouches(directory, set_up, log_in):
    way = await set_up(url=directory.tls_url)
    assert (await log_in(way)).status_code == 200
    alone = await set_up(url=directory.tls_url, ca=None)
    answer = await log_in(alone)
    assert answer.status_code == 502 and "certificate" in answer.json()["detail"]


async def test_a_test_shows_each_step(hall, directory, set_up):
    async def steps(way):
        answer = await hall.acme.org_owner.post(f"/api/org/sign-in/{way['id']}/test", {})
        assert answer.status_code == 200, answer.text
        assert READER_PASSWORD not in answer.text
        return [(step["name"], step["ok"]) for step in answer.json()["steps"]]

    assert await steps(await set_up()) == [
        ("connect", True),
        ("bind", True),
        ("people", True),
        ("groups", True),
    ]
    assert await steps(await set_up(bind_password="wrong")) == [("connect", True), ("bind", False)]
    assert await steps(await set_up(base_dn=f"ou=nowhere,{BASE}")) == [
        ("connect", True),
        ("bind", True),
        ("read", False),
    ]
    assert await steps(await set_up(url="ldap://127.0.0.1:1")) == [("connect", False)]


async def test_a_directory_that_is_down_is_said_to_be(set_up, log_in):
    way = await set_up(url="ldap://127.0.0.1:1")
    answer = await log_in(way)
    assert code(answer) == (502, "outbound_failed")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "http://127.0.0.1"),
        ("url", "ldap://"),
        ("url", "ldap://user:password@127.0.0.1"),
        ("url", "ldap://127.0.0.1/dc=acme??sub"),
        ("url", "ldap://127.0.0.1:99999"),
        ("base_dn", "no name"),
        ("group_base_dn", "cn="),
        ("user_filter", "(uid=ada)"),
        ("user_filter", "(uid={username}"),
        ("bind_password", None),
        ("bind_dn", None),
        ("ca", "my certificate"),
    ],
)
async def test_what_cannot_be_is_refused_at_its_place(set_up, field, value):
    answer = await set_up(expect=400, **{field: value})
    assert answer["code"] == "invalid_request"


@pytest.mark.own_server
async def test_private_addresses_want_the_operators_word(open_hall):
    async with open_hall() as hall:
        for url in ("ldap://127.0.0.1", "ldaps://10.0.0.1", "ldap://localhost", "ldap://[::1]"):
            body = {"kind": "ldap", "label": "x", "url": url, "base_dn": "dc=acme"}
            answer = await hall.acme.org_owner.post("/api/org/sign-in", body)
            assert answer.status_code == 400, answer.text
