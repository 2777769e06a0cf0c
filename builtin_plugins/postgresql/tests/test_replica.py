"""Reads that may lag go to the replica; another database with other content shows which did."""

import asyncio
import re
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from urllib.parse import unquote

import asyncpg
import pytest
import pytest_asyncio

from builtin_plugins.postgresql.replica import ReplicaBehind, lag_of
from builtin_plugins.postgresql.replica_lag import ReplicaLag, follows, has_parted
from guildhall_sdk import Plugin, Reply, Route, Statement, hookimpl
from guildhall_sdk.engines.engine import DatabaseUnreachable
from guildhall_testing.databases import database_at
from guildhall_testing.postgres import PostgresServer, session_server
from kernel.db.database import STATEMENT_SECONDS
from kernel.db.scopes import write_scope
from tests import commands

pytestmark = pytest.mark.hall_databases("postgresql")

_PLACE = "SELECT current_database() AS place"
LAGGING = Statement("lagging_place", "SELECT 'here' AS place", _PLACE, may_lag=True)
EXACT = Statement("exact_place", "SELECT 'here' AS place", _PLACE)
ADD_USAGE = Statement(
    "add_usage",
    "",
    "INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens) "
    "VALUES (:team_id, :at, 'usr_elsewhere', 'm', 'c', 7, 70)",
)


STREAMING = {"wal_level": "replica", "max_wal_senders": "8"}


class Asker:
    """Says which database each kind of statement is answered by, before and after a write."""

    PLUGIN = Plugin("asker", "Asker", "0.1.0", "Asks.")

    async def ask(self, call):
        async with call.read() as reader:
            before = [await reader.value(LAGGING), await reader.value(EXACT)]
        async with call.write() as writer:
            within = await writer.value(LAGGING)
            async with call.read() as nested:
                assert await nested.value(LAGGING) == within
        async with call.read() as reader:
            after = await reader.value(LAGGING)
        return Reply({"before": before, "within": within, "after": after})

    @hookimpl
    def declare_routes(self):
        return [Route("POST", "/api/ask", "ask", "Ask", permission="notes:read", body={})]

    @hookimpl
    def declare_handlers(self):
        return {"ask": self.ask}


@pytest_asyncio.fixture(loop_scope="session")
async def replica(hall_sites):
    async with hall_sites.lease("postgresql") as site:
        yield site.environment()["SERVICE_DATABASE_URL"]


async def test_what_may_lag_is_read_at_the_replica_until_the_request_writes(open_hall, replica):
    async with open_hall(Asker(), SERVICE_DATABASE_REPLICA_URL=replica) as hall:
        here, there = (
            url.partition("/test_")[2].partition("?")[0]
            for url in (hall.server.settings.database_url, replica)
        )
        here, there = f"test_{here}", f"test_{there}"
        said = (await hall.acme.member.post("/api/ask", {})).json()
        assert said == {"before": [there, here], "within": here, "after": here}
        again = (await hall.acme.member.post("/api/ask", {})).json()
        assert again == said  # that the one before has written is over

        elsewhere = database_at(replica)
        await elsewhere.connect()
        async with elsewhere.write() as writer:
            await writer.run(ADD_USAGE, team_id=hall.acme.team_id, at=hall.clock.now_ms())
        await elsewhere.disconnect()
        usage = (await hall.acme.owner.get("/api/usage?by=user")).json()["items"]
        assert [(item["id"], item["requests"]) for item in usage] == [("usr_elsewhere", 7)]
        note = (await hall.acme.member.post("/api/notes", {"title": "Here at once"})).json()
        listed = (await hall.acme.member.get("/api/notes")).json()["items"]
        assert [item["id"] for item in listed] == [note["id"]]


