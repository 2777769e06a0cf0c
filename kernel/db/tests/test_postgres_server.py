"""The throw-away PostgreSQL leaves nothing behind."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest

from guildhall_testing.databases import database_at, statement
from guildhall_testing.postgres import PostgresServer, session_server

START_AND_WAIT = """
import sys
from guildhall_testing.postgres import PostgresServer
server = PostgresServer().start()
print(server._process.pid, server._folder, flush=True)
sys.stdin.read()
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path("/proc").exists() else True


async def test_a_copy_holds_what_its_template_held() -> None:
    server = session_server()
    template = server.create_database()
    database = database_at(template)
    await database.connect()
    async with database.write() as writer:
        await writer.run(statement("CREATE TABLE t AS SELECT 5 AS n"))
    await database.disconnect()
    copies = [server.create_database(template) for _ in range(2)]
    for url in copies:
        database = database_at(url)
        await database.connect()
        async with database.read() as reader:
            assert await reader.value(statement("SELECT n FROM t")) == 5
        server.drop_database(url)  # cuts off who is connected
        await database.disconnect()
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await asyncpg.connect(copies[0])
    server.drop_database(template)


def test_stopping_removes_the_process_and_the_folder() -> None:
    server = PostgresServer().start()
    process, folder = server._process, server._folder
    assert process is not None
    assert process.poll() is None
    server.stop()
    server.stop()
    assert process.poll() == 0
    assert not folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
async def test_a_killed_test_session_takes_its_server_along() -> None:
    session = await asyncio.create_subprocess_exec(
        sys.executable, "-c", START_AND_WAIT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert session.stdout is not None
    pid, folder = (await session.stdout.readline()).decode().split()
    assert is_running(int(pid))
    session.send_signal(signal.SIGKILL)
    await session.wait()
    for _ in range(3000):
        if not is_running(int(pid)):
            break
        await asyncio.sleep(0.02)
    assert not is_running(int(pid))
    PostgresServer().stop()  # the next session sweeps up after it
    assert not await asyncio.to_thread(Path(folder).exists)


def test_a_statement_that_fails_says_why_and_the_next_one_works() -> None:
    server = session_server()
    with pytest.raises(RuntimeError, match="does not exist"):
        server.create_database("postgresql:///nowhere")
    server.drop_database(server.create_database())
