"""Addresses of PostgreSQL with several hosts, and with TLS."""

import asyncio
import shutil
import socket
import tempfile
from pathlib import Path

import asyncpg
import pytest

from builtin_plugins.postgresql import copies
from builtin_plugins.postgresql.connect import connect, described_hosts, single_hosts, wanted_of
from builtin_plugins.postgresql.tests.tls import PROGRAMS, behind_tls, certificate, tls_server
from guildhall_sdk.engines.engine import DatabaseUnreachable
from guildhall_sdk.errors import OperatorError
from guildhall_testing.databases import database_at, statement
from guildhall_testing.postgres import session_server
from guildhall_testing.servers import settings_from
from tests import commands
from tests.processes import free_port

IN_RECOVERY = statement("SELECT pg_is_in_recovery() AS standby")
TLS = statement("SELECT ssl AS tls FROM pg_stat_ssl WHERE pid = pg_backend_pid()")


async def value(url: str, asked=IN_RECOVERY, **options):
    database = database_at(url, **options)
    await database.connect()
    try:
        async with database.read() as reader:
            return await reader.value(asked)
    finally:
        await database.disconnect()


@pytest.fixture
def certificates(tmp_path):
    return certificate(tmp_path), certificate(tmp_path, "another")


@pytest.fixture
def database_url():
    url = session_server().create_database()
    yield url
    session_server().drop_database(url)