async def test_without_its_replica_all_is_read_from_the_database(open_hall, caplog):
    gone = session_server().create_database()
    session_server().drop_database(gone)
    async with open_hall(Asker(), SERVICE_DATABASE_REPLICA_URL=gone) as hall:
        for _ in range(3):
            said = (await hall.acme.member.post("/api/ask", {})).json()
            assert said["before"] == [said["within"]] * 2
        usage = await hall.acme.owner.get("/api/usage?by=model")
        assert (usage.status_code, usage.json()["items"]) == (200, [])
        environ = commands.bare_environment(
            SERVICE_DATA=str(hall.server.settings.data),
            SERVICE_DATABASE_URL=hall.server.settings.database_url,
            SERVICE_DATABASE_REPLICA_URL=gone,
        )
        away = await asyncio.to_thread(commands.run, environ, ["doctor"])
        itself = {**environ, "SERVICE_DATABASE_REPLICA_URL": environ["SERVICE_DATABASE_URL"]}
        healthy = await asyncio.to_thread(commands.run, itself, ["doctor"])
    assert [record.msg for record in caplog.records].count("db.replica_away") == 1
    assert away.returncode == 1
    assert "replica     cannot be reached, so all is read from the database: " in away.stdout
    assert "replica     ok (it is no standby: make sure that what is written reaches it)" in healthy.stdout


def copied(database):
    """Returns a standby of a PostgreSQL, not launched yet."""
    standby = PostgresServer()
    standby._settings |= STREAMING
    standby._binaries = database._binaries
    reach = ("-h", str(database._folder), "-U", "guildhall", "-D", str(standby._folder / "data"))
    standby._run("pg_basebackup", *reach, "-R", "--no-sync", "-c", "fast")
    return standby


@pytest.fixture(scope="module")
def primary():
    """A PostgreSQL that standbys follow."""
    server = PostgresServer()
    try:
        server._settings |= STREAMING
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def followed_by_one(primary):
    standby = copied(primary)
    try:
        standby.launch()
        yield primary, standby
    finally:
        standby.stop()


@pytest.fixture(scope="module")
def streaming(primary):
    """A PostgreSQL and its standby, which the tests of this module leave as it is."""
    with followed_by_one(primary) as servers:
        yield servers


@pytest.fixture
def promotable(primary):
    """A PostgreSQL and a standby of the test's own, which may be promoted or cut off."""
    with followed_by_one(primary) as servers:
        yield servers


def addresses(streaming):
    """Makes a database; returns its address and that of its copy at the standby."""
    primary, standby = streaming
    url = primary.create_database()
    return url, url.replace(str(primary._folder), str(standby._folder))


async def test_doctor_tells_a_standby_that_is_cut_off_or_of_an_earlier_schema(
    tmp_path, promotable, monkeypatch
):
    url, replica = addresses(promotable)
    environ = commands.bare_environment(
        SERVICE_DATA=str(tmp_path), SERVICE_DATABASE_URL=url, SERVICE_DATABASE_REPLICA_URL=replica
    )

    async def doctor():
        said = await asyncio.to_thread(commands.run, environ, ["doctor"])
        return next(line for line in said.stdout.splitlines() if line.startswith("replica"))

    assert (await asyncio.to_thread(commands.run, environ, commands.BOOT)).returncode == 0
    assert await doctor() == "replica     ok (0.0 s behind, at most 60 s)"
    with monkeypatch.context() as patch, pytest.raises(ReplicaBehind, match="what the database never wrote"):
        # As of one put back from a backup.
        patch.setattr("builtin_plugins.postgresql.replica._POSITION", "SELECT '0/1'")
        await lag_of(replica, url, 60)
    async with asyncio.timeout(60):
        connection = await asyncpg.connect(replica)
        await connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
        await connection.execute("SELECT pg_reload_conf()")
        while await connection.fetchval("SELECT COUNT(*) FROM pg_stat_wal_receiver"):
            pass
        await connection.close()
        connection = await asyncpg.connect(url)
        await connection.execute("SET synchronous_commit = on")  # in the log by the time it is answered
        await connection.execute("CREATE TABLE written_since (id INT)")
        assert re.fullmatch(r"replica     ok \(\d+\.\d s behind, at most 60 s\)", late := await doctor())
        assert late != "replica     ok (0.0 s behind, at most 60 s)"
        environ["SERVICE_DATABASE_REPLICA_LAG"] = "1"
        with pytest.raises(ReplicaBehind):
            while await lag_of(replica, url, 1):
                pass
        late = await doctor()
        refusal = "replica     is not used, so all is read from the database: it is "
        assert re.fullmatch(rf"{refusal}\d+\.\d s behind, more than 1 s", late)
        await connection.execute("INSERT INTO schema_ledger VALUES ('later', 1, 'step', 'sum', 0)")
        await connection.close()
    assert await doctor() == (
        "replica     is not used, so all is read from the database: its schema is that of an earlier version"
    )


