"""Secrets at rest: sealed to their place, and kept through every change of keys."""

import asyncio
import base64
import contextvars
import stat
import threading

import pytest

from guildhall_sdk import Statement
from kernel.secrets.keyfile import (
    SecretKey,
    SecretKeyError,
    SecretKeyMismatch,
    ServerKey,
)
from kernel.secrets.keyring import Keyring
from kernel.secrets.rotation import rewrap, rotate
from kernel.secrets.vault import SealedVault
from libs.sealing import SealBroken

NEW_KEY = b"another secret key, just as long"


async def put(process, kind, org_id, ref, secret):
    async with process.data.write() as writer:
        await process.vault.put(writer, kind, org_id, ref, secret)


async def get(process, kind, org_id, ref):
    async with process.data.read() as reader:
        return await process.vault.get(reader, kind, org_id, ref)


def start_elsewhere(work):
    """A task with a context of its own, as if another process had begun it."""
    return asyncio.create_task(work, context=contextvars.Context())


async def open_vault(process, folder):
    """Opens the vault as a server with a data folder of its own; tells whether it could."""
    vault = SealedVault(ServerKey(None, folder), process.clock)
    try:
        await vault.open(process.data)
    except SecretKeyMismatch as refusal:
        assert "All servers on one database share one key" in str(refusal)
        return False
    return True


async def until_somebody_waits_for_a_lock(process):
    """On SQLite whoever comes second waits for the file, and there is no asking about it."""
    waiting = "SELECT COUNT(*) AS n FROM pg_locks WHERE NOT granted"
    while process.data.dialect == "postgresql":
        async with process.data.read() as reader:
            if await reader.value(Statement("waiting", waiting, waiting)):
                return


# The instance's key


async def test_of_servers_that_first_start_at_once_only_one_makes_a_key(process, tmp_path):
    folders = [tmp_path / f"server-{number}" for number in range(4)]
    opened = await asyncio.gather(*(start_elsewhere(open_vault(process, folder)) for folder in folders))
    assert sum(opened) == 1
    assert [(folder / "secret.key").exists() for folder in folders] == opened


def test_the_key_file_is_made_once_and_only_for_its_owner(tmp_path):
    first = SecretKey(None, tmp_path / "data").key_or_new()
    assert SecretKey(None, tmp_path / "data").key_or_new() == first
    assert len(first) >= 32
    file = tmp_path / "data" / "secret.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["secret.key"]


def test_racing_processes_agree_on_one_key_file(tmp_path):
    keys, start = [], threading.Barrier(16)

    def boot():
        start.wait()
        keys.append(SecretKey(None, tmp_path).key_or_new())

    threads = [threading.Thread(target=boot) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 16
    assert len(set(keys)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret.key"]


def test_the_setting_wins_over_the_file_and_reads_the_same_text(tmp_path):
    made = SecretKey(None, tmp_path).key_or_new()
    text = (tmp_path / "secret.key").read_text()
    assert SecretKey(text, tmp_path / "elsewhere").key_or_new() == made
    assert SecretKey("x" * 40, tmp_path).key_or_new() == b"x" * 40


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o602, 0o640, 0o620, 0o610])
def test_a_key_that_others_can_reach_is_refused_with_the_remedy(tmp_path, mode):
    SecretKey(None, tmp_path).key_or_new()
    (tmp_path / "secret.key").chmod(mode)
    with pytest.raises(SecretKeyError, match="chmod 600"):
        SecretKey(None, tmp_path).key_or_new()


@pytest.mark.parametrize(
    ("content", "reason"), [(b"short", "too short"), (b"", "too short"), (b"\xff" * 40, "must be text")]
)
def test_a_useless_key_file_is_refused_and_left_alone(tmp_path, content, reason):
    file = tmp_path / "secret.key"
    file.write_bytes(content)
    file.chmod(0o600)
    with pytest.raises(SecretKeyError, match=reason) as refusal:
        SecretKey(None, tmp_path).key_or_new()
    assert "\n" not in str(refusal.value)
    assert file.read_bytes() == content


def test_a_folder_in_the_place_of_the_key_is_refused_in_one_line(tmp_path):
    (tmp_path / "secret.key").mkdir()
    with pytest.raises(SecretKeyError, match=r"secret\.key: cannot be used"):
        SecretKey(None, tmp_path).key_or_new()


def test_a_command_that_must_not_make_a_key_says_that_there_is_none(tmp_path):
    with pytest.raises(SecretKeyError, match=r"secret\.key: cannot be used"):
        SecretKey(None, tmp_path).key()
    assert list(tmp_path.iterdir()) == []


def test_a_data_folder_that_cannot_be_is_refused_in_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SecretKeyError, match="cannot be made"):
        SecretKey(None, tmp_path / "file" / "data").key_or_new()


