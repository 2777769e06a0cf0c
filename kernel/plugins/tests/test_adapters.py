"""Protocols and applications of plugins, brought with declare_adapters."""

import contextlib
from types import SimpleNamespace

import httpx
import pytest

from guildhall_sdk import Credential, Plugin, Setting, hookimpl
from guildhall_sdk.principal import CredentialKind
from guildhall_sdk.routes import Adapter
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.settings import address
from kernel.cli import serve
from kernel.listening import AddressTaken, bound_socket
from kernel.scope import PUBLIC, current_scope
from libs.own_process import OnlyProcess

BIND = Setting(name="bind", help="where the toy listens", default="127.0.0.1:0", parse=address)


def toy(*adapters, settings=(BIND,)):
    @hookimpl
    def declare_adapters():
        return adapters

    @hookimpl
    def declare_settings():
        return settings

    @hookimpl
    def declare_credential_kinds():
        return [CredentialKind(name="toy", description="A toy")]

    return SimpleNamespace(
        PLUGIN=Plugin("toy", "Toy", "1.0", "A toy."),
        declare_adapters=declare_adapters,
        declare_settings=declare_settings,
        declare_credential_kinds=declare_credential_kinds,
    )


def saying_where(host):
    """Answers with the prefix it stands under and the path as it came."""

    async def app(scope, receive, send):
        content = f"{scope['root_path']} {scope['raw_path'].decode()}".encode()
        headers = [(b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    return app


def served(*, name="toy", bind=None, app=saying_where, **others):
    return Adapter(name=name, prefix="/toy", title="Toy", app=app, bind=bind, **others)


@pytest.mark.hall_databases("sqlite")
async def test_an_application_answers_below_its_prefix_and_nowhere_else(open_hall):
    async with open_hall(toy(served())) as hall:
        for path in ("/toy", "/toy/a%2Fb//..", "/toy/?x=1"):
            answer = await hall.anonymous.get(path)
            assert (answer.status_code, answer.text.split(" ")[0]) == (200, "/toy")
        for path in ("/toys", "/api/toy", "/to"):
            assert (await hall.anonymous.get(path)).headers["content-type"] == "application/problem+json"
        assert (await hall.anonymous.get("/health")).status_code == 200


@pytest.mark.hall_databases("sqlite")
async def test_an_application_with_an_address_of_its_own_answers_at_its_root(open_hall):
    async with (
        open_hall(toy(served(bind=BIND))) as hall,
        httpx.AsyncClient(base_url=hall.addresses["toy"], trust_env=False) as http,
    ):
        assert (await http.get("/anything/at%20all")).text == " /anything/at%20all"
        assert (await http.get("/health")).text == " /health"


@pytest.mark.hall_databases("sqlite")
async def test_two_adapters_below_one_prefix_are_refused(open_hall):
    twice = (served(name="toy_one"), served(name="toy_two"))
    async with open_hall(toy(*twice), allow_refused=True) as hall:
        items = (await hall.operator.get("/api/plugins?limit=200")).json()["items"]
    refused = next(item for item in items if item["id"] == "toy")
    assert (refused["status"], "declared twice" in refused["reason"]) == ("quarantined", True)


@pytest.mark.hall_databases("sqlite")
async def test_the_address_of_an_adapter_is_a_setting_of_its_own_plugin(open_hall):
    adapter = served(bind=BIND)
    async with open_hall(toy(adapter, settings=()), allow_refused=True) as hall:
        (refused,) = hall.registry.refused
    assert refused.reason == "adapter toy: its bind must be a setting that declare_settings gives"


@pytest.mark.hall_databases("sqlite")
async def test_an_address_that_nobody_chose_may_be_taken(open_hall):
    adapter = served(bind=BIND)
    with contextlib.closing(bound_socket("127.0.0.1:0")) as taken, contextlib.ExitStack() as sockets:
        address, only = f"127.0.0.1:{taken.getsockname()[1]}", OnlyProcess(lambda: taken)
        async with open_hall(toy(adapter)) as hall:
            row, _ = hall.server.listener_addresses()["toy"]
            hall.server.listener_addresses = lambda: {"toy": (row, address)}
            assert serve._own_sockets(hall.server, sockets, only) == {}
        async with open_hall(toy(adapter), SERVICE_TOY_BIND="127.0.0.1:0") as hall:
            row, _ = hall.server.listener_addresses()["toy"]
            hall.server.listener_addresses = lambda: {"toy": (row, address)}
            with pytest.raises(AddressTaken, match=f"SERVICE_TOY_BIND: cannot listen on {address}"):
                serve._own_sockets(hall.server, sockets, only)


@pytest.mark.hall_databases("sqlite")
async def test_an_application_that_looks_somebody_up_by_itself_still_has_a_strangers_share(open_hall):
    seen = []

    def authenticating(host):
        answer = saying_where(host)

        async def app(scope, receive, send):
            who = hall.acme.member.person
            async with host.data.read() as reader:
                credential = Credential("toy-1", "toy", None, None)
                named = host.service(Credentials).principal_of
                found = await named(reader, credential, user_id=who.user_id, team_id=who.team_id)
            seen.append((found.username, current_scope.get()))
            await answer(scope, receive, send)

        return app

    async with open_hall(toy(served(app=authenticating)), SERVICE_RATE_LIMIT="300") as hall:
        statuses = [(await hall.anonymous.get("/toy")).status_code for _ in range(12)]
        (username,) = {username for username, _ in seen}
        assert username == hall.acme.member.person.username
        assert {(scope.account, scope.credential) for _, scope in seen} == {(PUBLIC, None)}
        assert statuses == [200] * 10 + [429] * 2


@pytest.mark.hall_databases("sqlite")
async def test_an_application_has_a_request_id_a_line_in_the_log_and_its_counts(open_hall):
    async with open_hall(toy(served())) as hall:
        await hall.anonymous.get("/toy", headers={"X-Request-Id": "req_toy"})
        (line,) = hall.watch.lines("guildhall.toy")
        families = (await hall.operator.get("/api/metrics")).json()["items"]
    assert (line["action"], line["request_id"]) == ("request.done", "req_toy")
    assert (line["operation"], line["status"]) == ("Read", 200)
    (family,) = [one for one in families if one["name"] == "guildhall_toy_requests_total"]
    assert [sample["labels"] for sample in family["samples"]] == [{"operation": "Read", "status": "200"}]


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(
    ("adapter", "reason"),
    [
        (served(app=None), "adapter toy: it brings either a protocol or an app"),
        (served(protocol=saying_where), "adapter toy: it brings either a protocol or an app"),
        (served(name="s3"), "adapter s3: its name must be toy, or begin with toy_"),
        (
            Adapter(name="toy", prefix="/api/toy", title="Toy", app=saying_where),
            "adapter toy: its prefix must begin with / and leave /api to rows",
        ),
        (
            Adapter(name="toy", prefix="/", title="Toy", protocol=saying_where),
            "adapter toy: at / it brings an app; a protocol stands below a prefix",
        ),
    ],
)
async def test_an_adapter_that_cannot_be_served_is_refused(open_hall, adapter, reason):
    async with open_hall(toy(adapter), allow_refused=True) as hall:
        (refused,) = hall.registry.refused
    assert refused.reason == reason


@pytest.mark.hall_databases("sqlite")
async def test_a_plugin_that_mounts_is_told_what_to_write_instead(open_hall):
    @hookimpl
    def declare_mounts():
        return []

    old = SimpleNamespace(PLUGIN=Plugin("old", "Old", "1.0", "Old."), declare_mounts=declare_mounts)
    async with open_hall(old, allow_refused=True) as hall:
        (refused,) = hall.registry.refused
    assert "declare_mounts is gone: return Adapters of guildhall_sdk.routes" in refused.reason