_WHERE = "SELECT current_setting('data_directory')"
WHERE = Statement("where", "", _WHERE, may_lag=True)


async def connected(replica):
    """Returns a connection to the standby, once the database is there too."""
    while True:
        with suppress(asyncpg.InvalidCatalogNameError):
            return await asyncpg.connect(replica)


@asynccontextmanager
async def followed(streaming):
    """Yields the database as a server has it, who answers what may lag there, and connections to both."""
    _, standby = streaming
    url, replica = addresses(streaming)
    database = database_at(url, replica_url=replica, replica_lag_seconds=1)

    async def answered_by():
        write_scope.set(None)  # as a request begins, whatever the tests before have written
        async with database.read() as reader:
            folder = await reader.value(WHERE)
        return "replica" if folder.startswith(str(standby._folder)) else "database"

    async with asyncio.timeout(60):
        following = await connected(replica)
        await database.connect()
        watching = asyncio.create_task(database.pool.replica.follow())
        writing = await asyncpg.connect(url)
        try:
            while await answered_by() != "replica":
                pass
            yield database, answered_by, following, writing
        finally:
            watching.cancel()
            await following.close()
            await writing.close()
            await database.disconnect()


@pytest.mark.long_form
async def test_a_standby_that_is_promoted_is_not_asked_for_what_is_written_since(promotable, caplog):
    async with followed(promotable) as (database, answered_by, following, _):
        assert await following.fetchval("SELECT pg_promote()")
        while await answered_by() != "database":
            pass
        while "db.replica_behind" not in messages(caplog):
            await answered_by()
        assert database.pool.replica.lag_seconds > 1 and not database.pool.replica.in_use


async def test_a_standby_is_left_out_by_the_look_that_finds_it_promoted_however_far_it_may_lag(
    promotable, caplog
):
    url, replica = addresses(promotable)
    async with asyncio.timeout(60):
        standby = await connected(replica)
        async with opened(url, replica) as database:
            while not database.pool.replica.in_use:
                await database.pool.replica.measure_lag()
            assert await standby.fetchval("SELECT pg_promote()")
            for _ in range(2):
                await database.pool.replica.measure_lag()
                assert not database.pool.replica.in_use
            assert database.pool.replica.lag_seconds < 60
        await standby.close()
    assert [one for one in messages(caplog) if one.startswith("db.")] == ["db.replica_of_another"]


async def test_a_standby_that_was_promoted_before_the_server_started_is_not_asked(tmp_path, promotable):
    url, replica = addresses(promotable)
    environ = commands.bare_environment(
        SERVICE_DATA=str(tmp_path), SERVICE_DATABASE_URL=url, SERVICE_DATABASE_REPLICA_URL=replica
    )
    assert (await asyncio.to_thread(commands.run, environ, commands.BOOT)).returncode == 0
    async with asyncio.timeout(60):
        following = await connected(replica)
        assert await following.fetchval("SELECT pg_promote()")
        await following.close()
    database = database_at(url, replica_url=replica)
    await database.connect()
    try:
        async with database.read() as reader:
            assert str(promotable[0]._folder) in await reader.value(WHERE)
        assert not database.pool.replica.in_use
    finally:
        await database.disconnect()
    said = await asyncio.to_thread(commands.run, environ, ["doctor"])
    assert "replica     is not used, so all is read from the database: it was promoted" in said.stdout
    environ["SERVICE_DATABASE_REPLICA_LAG"] = "0"
    said = await asyncio.to_thread(commands.run, environ, ["doctor"])
    assert re.search(r"^replica     ok \(it was promoted; .+: it is asked all the same", said.stdout, re.M)


IN_RECOVERY = Statement("standby", "", "SELECT pg_is_in_recovery() AS standby")


async def test_of_several_hosts_the_one_that_takes_writes_is_meant_unless_the_url_says_otherwise(streaming):
    primary, standby = streaming
    url, _ = addresses(streaming)
    several = url.replace(f"host={primary._folder}", f"host={standby._folder},{primary._folder}")
    assert several != url

    async def is_standby(url):
        database = database_at(url)
        await database.connect()
        try:
            async with database.read() as reader:
                return await reader.value(IN_RECOVERY)
        finally:
            await database.disconnect()

    async with asyncio.timeout(60):
        while True:  # until the standby has replayed that there is such a database
            try:
                assert await is_standby(f"{several}&target_session_attrs=standby") is True
                break
            except DatabaseUnreachable:
                await asyncio.sleep(0.05)
    assert await is_standby(several) is False
    for wanted, expected in (("read-write", False), ("primary", False), ("prefer-standby", True)):
        assert await is_standby(f"{several}&target_session_attrs={wanted}") is expected


