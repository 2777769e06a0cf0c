"""`guildhall login`, `notes`, `files`, `search`, `chat`, `run`, `jobs`: a hall from a terminal."""

import asyncio
import json
import stat
import subprocess

import pytest

from tests import commands

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

WORDS = "x.example-tools.word-count"


@pytest.fixture
def guildhall(tmp_path):
    """`await guildhall("notes", "ls")`: what the command said, with a session of this test's own."""
    environ = commands.bare_environment(XDG_CONFIG_HOME=str(tmp_path / "config"))
    environ = {name: value for name, value in environ.items() if not name.startswith("GUILDHALL_")}

    async def run(*words, typed="", fails=0, **more):
        done = await asyncio.to_thread(commands.run, environ | more, words, typed=typed)
        assert done.returncode == fails, done.output
        assert "Traceback" not in done.output
        return done.stderr if fails else done.stdout

    return run


@pytest.fixture
async def signed_in(hall, guildhall, tmp_path):
    """The same, signed in as a member."""
    token = tmp_path / "token"
    token.write_text(f"{hall.acme.member.token}\n")
    await guildhall("login", hall.base_url, "--token-file", token)
    return guildhall


async def test_somebody_signs_in_and_out(hall, guildhall, tmp_path):
    assert "begin with: guildhall login URL" in await guildhall("whoami", fails=2)
    name = hall.acme.member.username
    said = await guildhall("login", hall.base_url, typed=f"{name}\n{hall.password}\n")
    kept = tmp_path / "config/guildhall/session.json"
    assert f"signed in as {name}" in said and str(kept) in said and hall.password not in said
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert name in await guildhall("whoami")
    assert json.loads(await guildhall("whoami", "--json"))["team"]["id"] == hall.acme.team_id
    token = json.loads(kept.read_text())["token"]
    kept.chmod(0o644)
    assert "chmod 600" in await guildhall("whoami", fails=2)
    kept.chmod(0o600)
    await guildhall("logout")
    assert not kept.exists()
    environ = {"GUILDHALL_URL": hall.base_url, "GUILDHALL_TOKEN": token}
    assert "sign in anew" in await guildhall("whoami", fails=2, **environ)
    refused = await guildhall("login", hall.base_url, typed=f"{name}\nwrong\n", fails=2)
    assert "wrong" not in refused.replace("is wrong", "") and not kept.exists()
    assert "begins with http" in await guildhall("login", "hall.example", typed="a\nb\n", fails=2)
    (tmp_path / "token").write_text("two words")
    words = ("login", hall.base_url, "--token-file", tmp_path / "token")
    assert "holds no token" in await guildhall(*words, fails=2)
    assert "does not answer" in await guildhall("login", "http://127.0.0.1:9", typed="a\nb\n", fails=2)


@pytest.mark.long_form
async def test_notes_are_written_listed_read_and_found(hall, signed_in):
    note_id = (await signed_in("notes", "new", "Minutes", "--team", typed="We met.\x1b[2J\n")).strip()
    assert "Minutes" in await signed_in("notes", "ls")
    assert json.loads(await signed_in("notes", "--json")) == json.loads(
        await signed_in("notes", "ls", "--json")
    )
    assert await signed_in("notes", "cat", note_id) == "# Minutes\n\nWe met.[2J\n\n"
    (listed,) = json.loads(await signed_in("notes", "ls", "--json"))
    assert (listed["id"], listed["visibility"]) == (note_id, "team")
    await hall.drain_jobs()
    assert note_id in await signed_in("search", "minutes")
    await signed_in("notes", "rm", note_id)
    assert json.loads(await signed_in("notes", "ls", "--json")) == []
    assert "Minutes" in await signed_in("notes", "ls", "--deleted")
    await signed_in("notes", "cat", "note_nobody", fails=2)


