"""A plugin that its author wrote from the docs, as a distribution of its own beside Guildhall's wheels."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest

PROJECT = Path(__file__).with_name("project")


@pytest.fixture
def things(served):
    """`things("acme.member", "Ladder")`: the id of a new thing of theirs."""

    def add(person, label="Ladder"):
        added = served.call(person, "POST", "/api/loans", {"label": label})
        assert added.status_code == 201, added.text
        return added.json()["id"]

    return add


def until(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.02)
    return found


def events_in(lines):
    """The events of a stream as they come: each its name and its data."""
    name = None
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


def test_nothing_of_the_checkout_is_in_the_fresh_environment(installation, tmp_path):
    source = (
        "import json, kernel, builtin_plugins, guildhall_sdk, guildhall_loans, importlib.metadata as m\n"
        "modules = [kernel, builtin_plugins, guildhall_sdk, guildhall_loans]\n"
        "names = sorted({d.name for d in m.distributions() if 'guildhall' in d.name})\n"
        "print(json.dumps([[module.__file__ for module in modules], names]))\n"
    )
    files, distributions = json.loads(installation.run_python("-c", source, where=tmp_path).stdout)
    assert all(file.startswith(f"{installation.site_packages}/") for file in files), files
    strangers = [
        f"guildhall-{name}" for name in ("kitchen", "lines", "loans", "plain-sqlite", "polls", "soups")
    ]
    ours = ["guildhall-client", "guildhall-sdk", "guildhall-server", "guildhall-testing"]
    assert distributions == sorted([*strangers, *ours])


def test_the_wheels_hold_no_tests(installation):
    for wheel in installation.wheels:
        parts = {part for name in ZipFile(wheel).namelist() for part in Path(name).parts}
        assert not {part for part in parts if part in ("tests", "conftest.py") or part.startswith("test_")}


def _names(installation):
    return {name for wheel in installation.wheels for name in ZipFile(wheel).namelist()}


def test_the_server_brings_its_console(installation):
    names = _names(installation)
    assert "builtin_plugins/console/dist/index.html" in names


def test_it_serves_its_console_and_its_documentation(installation, served):
    with served.bearing(None) as http:
        page = http.get("/")
        assert page.status_code == 200 and "<script" in page.text
        (script, *_) = re.findall(r'src="([^"]+\.js)"', page.text)
        assert http.get(script).status_code == 200
        documented = [
            name for name in _names(installation) if name.startswith("builtin_plugins/docs_site/site/")
        ]
        if not documented:
            pytest.skip("the documentation is not built: make docs")
        docs = http.get("/docs/", follow_redirects=True)
        assert docs.status_code == 200 and "Guildhall" in docs.text


def test_check_and_doctor_have_nothing_to_say_against_it(installation, served, tmp_path):
    checked = installation.run("plugin", "check", "loans", where=tmp_path)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.startswith("loans 0.1.0 would be let in: 6 routes, 0 tools\n")
    doctor = installation.run("doctor", where=served.where, SERVICE_LOANS_MAX_DAYS="3")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert "SERVICE_LOANS_MAX_DAYS" in doctor.stdout
    listed = served.call("operator", "GET", "/api/plugins").json()["items"]
    (loans,) = [plugin for plugin in listed if plugin["id"] == "loans"]
    assert (loans["status"], loans["source"]) == ("loaded", "entry-point"), loans


@pytest.mark.long_form
def test_the_command_works_in_a_hall_and_calls_rows_of_strangers_too(installation, served, tmp_path):
    (tmp_path / "token").write_text(served.tokens["acme.member"])
    (tmp_path / "minutes.txt").write_text("We met.")
    for words in (
        ("login", served.base_url, "--token-file", "token"),
        ("files", "cp", "minutes.txt", "hall:minutes.txt"),
        ("files", "cat", "hall:minutes.txt"),
    ):
        done = installation.run(*words, where=tmp_path, XDG_CONFIG_HOME=str(tmp_path))
        assert done.returncode == 0, done.stderr
    assert done.stdout == "We met."
    source = (
        "import sys, guildhall_client\n"
        "with guildhall_client.Client(sys.argv[1], token=open('token').read()) as hall:\n"
        "    print(hall.request('GET', '/api/x/kitchen/menu'))\n"
    )
    called = installation.run_python("-c", source, served.base_url, where=tmp_path)
    assert "tomato soup" in called.stdout, called.stderr


def test_a_hook_of_one_stranger_is_implemented_by_another(served):
    listed = {one["id"]: one for one in served.call("operator", "GET", "/api/plugins").json()["items"]}
    for plugin_id in ("kitchen", "soups"):
        assert (listed[plugin_id]["status"], listed[plugin_id]["source"]) == ("loaded", "entry-point")
    menu = served.call("acme.viewer", "GET", "/api/x/kitchen/menu").json()
    assert menu == [{"name": "tomato soup", "by": "soups"}]
    with switched_off(served, "/api/plugins/soups"):
        assert served.call("acme.viewer", "GET", "/api/x/kitchen/menu").json() == []
        assert served.call("globex.viewer", "GET", "/api/x/kitchen/menu").json() == menu


@pytest.mark.long_form
def test_a_hook_whose_owner_is_blocked_keeps_who_requires_it_out(installation, tmp_path):
    listed = installation.run("plugin", "list", where=tmp_path, SERVICE_PLUGINS_BLOCKED="kitchen")
    (soups,) = [line for line in listed.stdout.splitlines() if " soups " in line]
    assert soups.startswith("quarantined") and soups.endswith("requires kitchen, which is not loaded")


def test_its_permission_gates_a_row_and_is_known_to_whoami_and_tokens(served, things):
    refused = served.call("acme.viewer", "POST", "/api/loans", {"label": "Ladder"})
    assert (refused.status_code, refused.json()["permission"]) == (403, "loans:lend")
    held = {role: _permissions(served, f"acme.{role}") for role in ("viewer", "member")}
    assert {name for name in held["viewer"] if name.startswith("loans:")} == {"loans:read"}
    assert {name for name in held["member"] if name.startswith("loans:")} == {"loans:read", "loans:lend"}
    with served.bearing(_token(served, "loans:read")) as report:
        assert report.get("/api/whoami").json()["permissions"] == ["loans:read"]
        assert report.get(f"/api/loans/{things('acme.member')}").status_code == 200
        assert report.post("/api/loans", json={"label": "Ladder"}).status_code == 403
    unknown = {"name": "none", "scope": ["loans:burn"]}
    assert served.call("acme.owner", "POST", "/api/tokens", unknown).status_code == 400


def _permissions(served, person):
    return set(served.call(person, "GET", "/api/whoami").json()["permissions"])


def _token(served, permission):
    issued = served.call("acme.owner", "POST", "/api/tokens", {"name": "script", "scope": [permission]})
    assert issued.status_code == 201, issued.text
    return issued.json()["token"]


def test_its_setting_comes_from_the_environment(served, things):
    path = f"/api/loans/{things('acme.member')}/lend"
    lent = served.call("acme.member", "POST", path, {"borrower": "Grace", "days": 3})
    assert (lent.status_code, lent.json()["borrower"]) == (200, "Grace")
    refused = served.call("acme.member", "POST", path, {"borrower": "Grace", "days": 4})
    assert (refused.status_code, refused.json()["detail"]) == (400, "Things are lent for 3 days at most.")


@pytest.mark.long_form
def test_a_malformed_setting_stops_the_boot_with_one_line(installation, tmp_path):
    refused = installation.run("serve", where=tmp_path, SERVICE_LOANS_MAX_DAYS="soon")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "guildhall: SERVICE_LOANS_MAX_DAYS: takes a whole number, 1 to 365\n"


def test_its_table_holds_two_companies_apart(served, things):
    mine, theirs = things("acme.member", "Our ladder"), things("globex.member", "Their ladder")
    for person, own, foreign in (("acme.viewer", mine, theirs), ("globex.viewer", theirs, mine)):
        listed = {item["id"] for item in served.call(person, "GET", "/api/loans").json()["items"]}
        assert own in listed
        assert foreign not in listed
        assert served.call(person, "GET", f"/api/loans/{foreign}").status_code == 404


def test_an_upload_of_somebody_reaches_its_subscription(served):
    with served.client("acme.owner") as owner:
        uploaded = owner.put("/api/repo/manuals/saw.txt", content=b"Mind your fingers.").raise_for_status()
    object_id = uploaded.json()["id"]

    def lendable(company):
        items = served.call(f"{company}.viewer", "GET", "/api/loans").json()["items"]
        return [item["label"] for item in items if item["object_id"] == object_id]

    assert until(lambda: lendable("acme")) == ["A file of 18 bytes"]
    assert lendable("globex") == []


def test_its_command_prints_beside_the_running_server(installation, served, things):
    things("globex.member")
    counted = installation.run("loans", "globex", where=served.where)
    assert (counted.returncode, counted.stderr) == (0, "")
    items = served.call("globex.viewer", "GET", "/api/loans").json()["items"]
    assert counted.stdout == f"globex: {len(items)} things, 0 lent\n"
    missing = installation.run("loans", "nowhere", where=served.where)
    assert (missing.returncode, missing.stderr) == (2, "guildhall: there is no company nowhere\n")


@pytest.mark.long_form
def test_its_stream_tells_what_happens_and_ends_with_the_server(serve, tmp_path):
    with serve(tmp_path) as hall:
        _lend_while_watching_and_stop(hall)


def test_it_works_on_postgresql(serve, postgresql_url, tmp_path):
    with serve(tmp_path, SERVICE_DATABASE_URL=postgresql_url) as hall:
        hall.call("globex.member", "POST", "/api/loans", {"label": "Ladder"}).raise_for_status()
        _lend_while_watching_and_stop(hall)


def _lend_while_watching_and_stop(hall):
    thing = hall.call("acme.member", "POST", "/api/loans", {"label": "Ladder"}).json()["id"]
    with hall.client("acme.viewer") as viewer, viewer.stream("GET", "/api/loans/watch") as stream:
        events = events_in(stream.iter_lines())
        assert next(events) == ("ready", None)
        loan = {"borrower": "Grace", "days": 2}
        hall.call("acme.member", "POST", f"/api/loans/{thing}/lend", loan).raise_for_status()
        assert next(events) == ("lent", {"id": thing, "borrower": "Grace"})
        found = hall.call("acme.viewer", "GET", "/api/search?q=ladder").json()["items"]
        assert [hit["id"] for hit in found] == [thing]
        hall.process.send_signal(signal.SIGTERM)
        ((name, problem),) = events
    assert (name, problem["code"], problem["reason"]) == ("error", "not_ready", "draining")
    assert hall.process.wait(60) == 0


def test_search_finds_its_things_for_who_may_see_them(served, things):
    thing = things("acme.member", "Wheelbarrow")
    for person, expected in (("acme.viewer", [thing]), ("globex.viewer", [])):
        found = served.call(person, "GET", "/api/search?q=wheelbarrow&type=thing").json()
        assert ([hit["id"] for hit in found["items"]], found["unavailable"]) == (expected, [])
    hit = served.call("acme.viewer", "GET", "/api/search?q=wheelbarrow").json()["items"][0]
    assert (hit["type"], hit["title"], hit["url"]) == ("thing", "Wheelbarrow", f"/api/loans/{thing}")
    with served.bearing(_token(served, "search")) as finder:
        assert finder.get("/api/search?q=wheelbarrow").json()["items"] == []


@contextmanager
def worker(installation, served, where):
    made = served.call("operator", "POST", "/api/executors", {"name": where.name, "mode": "pull"}).json()
    token = made["worker_token"]
    process = installation.start(
        *("worker", "--url", served.base_url, "--kinds", "x.loans.appraise"),
        where=where,
        GUILDHALL_WORKER_TOKEN=token,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_worker_runs_its_remote_kind(installation, served, things, tmp_path):
    thing = things("acme.member", "Ladder")
    job = served.call("acme.member", "POST", f"/api/loans/{thing}/appraise").json()["job_id"]
    with worker(installation, served, tmp_path) as process:
        ended = served.call("acme.member", "GET", f"/api/jobs/{job}?wait=30").json()
        assert (ended["state"], ended["result"]) == ("succeeded", {"value": 60})
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert served.call("acme.viewer", "GET", f"/api/loans/{thing}").json()["value"] == 60


@contextmanager
def switched_off(served, path):
    switched = served.call("acme.owner", "POST", path, {"enabled": False})
    assert switched.status_code == 200, switched.text
    yield
    served.call("acme.owner", "POST", path, {"enabled": True}).raise_for_status()


def test_a_team_switches_the_plugin_off_for_itself_alone(served, things):
    thing = things("acme.member", "Anvil")
    with switched_off(served, "/api/plugins/loans"):
        refused = served.call("acme.member", "GET", f"/api/loans/{thing}")
        assert (refused.status_code, refused.json()["code"]) == (403, "feature_disabled")
        assert refused.json()["feature"] == "loans"
        assert served.call("acme.member", "GET", "/api/search?q=anvil").json()["items"] == []
        assert served.call("globex.member", "GET", "/api/loans").status_code == 200
    assert served.call("acme.member", "GET", f"/api/loans/{thing}").status_code == 200


def test_a_team_switches_a_feature_of_the_plugin_off(served, things):
    path = f"/api/loans/{things('acme.member')}"
    with switched_off(served, "/api/features/loans-appraisals"):
        refused = served.call("acme.member", "POST", f"{path}/appraise")
        assert (refused.status_code, refused.json()["feature"]) == (403, "loans-appraisals")
        assert served.call("acme.member", "GET", path).status_code == 200


def test_its_own_tests_pass_with_the_harness_of_the_wheel(installation, tmp_path):
    folder = shutil.copytree(PROJECT, tmp_path / "project")
    one_row_for_all = "not conformance or lend"
    tested = installation.run_python("-m", "pytest", "-q", "-k", one_row_for_all, where=folder)
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_plain_strict_mypy_passes_for_the_authors_of_plugins_engines_and_adapters(
    installation, author_environment, tmp_path
):
    shutil.copy(installation.site_packages / "guildhall_lines.py", tmp_path)
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = True\n")
    theirs = ["-p", "guildhall_loans", "-p", "guildhall_plain_sqlite", "-m", "guildhall_lines"]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", author_environment, *theirs],
        cwd=tmp_path,
        env={**os.environ, "MYPY_CACHE_DIR": str(installation.folder.parent / "types")},
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_it_needs_nothing_of_guildhall_but_the_sdk(author_environment, tmp_path):
    source = "import guildhall_loans, importlib.util as u; print(u.find_spec('kernel'))"
    imported = subprocess.run(
        [author_environment, "-c", source], cwd=tmp_path, capture_output=True, text=True
    )
    assert (imported.stdout, imported.stderr) == ("None\n", "")