async def test_a_standby_is_no_database_unless_the_url_says_so(streaming):
    _, url = addresses(streaming)
    refused = "takes no writes: it is a standby, or it is still recovering"
    async with asyncio.timeout(60):
        while True:  # until the standby has replayed that there is such a database
            database = database_at(f"{url}&target_session_attrs=any")
            try:
                await database.connect()
                await database.disconnect()
                break
            except DatabaseUnreachable:
                await asyncio.sleep(0.05)
    with pytest.raises(DatabaseUnreachable, match=refused):
        await database_at(url).connect()


async def test_a_standby_that_has_what_the_database_never_wrote_is_not_asked(streaming, monkeypatch):
    """The database was put back from a backup, and the standby was not made anew."""
    async with followed(streaming) as (database, answered_by, _, _):
        of_database = database.pool.replica._of_database

        async def put_back(statement):
            return "0/1" if statement.name == "position" else await of_database(statement)

        monkeypatch.setattr(database.pool.replica, "_of_database", put_back)
        while await answered_by() != "database":
            pass


@pytest.fixture
def other_cluster():
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.stop()


async def moved_past(connection, position):
    """Has the log of a database end later than there, and on its disk; returns where."""
    await connection.execute("SET synchronous_commit = on")
    while not await connection.fetchval("SELECT pg_current_wal_flush_lsn() > $1::TEXT::PG_LSN", position):
        await connection.execute("SELECT pg_switch_wal()")
        await connection.execute("SELECT pg_logical_emit_message(true, 'x', 'x')")
    return await end_of(connection)


async def end_of(connection):
    return await connection.fetchval("SELECT pg_current_wal_flush_lsn()::TEXT")


async def replayed(standby, position):
    """Waits until a standby has all up to there."""
    while not await standby.fetchval("SELECT pg_last_wal_replay_lsn() >= $1::TEXT::PG_LSN", position):
        pass


@asynccontextmanager
async def opened(url, replica):
    database = database_at(url, replica_url=replica)
    await database.connect()
    try:
        yield database
    finally:
        await database.disconnect()


async def test_a_standby_of_another_cluster_is_not_asked_wherever_its_log_ends(streaming, other_cluster):
    elsewhere, replica = addresses(streaming)
    url = other_cluster.create_database()
    async with asyncio.timeout(60):
        standby = await connected(replica)
        here, there = await asyncpg.connect(url), await asyncpg.connect(elsewhere)
        between = await moved_past(here, await end_of(there))
        async with opened(url, replica) as database:
            await replayed(standby, await moved_past(there, between))
            await moved_past(here, await end_of(there))
            await database.pool.replica.measure_lag()
            assert not database.pool.replica.in_use
        with pytest.raises(ReplicaBehind, match="it is a standby of another database"):
            await lag_of(replica, url, 60)
        for connection in (standby, here, there):
            await connection.close()


async def test_another_database_of_the_same_cluster_is_not_asked_at_the_standby(streaming):
    url, replica = addresses(streaming)
    _, replica_of_other = addresses(streaming)
    async with asyncio.timeout(60):
        await (await connected(replica_of_other)).close()
        async with opened(url, replica_of_other) as database:
            await database.pool.replica.measure_lag()
            assert not database.pool.replica.in_use
        with pytest.raises(ReplicaBehind, match="it is a standby of another database"):
            await lag_of(replica_of_other, url, 60)
        assert "asked all the same" in await lag_of(replica_of_other, url, 0)
        async with opened(url, replica) as database:
            while not database.pool.replica.in_use:
                await database.pool.replica.measure_lag()


