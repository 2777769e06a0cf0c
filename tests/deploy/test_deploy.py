"""What stands in `deploy/`: it names settings that there are, and is as safe as it says."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests import commands

pytestmark = pytest.mark.any_database
DEPLOY = Path(__file__).parents[2] / "deploy"
CHART = DEPLOY / "helm/guildhall"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
NAMES = re.compile(r"\b((?:SERVICE|S3)_[A-Z0-9_]+)\b")
#: What asks for it where a value is missing.
REQUIRED = re.compile(r"\$\{\w+:\?[^}]*\}")


@pytest.fixture(scope="module")
def known():
    """The settings that `guildhall serve --help` lists."""
    done = commands.run(commands.bare_environment(COLUMNS="200"), ["serve", "--help"])
    assert done.returncode == 0, done.stderr
    return {*NAMES.findall(done.stdout)}


@pytest.mark.parametrize(
    "path", sorted(path for path in DEPLOY.rglob("*") if path.is_file()), ids=lambda path: path.name
)
def test_every_setting_that_is_named_is_one_of_the_server(path, known):
    assert {*NAMES.findall(path.read_text())} - known - {"SERVICE_"} == set()


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_units_are_sound_and_give_little_away(unit, tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd-analyze here")
    program = tmp_path / "guildhall"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text().replace("/opt/guildhall/bin/guildhall", str(program)))
    environ = {**os.environ, "SYSTEMD_LOG_LEVEL": "warning"}
    done = subprocess.run([analyze, "verify", "--man=no", copy], capture_output=True, text=True, env=environ)
    assert (done.returncode, [line for line in done.stderr.splitlines() if unit.name in line]) == (0, [])
    judged = subprocess.run(
        [analyze, "security", "--offline=true", "--threshold=30", copy], capture_output=True, text=True
    )
    assert judged.returncode == 0, judged.stdout[-200:]


def test_compose_starts_nothing_with_an_empty_secret():
    text = (DEPLOY / "compose.yaml").read_text()
    services = yaml.safe_load(text)["services"]
    assert {"server-1", "server-2", "worker", "database", "objects", "proxy"} == {*services}
    asked = {line.split("=")[0] for line in (DEPLOY / "env.example").read_text().splitlines() if "=" in line}
    for name in ("SECRET_KEY", "DATABASE_PASSWORD", "STORE_PASSWORD"):
        assert name in asked
        assert {*re.findall(rf"\$\{{{name}[^}}]*\}}", text)} == {*REQUIRED.findall(text)} & {
            f"${{{name}:?see deploy/env.example}}"
        }
    for name in ("server-1", "server-2", "worker"):
        service = services[name]
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]


def test_the_image_has_no_rights_and_no_name_of_a_registry():
    text = (DEPLOY / "Containerfile").read_text()
    stages = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert len(stages) == 3 and {*stages} <= {"${NODE}", "${PYTHON}"}
    assert text.rindex("\nUSER 10001:10001") > text.rindex("\nCOPY")
    assert "HEALTHCHECK" in text


def test_the_values_fit_their_schema_and_an_unknown_one_is_refused():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = json.loads((CHART / "values.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    check = jsonschema.Draft7Validator(schema)
    assert [error.message for error in check.iter_errors(values)] == []
    for wrong in ({"replica": 3}, {"replicas": 0}, {"baseUrl": "hall.example"}, {"settings": {"PATH": "/"}}):
        assert not check.is_valid(values | wrong), wrong


def test_every_value_that_a_template_names_is_there():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    text = "".join(path.read_text() for path in sorted((CHART / "templates").iterdir()))
    named = {*re.findall(r"\.Values\.([A-Za-z0-9.]+)", text)}
    assert len(named) > 20
    for name in named:
        place = values
        for part in name.split("."):
            assert part in place, f".Values.{name} is not in values.yaml"
            place = place[part]
    assert {*values} == {name.split(".")[0] for name in named}
