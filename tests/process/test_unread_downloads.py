"""Many downloads that nobody reads: little memory each, and others are served."""

import socket

import pytest

pytestmark = pytest.mark.hall_databases("sqlite")

MIB = 1024 * 1024
UNREAD = 100


def unread_download(server, path: str, token: str) -> socket.socket:
    caller = socket.socket()
    caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    caller.connect(server.address)
    caller.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode("ascii"))
    return caller


async def test_memory_stays_small_and_others_are_served(serve, bearer):
    # Without the model that reads what is uploaded: it takes its memory once.
    async with serve(SERVICE_EMBEDDINGS="0") as server:
        people = server.people.acme.team.people
        async with bearer(server, people["member"]) as http:
            made = await http.put("/api/repo/big.bin", content=bytes(16 * MIB))
            path = f"/api/repo-obj/{made.json()['id']}/content"
            before = server.memory_bytes()
            callers = [unread_download(server, path, people["member"].token) for _ in range(UNREAD)]
            for caller in callers:
                assert caller.recv(16).startswith(b"HTTP/1.1 200")
            async with bearer(server, people["viewer"]) as other:
                for _ in range(20):
                    assert (await other.get("/api/whoami")).status_code == 200
            grown = server.memory_bytes() - before
            for caller in callers:
                caller.close()
        assert grown < UNREAD * MIB, f"{grown / UNREAD / 1024:.0f} KiB for each"
        server.signal()
        assert await server.exit_code() == 0