@pytest.mark.long_form
async def test_a_standby_of_one_that_was_promoted_is_not_asked(promotable):
    first, promoted = promotable
    url, replica = addresses(promotable)
    second = copied(first)
    try:
        settings = second._folder / "data/postgresql.auto.conf"
        settings.write_text(settings.read_text().replace(str(first._folder), str(promoted._folder)))
        second.launch()
        follower = url.replace(str(first._folder), str(second._folder))
        async with asyncio.timeout(60):
            following, leading = await connected(follower), await connected(replica)
            assert await leading.fetchval("SELECT pg_promote()")
            await replayed(following, await moved_past(leading, await end_of(leading)))
            with pytest.raises(ReplicaBehind, match="it is a standby of another database"):
                await lag_of(follower, url, 60)
            here = await asyncpg.connect(url)
            await moved_past(here, await end_of(leading))
            async with opened(url, follower) as database:
                end = await moved_past(leading, await end_of(here))
                await replayed(following, end)
                await moved_past(here, end)
                await database.pool.replica.measure_lag()
                assert not database.pool.replica.in_use
            for connection in (following, leading, here):
                await connection.close()
    finally:
        second.stop()


def test_a_standby_follows_the_timeline_of_its_database_or_comes_to_it_and_no_later_one():
    assert follows("71/0000000A", "71/0000000A")
    assert follows("71/00000009", "71/0000000A"), "the database was promoted, and the standby will come to it"
    assert not follows("71/0000000B", "71/0000000A"), "it follows one that was promoted"
    assert not follows("72/0000000A", "71/0000000A")


async def test_a_server_starts_where_nobody_can_tell_how_far_its_replica_is_behind(replica):
    url = session_server().create_database()
    plain = f"plain_{url.partition('/test_')[2].partition('?')[0]}"
    connection = await asyncpg.connect(url)
    await connection.execute("REVOKE EXECUTE ON FUNCTION pg_current_wal_lsn() FROM PUBLIC")
    await connection.execute(f"CREATE ROLE {plain} LOGIN")
    owner = await connection.fetchval("SELECT current_user")
    database = database_at(url.replace(f"{owner}@", f"{plain}@"), replica_url=replica)
    try:
        await database.connect()
        async with database.read() as reader:
            assert await reader.value(LAGGING) == await reader.value(EXACT)
        assert not database.pool.replica.in_use
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await database.pool.replica.measure_lag()
    finally:
        await database.disconnect()
        await connection.execute(f"DROP ROLE {plain}")
        await connection.close()


async def test_a_replica_whose_history_nobody_may_read_is_away_once_and_doctor_says_why(caplog):
    url, copy = session_server().create_database(), session_server().create_database()
    plain = f"plain_{copy.partition('/test_')[2].partition('?')[0]}"
    connection = await asyncpg.connect(copy)
    await connection.execute("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC")
    await connection.execute(f"CREATE ROLE {plain} LOGIN")
    owner = await connection.fetchval("SELECT current_user")
    replica = copy.replace(f"{owner}@", f"{plain}@")
    try:
        async with opened(url, replica) as database:
            for _ in range(3):
                await database.pool.replica.measure_lag()
            assert not database.pool.replica.in_use
        told = [one for one in messages(caplog) if one.startswith("db.")]
        assert told == ["db.replica_away"]
        with pytest.raises(ReplicaBehind, match="permission denied for function pg_control_system"):
            await lag_of(replica, url, 60)
        assert "asked all the same" in await lag_of(replica, url, 0)
    finally:
        await connection.execute(f"DROP ROLE {plain}")
        await connection.close()


async def test_a_standby_that_is_too_far_behind_is_not_asked_until_it_has_caught_up(streaming, caplog):
    async with followed(streaming) as (database, answered_by, following, writing):
        await following.execute("SELECT pg_wal_replay_pause()")
        while await following.fetchval("SELECT pg_get_wal_replay_pause_state()") != "paused":
            pass
        await writing.execute("CREATE TABLE written_since (id INT)")
        while await answered_by() != "database":
            pass
        assert database.pool.replica.lag_seconds > 1 and not database.pool.replica.in_use
        while "db.replica_behind" not in messages(caplog):
            await answered_by()
        await following.execute("SELECT pg_wal_replay_resume()")
        while await answered_by() != "replica":
            pass
        assert database.pool.replica.lag_seconds < 1
    told = [one for one in messages(caplog) if one.startswith("db.")]
    assert told == ["db.replica_behind", "db.replica_caught_up"]


def messages(caplog):
    return [record.msg for record in caplog.records]


