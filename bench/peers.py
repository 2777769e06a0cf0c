"""What we compare ourselves with. As a program, `peers.py KIND PORT ANSWER.json …` serves one of them."""

import asyncio
import hashlib
import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from bench.servers import Server, free_port, plain_environment, running

PATH, READY = "/api/whoami", "/ready"
Kind = Literal["quart", "quart_with_a_read", "asgi"]
_CALLER = (
    "SELECT u.username FROM credentials AS c JOIN users AS u ON u.id = c.user_id WHERE c.secret_hash = $1"
)


def is_installed(name: str) -> bool:
    """Whether a peer is there, as a package or a program; one that is not is named, and left out."""
    if find_spec(name) is not None or Path(sys.executable).with_name(name).is_file():
        return True
    print(f"without {name}, which is not installed …", file=sys.stderr, end=" ", flush=True)
    return False


def without_uvloop(folder: Path) -> dict[str, str]:
    """The settings of a server that cannot import it."""
    hidden = folder / "hidden"
    hidden.mkdir()
    (hidden / "uvloop.py").write_text("raise ImportError('it is hidden here')")
    return {"PYTHONPATH": str(hidden)}


@contextmanager
def peer(kind: Kind, answer: Any, folder: Path, *database: str) -> Iterator[Server]:
    """Quart as its manual shows it, or the least that Hypercorn can serve; all give `answer`.

    Quart with a read looks up by its token who asks, in the PostgreSQL database of a Guildhall.
    """
    port = free_port()
    stored = folder / f"{kind}.json"
    stored.write_text(json.dumps(answer), "utf-8")
    command = [sys.executable, "-m", "bench.peers", kind, str(port), str(stored), *database]
    ready = READY if database else PATH
    with running(command, port, ready, folder, plain_environment()) as server:
        yield server


@contextmanager
def datasette(folder: Path) -> Iterator[Server]:
    """Datasette as installed, over an empty database in memory."""
    port = free_port()
    command = [str(Path(sys.executable).with_name("datasette")), "serve", "--memory", "--port", str(port)]
    with running(command, port, "/-/versions.json", folder, plain_environment()) as server:
        yield server


def stock_quart(answer: Any) -> Any:
    from quart import Quart

    app = Quart("peer")

    @app.get(PATH)
    async def whoami() -> Any:
        return answer

    return app


def quart_with_a_read(answer: Any, database: str) -> Any:
    import asyncpg
    from quart import Quart, request

    pool: Any = None
    app = Quart("peer")

    @app.before_serving
    async def connect() -> None:
        nonlocal pool
        pool = await asyncpg.create_pool(database, min_size=1)

    @app.get(READY)
    async def ready() -> str:
        return "ready"

    @app.get(PATH)
    async def whoami() -> Any:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        caller = await pool.fetchrow(_CALLER, hashlib.sha256(token.encode()).hexdigest())
        return ({"error": "unauthenticated"}, 401) if caller is None else answer

    return app


def raw_asgi(answer: Any) -> Any:
    content = json.dumps(answer, separators=(",", ":")).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]

    async def app(
        scope: Mapping[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": content, "more_body": False})

    return app


async def serve(app: Any, port: int) -> None:
    """On Hypercorn with our server's settings: no access log and no Server header."""
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.accesslog = None
    config.include_server_header = False
    await serve(app, config)


if __name__ == "__main__":
    kind, port, stored, *database = sys.argv[1:]
    makers: dict[str, Callable[..., Any]] = {
        "quart": stock_quart,
        "quart_with_a_read": quart_with_a_read,
        "asgi": raw_asgi,
    }
    app = makers[kind](json.loads(Path(stored).read_text("utf-8")), *database)
    asyncio.run(serve(app, int(port)))