async def test_files_are_copied_to_the_hall_and_back(hall, signed_in, tmp_path):
    folder = tmp_path / "reports"
    (folder / "2026").mkdir(parents=True)
    (folder / "2026/budget.csv").write_bytes(b"tea,12\n" * 1000)
    (folder / "read me.txt").write_text("Read me.")
    await signed_in("files", "cp", "-r", folder, "hall:reports")
    listed = json.loads(await signed_in("files", "ls", "-r", "hall:reports/", "--json"))
    assert {file["key"]: file["version"] for file in listed} == {
        "reports/2026/budget.csv": 1,
        "reports/read me.txt": 1,
    }
    said = await signed_in("files", "ls", "hall:reports/")
    assert "reports/2026/\n" in said and "8 B" in said
    assert await signed_in("files", "cat", "hall:reports/read me.txt") == "Read me."
    (folder / "read me.txt").write_text("Read me again.")
    await signed_in("files", "cp", "-r", folder, "hall:reports/")
    again = json.loads(await signed_in("files", "ls", "-r", "hall:reports/", "--json"))
    assert [file["version"] for file in again] == [1, 2], "what is there already is not sent again"
    await signed_in("files", "cp", "-r", "hall:reports", tmp_path / "back")
    assert (tmp_path / "back/2026/budget.csv").read_bytes() == b"tea,12\n" * 1000
    assert (tmp_path / "back/read me.txt").read_text() == "Read me again."
    await signed_in("files", "cp", "hall:reports/read me.txt", tmp_path)
    assert (tmp_path / "read me.txt").read_text() == "Read me again."
    await signed_in("files", "cp", folder / "read me.txt", "hall:notes/")
    assert await signed_in("files", "cat", "hall:notes/read me.txt") == "Read me again."
    for words, why in (
        (("cp", folder, "hall:x"), "copy it with -r"),
        (("cp", "a", "b"), "the other hall:KEY"),
        (("cp", "hall:nobody", tmp_path), "there is no hall:nobody"),
        (("cp", tmp_path / "nobody", "hall:x"), "there is no file"),
        (("cat", "reports/read me.txt"), "write hall:reports/read me.txt"),
    ):
        assert why in await signed_in("files", *words, fails=2)


async def test_a_key_that_leads_out_of_the_folder_is_left_out(hall, signed_in, tmp_path):
    client = hall.acme.member
    for key in ("out/%2E%2E/%2E%2E/away.txt", "out/in.txt"):
        answer = await client.request("PUT", f"/api/repo/{key}", content=b"x")
    assert answer.status_code == 201
    there = [file["key"] for file in (await client.get("/api/repo?prefix=out/")).json()["items"]]
    leads_out = "out/../../away.txt" in there
    await signed_in("files", "cp", "-r", "hall:out/", tmp_path / "a/b", fails=int(leads_out))
    assert (tmp_path / "a/b/in.txt").read_text() == "x"
    assert not (tmp_path / "away.txt").exists()


@pytest.mark.long_form
async def test_it_chats_runs_and_follows(hall, signed_in):
    await hall.set_feature(hall.acme, "chat", True)
    await hall.set_feature(hall.acme, "workflows", True)
    assert (await signed_in("chat", "What is a guild?")).strip()
    assert "text" in json.loads(await signed_in("chat", "--json", typed="What is a guild?"))
    assert "nothing to ask" in await signed_in("chat", typed=" ", fails=2)
    step = {"name": "count", "kind": "tool", "tool": "word_count", "with": {"text": {"$from": "input.text"}}}
    spec = {
        "slug": "count",
        "inputs": {"text": {"type": "string"}},
        "start": "count",
        "steps": [step],
        "max_steps": 5,
    }
    published = await hall.acme.admin.post("/api/workflows", spec)
    assert published.status_code == 201, published.text
    said = await signed_in("run", "count", "--input", "text=one two")
    assert "succeeded" in said and '"words": 2' in said
    assert (await signed_in("run", "count", "--input", "text=x", "--no-wait")).startswith("run_")
    assert "NAME=VALUE" in await signed_in("run", "count", "--input", "text", fails=2)
    await signed_in("run", "nobody", fails=2)
    job = {"kind": WORDS, "payload": {"text": "one two three"}}
    job_id = (await hall.acme.member.post("/api/jobs", job)).json()["id"]
    assert "done" in await signed_in("jobs", "follow", job_id)
    assert json.loads(await signed_in("jobs", "show", job_id))["result"]["words"] == 3
    assert job_id in await signed_in("jobs", "ls", "--state", "succeeded") and job_id in await signed_in(
        "jobs"
    )
    assert "already" in await signed_in("jobs", "cancel", job_id, fails=2)


async def test_shells_complete_the_commands(guildhall, tmp_path):
    script = await guildhall("completion", "bash")
    asked = 'COMP_WORDS=(guildhall files c); COMP_CWORD=2; _guildhall; echo "${COMPREPLY[@]}"'
    deeper = 'COMP_WORDS=(guildhall notes ls --); COMP_CWORD=3; _guildhall; echo "${COMPREPLY[@]}"'
    first = 'COMP_WORDS=(guildhall wh); COMP_CWORD=1; _guildhall; echo "${COMPREPLY[@]}"'
    typed = f"{script}\n{asked}\n{deeper}\n{first}"
    done = await asyncio.to_thread(
        subprocess.run, ["bash", "-c", typed], capture_output=True, text=True, cwd=tmp_path
    )
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["cat", "cp"] and {"--tag", "--json"} <= {*lines[1].split()}, done
    assert lines[2] == "whoami"
    assert "bashcompinit" in await guildhall("completion", "zsh")
    fish = await guildhall("completion", "fish")
    assert "__fish_seen_subcommand_from files" in fish and "whoami" in fish