def test_a_replica_is_as_far_behind_as_the_oldest_that_it_lacks_and_counts_again_at_half_of_the_limit():
    lag = ReplicaLag(60, 0.0)
    assert not lag.allows(0.0), "nobody knows yet"
    lag.note(1.0, "0/10", "0/0F")
    assert not lag.allows(1.0) and not lag.has_changed(1.0)
    lag.note(5.0, "0/20", "0/10")
    assert (lag.allows(5.0), lag.seconds(5.0)) == (True, 4.0)
    lag.note(10.0, "0/20", "0/20")
    assert lag.seconds(10.0) == 0.0, "nothing was written since"
    for at in (20.0, 40.0, 60.0):
        lag.note(at, "1/0", "0/20")
    assert lag.allows(70.0) and not lag.allows(70.1)
    assert lag.has_changed(71.0) and lag.is_behind
    lag.note(71.0, "1/5", "1/0")
    assert (lag.seconds(71.0), lag.has_changed(91.0), lag.allows(91.0)) == (11.0, False, False)
    assert lag.has_changed(90.0) and lag.allows(90.0)
    lag.note(100.0, "1/6", None)
    assert lag.seconds(100.0) == 0.0, "a copy that follows no log"
    assert ReplicaLag(0, 0.0).allows(1e9), "no limit"
    copy = ReplicaLag(60, 0.0)
    copy.note(100.0, "1/6", None)
    assert (copy.allows(100.0), copy.seconds(100.0)) == (True, 0.0), "a copy that follows no log"


def test_a_copy_has_parted_where_its_log_is_of_the_same_cluster_and_of_another_timeline():
    assert has_parted("71/00000002", "71/00000001")
    assert not has_parted("71/00000001", "71/00000001"), "the database itself"
    assert not has_parted("7/00000002", "71/00000001"), "another cluster, which something else keeps alike"


def test_a_replica_that_stays_a_day_behind_is_not_taken_to_be_further_behind():
    lag, day = ReplicaLag(2 * 86_400, 0.0), 86_400
    for at in range(0, 4 * day, 60):
        lag.note(float(at), f"0/{at:X}", f"0/{max(0, at - day):X}")
    assert day <= lag.seconds(4.0 * day) < 1.1 * day
    lag.note(4.0 * day, "0/5", "0/5")
    assert lag.seconds(4.0 * day) == 0.0, "put back from a backup, and followed again"


async def test_how_far_a_replica_is_behind_and_whether_it_is_asked_is_in_the_metrics(open_hall, replica):
    names = [f"guildhall_database_replica_{name}" for name in ("lag_seconds", "in_use")]
    gone = session_server().create_database()
    session_server().drop_database(gone)
    seen = []
    for url in (replica, gone):
        async with open_hall(SERVICE_DATABASE_REPLICA_URL=url) as hall:
            items = (await hall.operator.get("/api/metrics")).json()["items"]
            values = {item["name"]: [one["value"] for one in item["samples"]] for item in items}
            seen.append([values[name] for name in names])
    (([lag], in_use), (_, lost)) = seen
    assert (0 <= lag < 60, in_use, lost) == (True, [1], [0])


async def test_without_a_limit_nobody_says_how_far_a_replica_is_behind(open_hall, replica):
    settings = {"SERVICE_DATABASE_REPLICA_URL": replica, "SERVICE_DATABASE_REPLICA_LAG": "0"}
    async with open_hall(**settings) as hall:
        items = (await hall.operator.get("/api/metrics")).json()["items"]
    values = {item["name"]: [one["value"] for one in item["samples"]] for item in items}
    assert values["guildhall_database_replica_in_use"] == [1]
    assert not values.get("guildhall_database_replica_lag_seconds")


class Freezing:
    """A way to a PostgreSQL on which, once it is frozen, nothing moves any more and nothing is closed."""

    def __init__(self, url, folder):
        self._real, self._folder = unquote(url.partition("host=")[2]), folder
        self.url = f"{url.partition('host=')[0]}host={folder}"
        self.freezing = None  # a word of the client at which it freezes
        self.thawed = asyncio.Event()
        self.thawed.set()

    @asynccontextmanager
    async def open(self):
        async with (
            asyncio.TaskGroup() as self._passing,
            await asyncio.start_unix_server(self._connected, f"{self._folder}/.s.PGSQL.5432"),
        ):
            yield self

    async def _connected(self, *near):
        far = await asyncio.open_unix_connection(f"{self._real}/.s.PGSQL.5432")
        for (reader, _), (_, writer) in ((near, far), (far, near)):
            self._passing.create_task(self._pass_on(reader, writer))

    async def _pass_on(self, reader, writer):
        with suppress(ConnectionError):
            while block := await reader.read(65536):
                if self.freezing is not None and self.freezing in block:
                    self.thawed.clear()
                await self.thawed.wait()
                writer.write(block)
        writer.close()