def test_a_short_setting_is_refused_without_repeating_it(tmp_path):
    with pytest.raises(SecretKeyError, match="SERVICE_SECRET_KEY") as refusal:
        SecretKey("hunter2", tmp_path).key_or_new()
    assert "hunter2" not in str(refusal.value)


# The vault


async def test_a_secret_comes_back_and_the_last_one_put_wins(opened):
    await put(opened, "totp", "org_a", "usr_1", b"one")
    assert await get(opened, "totp", "org_a", "usr_1") == b"one"
    await put(opened, "totp", "org_a", "usr_1", b"\x00\xfftwo")
    assert await get(opened, "totp", "org_a", "usr_1") == b"\x00\xfftwo"


async def test_a_secret_is_found_only_under_its_kind_company_and_id(opened):
    await put(opened, "totp", "org_a", "usr_1", b"one")
    assert await get(opened, "totp", "org_b", "usr_1") is None
    assert await get(opened, "key", "org_a", "usr_1") is None
    assert await get(opened, "totp", "org_a", "usr_2") is None


async def test_a_deleted_secret_is_gone(opened):
    await put(opened, "totp", "org_a", "usr_1", b"one")
    async with opened.data.write() as writer:
        await opened.vault.delete(writer, "totp", "org_a", "usr_1")
    assert await get(opened, "totp", "org_a", "usr_1") is None


async def test_the_database_holds_no_plain_secret(opened):
    await put(opened, "totp", "org_a", "usr_1", b"canary-3141")
    for row in await opened.tamper("SELECT sealed FROM secrets"):
        assert b"canary" not in base64.b64decode(row["sealed"])


async def test_two_swapped_rows_do_not_open(opened):
    await put(opened, "totp", "org_a", "usr_1", b"mine")
    await put(opened, "totp", "org_b", "usr_2", b"theirs")
    await opened.tamper("UPDATE secrets SET org_id = 'org_x', ref = 'x' WHERE ref = 'usr_1'")
    await opened.tamper("UPDATE secrets SET org_id = 'org_a', ref = 'usr_1' WHERE ref = 'usr_2'")
    await opened.tamper("UPDATE secrets SET org_id = 'org_b', ref = 'usr_2' WHERE ref = 'x'")
    for org_id, ref in (("org_a", "usr_1"), ("org_b", "usr_2")):
        with pytest.raises(SealBroken):
            await get(opened, "totp", org_id, ref)


async def test_a_swapped_data_key_does_not_open(opened):
    await put(opened, "totp", "org_a", "usr_1", b"mine")
    rows = await opened.tamper("SELECT id, wrapped FROM data_keys ORDER BY id")
    await opened.tamper(
        "UPDATE data_keys SET wrapped = :w WHERE id = :id", w=rows[0]["wrapped"], id=rows[1]["id"]
    )
    await opened.tamper(
        "UPDATE data_keys SET wrapped = :w WHERE id = :id", w=rows[1]["wrapped"], id=rows[0]["id"]
    )
    async with opened.sibling(b"a secret key for tests, long enough") as other:
        await other.vault.open(other.data)
        with pytest.raises(SecretKeyMismatch):
            await get(other, "totp", "org_a", "usr_1")


async def test_data_keys_are_read_once_and_not_for_each_secret(opened, monkeypatch):
    await put(opened, "totp", "org_a", "usr_1", b"one")
    loads, load = [], type(opened.vault.keyring).load

    async def counted(self, reader):
        loads.append(1)
        await load(self, reader)

    monkeypatch.setattr(type(opened.vault.keyring), "load", counted)
    for _ in range(5):
        await put(opened, "totp", "org_a", "usr_1", b"one")
        await get(opened, "totp", "org_a", "usr_1")
    assert loads == []


async def test_another_instance_key_is_refused_at_boot_in_one_line(opened):
    async with opened.sibling(NEW_KEY) as other:
        with pytest.raises(SecretKeyMismatch) as refusal:
            await other.vault.open(other.data)
    assert "another secret key" in str(refusal.value)
    assert "\n" not in str(refusal.value)


async def test_processes_that_boot_at_once_share_the_first_keys(process, secret_key):
    others = [process.sibling(secret_key) for _ in range(4)]
    for other in others:
        await other.data.connect()
    try:
        await asyncio.gather(*(one.vault.open(one.data) for one in (process, *others)))
        assert len({one.vault.derive("x") for one in (process, *others)}) == 1
        assert len(await process.tamper("SELECT id FROM data_keys")) == 2
        await put(others[0], "totp", "org_a", "usr_1", b"one")
        assert await get(others[-1], "totp", "org_a", "usr_1") == b"one"
    finally:
        for other in others:
            await other.data.disconnect()