@pytest.fixture
def silent():
    """A host that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_one_url_is_as_many_as_it_has_hosts():
    assert single_hosts("postgresql://u:a,b@h1:1,h2:2/n?sslmode=require") == [
        "postgresql://u:a,b@h1:1/n?sslmode=require",
        "postgresql://u:a,b@h2:2/n?sslmode=require",
    ]
    assert single_hosts("postgresql://u@/n?host=/a,/b&port=1") == [
        "postgresql://u@/n?host=/a&port=1",
        "postgresql://u@/n?host=/b&port=1",
    ]
    assert single_hosts("postgresql://u@h/n") == ["postgresql://u@h/n"]
    assert described_hosts("postgresql://u:p@h1:1,[::1]:2/n") == "h1 or ::1"
    assert {wanted_of(f"postgresql://u@{hosts}/n", "primary") for hosts in ("h", "h,i")} == {"primary"}


async def test_the_next_host_is_taken_where_one_is_down_or_says_nothing(certificates, database_url, silent):
    own, _ = certificates
    name = database_url.partition("@/")[2].partition("?")[0]
    async with behind_tls(database_url, own) as there:
        url = f"postgresql://guildhall@127.0.0.1:{free_port()},{silent},{there}/{name}?sslmode=require"
        assert await value(url) is False
        opened = await connect(url)
        own_socket = opened._transport.get_extra_info("socket")
        assert own_socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert own_socket.getpeername() == ("127.0.0.1", int(there.rpartition(":")[2]))
        opened.terminate()


async def test_who_is_impatient_for_a_lock_has_time_for_a_connection(database_url, monkeypatch):
    """A crowded machine takes its time to open one."""
    at_once = asyncpg.connect

    async def later(*given, timeout, **named):
        async with asyncio.timeout(timeout):
            await asyncio.sleep(0.2)
        return await at_once(*given, timeout=timeout, **named)

    monkeypatch.setattr(asyncpg, "connect", later)
    assert await value(database_url, patience=0.05) is False


async def test_a_password_stands_before_several_hosts_too(certificates, database_url):
    own, _ = certificates
    name = database_url.partition("@/")[2].partition("?")[0]
    async with behind_tls(database_url, own) as there:
        hosts = f"127.0.0.1:{free_port()},{there}"
        assert await value(f"postgresql://guildhall:p%40s%2Fs@{hosts}/{name}?sslmode=require") is False
    with pytest.raises(DatabaseUnreachable, match=f"the database {name} at 127.0.0.1 or 127.0.0.1 cannot be"):
        await value(f"postgresql://guildhall:p%40s%2Fs@{hosts}/{name}")


async def test_what_kind_of_server_is_wanted_is_told_in_words(database_url):
    with pytest.raises(DatabaseUnreachable, match="target_session_attrs: takes any, primary, read-write, "):
        await value(f"{database_url}&target_session_attrs=master")
    with pytest.raises(DatabaseUnreachable, match="cannot be reached: no host is a standby"):
        await value(f"{database_url}&target_session_attrs=read-only")
    with pytest.raises(DatabaseUnreachable, match="cannot be reached: no host is a standby"):
        await copies.connect(f"{database_url}&target_session_attrs=standby")


@pytest.mark.parametrize("password", ["p@z/zzz", "zzz/z@zz", "12?zz@zz", "12#zz@zz", "[zzz", "z\u2100zz"])
@pytest.mark.parametrize("setting", ["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL"])
def test_of_a_password_that_is_not_encoded_nothing_is_told(setting, password):
    urls = {"SERVICE_DATABASE_URL": "postgresql://u@h/n"}
    urls[f"SERVICE_{setting}"] = f"postgresql://u:{password}@h/n"
    with pytest.raises(OperatorError, match=f"SERVICE_{setting}: is not well formed; percent-enc") as refusal:
        settings_from(urls)
    assert "zz" not in str(refusal.value)


async def test_a_certificate_is_checked_and_the_database_served_by_tls(certificates, database_url, tmp_path):
    own, another = certificates
    name = database_url.partition("@/")[2].partition("?")[0]
    async with behind_tls(database_url, own) as there:
        trusted = f"postgresql://guildhall@{there}/{name}?sslmode=verify-full&sslrootcert={own.path}"
        environ = commands.bare_environment(
            SERVICE_DATA=str(tmp_path / "data"), SERVICE_DATABASE_URL=trusted, SERVICE_S3_BIND="127.0.0.1:0"
        )
        booted = await asyncio.to_thread(commands.run, environ, commands.BOOT)
        assert booted.returncode == 0, booted.output
        doctor = await asyncio.to_thread(commands.run, environ, ["doctor"])
        assert "database    ok (postgresql)" in doctor.stdout
        saved = await asyncio.to_thread(commands.run, environ, ["backup", tmp_path / "monday"])
        assert saved.returncode == 0, saved.output
        with pytest.raises(DatabaseUnreachable, match="certificate verify failed"):
            await value(trusted.replace(str(own.path), str(another.path)))
        with pytest.raises(DatabaseUnreachable, match="cannot be reached"):
            await value(f"postgresql://guildhall@{there}/{name}?sslmode=disable")
    for wrong in (
        "sslmode=perhaps",
        "sslmode=verify-full&sslrootcert=/nowhere.crt",
        "target_session_attrs=x",
    ):
        with pytest.raises(DatabaseUnreachable, match="the database URL cannot be used: "):
            await value(f"postgresql://guildhall:sesame@127.0.0.1:1/n?{wrong}")


@pytest.mark.long_form
@pytest.mark.skipif(
    PROGRAMS is None, reason="there is no PostgreSQL of Debian's here, which speaks TLS itself"
)
async def test_so_it_is_with_a_postgresql_that_speaks_tls_itself(certificates):
    own, another = certificates
    folder = Path(tempfile.mkdtemp(prefix="guildhall-tls-", dir="/tmp"))
    try:
        with tls_server(folder, own, free_port) as there:
            url = f"postgresql://guildhall@{there}/postgres?sslmode=verify-full&sslrootcert="
            async with asyncio.timeout(60):
                while True:
                    try:
                        tls = await value(f"{url}{own.path}", TLS)
                        break
                    except DatabaseUnreachable:
                        await asyncio.sleep(0.05)
            assert tls is True
            with pytest.raises(DatabaseUnreachable, match="certificate verify failed"):
                await value(f"{url}{another.path}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