async def test_nobody_waits_for_a_replica_that_hangs(
    open_hall, replica, tmp_path_factory, monkeypatch, caplog
):
    monkeypatch.setattr("builtin_plugins.postgresql.replica._AWAY_SECONDS", 0.0)
    async with (
        Freezing(replica, tmp_path_factory.mktemp("r")).open() as frozen,
        open_hall(Asker(), SERVICE_DATABASE_REPLICA_URL=frozen.url) as hall,
    ):
        said = (await hall.acme.member.post("/api/ask", {})).json()
        assert said["before"][0] != said["within"]
        replica = hall.server.data.pool.replica
        replica._options = replace(replica._options, patience=1.0, pool_size=3, statement_seconds=0.2)
        frozen.thawed.clear()
        for _ in range(2):
            async with asyncio.timeout(60):
                said = (await hall.acme.member.post("/api/ask", {})).json()
            assert said["before"] == [said["within"]] * 2
        assert [record.msg for record in caplog.records].count("db.replica_away") == 1
        frozen.thawed.set()
        said = (await hall.acme.member.post("/api/ask", {})).json()
        assert said["before"][0] != said["within"]


async def test_doctor_does_not_wait_for_a_replica_that_hangs_as_it_is_asked(
    replica, tmp_path_factory, monkeypatch
):
    monkeypatch.setattr("builtin_plugins.postgresql.replica._PATIENCE_SECONDS", 0.2)
    async with asyncio.timeout(60), Freezing(replica, tmp_path_factory.mktemp("r")).open() as frozen:
        for word in (b"SHOW plan_cache_mode", b"pg_is_in_recovery"):
            frozen.freezing = word
            with pytest.raises(TimeoutError):
                await lag_of(frozen.url, replica, 60)
            frozen.freezing = None
            frozen.thawed.set()
        assert "it is no standby" in await lag_of(frozen.url, replica, 60)


async def test_nobody_waits_for_a_replica_that_hangs_as_it_is_first_reached(replica, tmp_path_factory):
    async with asyncio.timeout(60), Freezing(replica, tmp_path_factory.mktemp("r")).open() as frozen:
        for word in (b"user", b"SHOW plan_cache_mode"):
            frozen.freezing = word
            frozen.thawed.set()
            database = database_at(
                replica, replica_url=frozen.url, replica_lag_seconds=0, statement_seconds=STATEMENT_SECONDS
            )
            await database.connect()
            async with asyncio.timeout(5):  # together, and not one after the other
                reads = (database.pool.replica.rows(LAGGING, {}) for _ in range(8))
                assert await asyncio.gather(*reads) == [None] * 8
            await database.disconnect()
        frozen.freezing = None
        frozen.thawed.set()


@pytest.mark.hall_databases("sqlite")
def test_doctor_repeats_nothing_of_a_password_that_breaks_the_address(tmp_path):
    environ = commands.bare_environment(
        SERVICE_DATA=str(tmp_path),
        SERVICE_DATABASE_URL=f"postgresql://nobody@/nothing?host={tmp_path}",
        SERVICE_DATABASE_REPLICA_URL="postgresql://somebody:canary/word@127.0.0.1/hall",
    )
    said = commands.run(environ, ["doctor"])
    assert "canary" not in said.output
    assert "is not well formed; percent-encode what is special in its password" in said.output


@pytest.mark.hall_databases("sqlite")
def test_sqlite_has_no_replica(tmp_path):
    environ = commands.bare_environment(
        SERVICE_DATA=str(tmp_path), SERVICE_DATABASE_REPLICA_URL="postgresql://x@/y"
    )
    refused = commands.run(environ, ["serve"])
    assert (refused.returncode, refused.stderr) == (
        2,
        "guildhall: SERVICE_DATABASE_REPLICA_URL: takes PostgreSQL in SERVICE_DATABASE_URL too\n",
    )