async def test_a_purpose_has_one_key_of_its_own(opened, secret_key):
    assert len(opened.vault.derive("audit")) == 32
    assert opened.vault.derive("audit") != opened.vault.derive("other")
    async with opened.sibling(secret_key) as other:
        await other.vault.open(other.data)
        assert other.vault.derive("audit") == opened.vault.derive("audit")


# New keys


async def test_a_rotation_seals_everything_anew_and_drops_the_old_key(opened):
    for number in range(25):
        await put(opened, "totp", "org_a", f"usr_{number}", b"secret %d" % number)
    old = {row["sealed"] for row in await opened.tamper("SELECT sealed FROM secrets")}
    done = await rotate(opened.data, opened.vault, batch=10)
    assert (done.resealed, done.unreadable, done.dropped_keys) == (25, (), 1)
    rows = await opened.tamper("SELECT key_id, sealed FROM secrets")
    assert {row["key_id"] for row in rows} == {done.key_id}
    assert old.isdisjoint(row["sealed"] for row in rows)
    keys = await opened.tamper("SELECT id FROM data_keys WHERE purpose = 'seal'")
    assert [row["id"] for row in keys] == [done.key_id]
    for number in range(25):
        assert await get(opened, "totp", "org_a", f"usr_{number}") == b"secret %d" % number


async def test_a_rotation_leaves_derived_keys_as_they_are(opened):
    before = opened.vault.derive("audit")
    await rotate(opened.data, opened.vault)
    async with opened.sibling(b"a secret key for tests, long enough") as other:
        await other.vault.open(other.data)
        assert other.vault.derive("audit") == before


async def test_a_process_that_knew_only_the_old_key_goes_on_after_a_rotation(opened, secret_key):
    await put(opened, "totp", "org_a", "usr_1", b"before")
    async with opened.sibling(secret_key) as command:
        await command.vault.open(command.data)
        await rotate(command.data, command.vault)
        assert await get(opened, "totp", "org_a", "usr_1") == b"before"
        await put(opened, "totp", "org_a", "usr_2", b"after")
        assert await get(command, "totp", "org_a", "usr_2") == b"after"
    assert len({row["key_id"] for row in await opened.tamper("SELECT key_id FROM secrets")}) == 1


async def test_a_rotation_while_secrets_are_put_loses_nothing(opened, secret_key):
    refs = [f"usr_{number:02d}" for number in range(20)]
    written = dict.fromkeys(refs, b"0")
    for ref in refs:
        await put(opened, "totp", "org_a", ref, b"0")
    stop = asyncio.Event()

    async def keep_putting(process, mine):
        turn = 0
        while not stop.is_set():
            turn += 1
            for ref in mine:
                await put(process, "totp", "org_a", ref, b"%d" % turn)
                written[ref] = b"%d" % turn

    async with opened.sibling(secret_key) as command:
        await command.vault.open(command.data)
        putters = [asyncio.create_task(keep_putting(opened, refs[part::3])) for part in range(2)]
        done = [await rotate(command.data, command.vault, batch=4) for _ in range(4)]
        stop.set()
        await asyncio.gather(*putters)
    assert all(one.unreadable == () for one in done)
    assert any(written[ref] != b"0" for ref in refs)
    for ref in refs:
        assert await get(opened, "totp", "org_a", ref) == written[ref]
    # Once a rotation is over no secret is under an older key, whoever put it meanwhile.
    assert {row["key_id"] for row in await opened.tamper("SELECT key_id FROM secrets")} == {done[-1].key_id}


async def test_a_rotation_waits_for_a_put_that_has_not_committed(opened, secret_key):
    async with opened.sibling(secret_key) as command:
        await command.vault.open(command.data)
        async with opened.data.write() as writer:
            await opened.vault.put(writer, "totp", "org_a", "usr_1", b"under way")
            rotation = start_elsewhere(rotate(command.data, command.vault))
            await until_somebody_waits_for_a_lock(opened)
        done = await rotation
    assert [row["key_id"] for row in await opened.tamper("SELECT key_id FROM secrets")] == [done.key_id]
    assert await get(opened, "totp", "org_a", "usr_1") == b"under way"


async def test_a_put_that_waited_for_a_new_key_uses_it(opened, secret_key):
    async with opened.sibling(secret_key) as command:
        await command.vault.open(command.data)
        async with command.data.write() as writer:
            key_id = await command.vault.keyring.switch(writer, "seal")
            putting = start_elsewhere(put(opened, "totp", "org_a", "usr_1", b"waited"))
            await until_somebody_waits_for_a_lock(opened)
        await putting
    assert [row["key_id"] for row in await opened.tamper("SELECT key_id FROM secrets")] == [key_id]
    assert await get(opened, "totp", "org_a", "usr_1") == b"waited"


