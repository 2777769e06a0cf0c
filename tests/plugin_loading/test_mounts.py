"""Applications of another protocol, brought with declare_mounts."""

import contextlib
from types import SimpleNamespace

import httpx
import pytest

from guildhall_sdk import Plugin, Setting, hookimpl
from guildhall_sdk.mounts import Mount
from guildhall_sdk.settings import address
from kernel.cli import serve
from kernel.listening import AddressTaken, bound_socket

BIND = Setting(name="bind", help="where the toy listens", default="127.0.0.1:0", parse=address)


def toy(*mounts, settings=(BIND,)):
    @hookimpl
    def declare_mounts():
        return mounts

    @hookimpl
    def declare_settings():
        return settings

    return SimpleNamespace(
        PLUGIN=Plugin("toy", "Toy", "1.0", "A toy."),
        declare_mounts=declare_mounts,
        declare_settings=declare_settings,
    )


def saying_where(host):
    """Answers with the prefix it stands under and the path as it came."""

    async def app(scope, receive, send):
        content = f"{scope['root_path']} {scope['raw_path'].decode()}".encode()
        headers = [(b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    return app


@pytest.mark.hall_databases("sqlite")
async def test_a_mount_answers_below_its_prefix_and_nowhere_else(open_hall):
    async with open_hall(toy(Mount("toy", "/toy", saying_where))) as hall:
        for path in ("/toy", "/toy/a%2Fb//..", "/toy/?x=1"):
            answer = await hall.anonymous.get(path)
            assert (answer.status_code, answer.text.split(" ")[0]) == (200, "/toy")
        for path in ("/toys", "/api/toy", "/to"):
            assert (await hall.anonymous.get(path)).headers["content-type"] == "application/problem+json"
        assert (await hall.anonymous.get("/health")).status_code == 200


@pytest.mark.hall_databases("sqlite")
async def test_a_mount_with_an_address_of_its_own_answers_at_its_root(open_hall):
    async with (
        open_hall(toy(Mount("toy", "/toy", saying_where, bind=BIND))) as hall,
        httpx.AsyncClient(base_url=hall.addresses["toy"], trust_env=False) as http,
    ):
        assert (await http.get("/anything/at%20all")).text == " /anything/at%20all"
        assert (await http.get("/health")).text == " /health"


@pytest.mark.hall_databases("sqlite")
async def test_two_mounts_below_one_prefix_are_refused(open_hall):
    twice = (Mount("one", "/toy", saying_where), Mount("two", "/toy", saying_where))
    async with open_hall(toy(*twice), allow_refused=True) as hall:
        items = (await hall.operator.get("/api/plugins?limit=200")).json()["items"]
    refused = next(item for item in items if item["id"] == "toy")
    assert (refused["status"], "declared twice" in refused["reason"]) == ("quarantined", True)


@pytest.mark.hall_databases("sqlite")
async def test_the_address_of_a_mount_is_a_setting_of_its_own_plugin(open_hall):
    mount = Mount("toy", "/toy", saying_where, bind=BIND)
    async with open_hall(toy(mount, settings=()), allow_refused=True) as hall:
        (refused,) = hall.registry.refused
    assert refused.reason == "mount toy: its bind must be a setting that declare_settings gives"


@pytest.mark.hall_databases("sqlite")
async def test_an_address_that_nobody_chose_may_be_taken(open_hall):
    mount = Mount("toy", "/toy", saying_where, bind=BIND)
    with contextlib.closing(bound_socket("127.0.0.1:0")) as taken, contextlib.ExitStack() as sockets:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        async with open_hall(toy(mount)) as hall:
            row, _ = hall.server.listener_settings()["toy"]
            hall.server.listener_settings = lambda: {"toy": (row, address)}
            assert serve._own_sockets(hall.server, sockets, None) == {}
        async with open_hall(toy(mount), SERVICE_TOY_BIND="127.0.0.1:0") as hall:
            row, _ = hall.server.listener_settings()["toy"]
            hall.server.listener_settings = lambda: {"toy": (row, address)}
            with pytest.raises(AddressTaken, match=f"SERVICE_TOY_BIND: cannot listen on {address}"):
                serve._own_sockets(hall.server, sockets, None)