@pytest.mark.hall_databases("postgresql")  # SQLite lets nobody in between
async def test_a_put_between_reading_and_resealing_is_not_overwritten(opened, secret_key, monkeypatch):
    for ref in ("usr_1", "usr_2", "usr_3"):
        await put(opened, "totp", "org_a", ref, b"old")
    async with opened.sibling(secret_key) as command:
        await command.vault.open(command.data)
        key, meanwhile = Keyring.key, ["usr_2"]

        async def key_with_somebody_else_at_work(self, reader, key_id):
            if self is command.vault.keyring and meanwhile:
                await put(opened, "totp", "org_a", meanwhile.pop(), b"new")
                async with opened.data.write() as writer:
                    await opened.vault.delete(writer, "totp", "org_a", "usr_3")
            return await key(self, reader, key_id)

        monkeypatch.setattr(Keyring, "key", key_with_somebody_else_at_work)
        done = await rotate(command.data, command.vault)
    assert (done.resealed, done.unreadable) == (1, ())
    assert await get(opened, "totp", "org_a", "usr_1") == b"old"
    assert await get(opened, "totp", "org_a", "usr_2") == b"new"
    assert await get(opened, "totp", "org_a", "usr_3") is None


async def test_two_rotations_at_once_end_with_one_key(opened, secret_key):
    for number in range(30):
        await put(opened, "totp", "org_a", f"usr_{number}", b"%d" % number)
    async with opened.sibling(secret_key) as other:
        await other.vault.open(other.data)
        await asyncio.gather(
            rotate(opened.data, opened.vault, batch=3), rotate(other.data, other.vault, batch=3)
        )
    await rotate(opened.data, opened.vault)
    for number in range(30):
        assert await get(opened, "totp", "org_a", f"usr_{number}") == b"%d" % number
    assert len(await opened.tamper("SELECT id FROM data_keys WHERE purpose = 'seal'")) == 1


async def test_a_rotation_names_what_does_not_open_and_keeps_its_key(opened):
    await put(opened, "totp", "org_a", "usr_1", b"good")
    await put(opened, "totp", "org_a", "usr_2", b"bad")
    await opened.tamper("UPDATE secrets SET sealed = 'AAAA' WHERE ref = 'usr_2'")
    done = await rotate(opened.data, opened.vault, batch=1)
    assert done.unreadable == ("totp/org_a/usr_2",)
    assert (done.resealed, done.dropped_keys) == (1, 0)
    assert await get(opened, "totp", "org_a", "usr_1") == b"good"


async def test_a_new_instance_key_opens_everything_and_the_old_one_nothing(opened, secret_key):
    await put(opened, "totp", "org_a", "usr_1", b"kept")
    derived = opened.vault.derive("audit")
    done = await rewrap(opened.data, secret_key, NEW_KEY)
    assert done == (2, 0)
    async with opened.sibling(NEW_KEY) as renewed:
        await renewed.vault.open(renewed.data)
        assert await get(renewed, "totp", "org_a", "usr_1") == b"kept"
        assert renewed.vault.derive("audit") == derived
    async with opened.sibling(secret_key) as stale:
        with pytest.raises(SecretKeyMismatch):
            await stale.vault.open(stale.data)


async def test_rewrapping_again_changes_nothing(opened, secret_key):
    await rewrap(opened.data, secret_key, NEW_KEY)
    before = await opened.tamper("SELECT * FROM data_keys ORDER BY id")
    done = await rewrap(opened.data, secret_key, NEW_KEY)
    assert done == (0, 2)
    assert await opened.tamper("SELECT * FROM data_keys ORDER BY id") == before


async def test_rewrapping_with_a_wrong_old_key_changes_nothing(opened):
    before = await opened.tamper("SELECT * FROM data_keys ORDER BY id")
    with pytest.raises(SecretKeyMismatch):
        await rewrap(opened.data, b"never was the key of this one", NEW_KEY)
    assert await opened.tamper("SELECT * FROM data_keys ORDER BY id") == before


async def test_a_server_left_on_the_old_key_cannot_add_a_data_key(opened, secret_key):
    await rewrap(opened.data, secret_key, NEW_KEY)
    with pytest.raises(SecretKeyMismatch):
        await rotate(opened.data, opened.vault)
    assert len(await opened.tamper("SELECT id FROM data_keys")) == 2


async def test_a_change_of_keys_is_in_the_audit_trail(opened, secret_key):
    done = await rotate(opened.data, opened.vault)
    await rewrap(opened.data, secret_key, NEW_KEY)
    rows = await opened.tamper("SELECT action, target_id FROM audit_events ORDER BY seq")
    assert [(row["action"], row["target_id"]) for row in rows] == [
        ("secrets.rotated", done.key_id),
        ("secrets.rewrapped", None),
    ]
