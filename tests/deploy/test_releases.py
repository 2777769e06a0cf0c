"""A release is built from sources that agree, is the same twice, and says what is in it and who made it."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from deploy.releases.bill_of_materials import bill_of_materials
from deploy.releases.sources import ReleaseError, read_release, stated_versions

pytestmark = pytest.mark.any_database
ROOT = Path(__file__).resolve().parents[2]
VERSION = read_release(ROOT).version
FILES = (
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", ".gitignore", "kernel/__init__.py"),
    *("console/wheel_hook.py", "console/package.json", "console/package-lock.json"),
    *("clients/typescript/package.json", "deploy/helm/guildhall/Chart.yaml"),
)
BUILT = ("builtin_plugins/console/dist/index.html", "builtin_plugins/docs_site/site/index.html")
IGNORED = shutil.ignore_patterns("tests", "__pycache__", "*.egg-info", "node_modules")


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """As much of a checkout as a release is made of, with a page in place of the console and of the docs."""
    folder = tmp_path_factory.mktemp("sources")
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for project in ("sdk", "clients/python"):
        shutil.copytree(ROOT / project, folder / project, ignore=IGNORED, dirs_exist_ok=True)
    for name in BUILT:
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("<!doctype html>")
    return folder


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    path = tmp_path_factory.mktemp("key") / "key"
    if shutil.which("ssh-keygen") is None:
        pytest.skip("there is no ssh-keygen here")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path], check=True)
    return path


def make_release(sources, target, *words):
    return subprocess.run(
        [sys.executable, "-m", "deploy.releases", target, "--root", sources, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def released(sources, key, tmp_path_factory):
    target = tmp_path_factory.mktemp("released") / "dist"
    done = make_release(sources, target, "--key", key)
    assert done.returncode == 0, done.stderr
    return target


def verified(folder, key):
    signer = folder.parent / "signers"
    signer.write_text(f"release@example {key.with_suffix('.pub').read_text()}")
    words = ["-Y", "verify", "-f", signer, "-I", "release@example", "-n", "guildhall-release"]
    with (folder / "SHA256SUMS").open() as sums:
        done = subprocess.run(
            ["ssh-keygen", *words, "-s", folder / "SHA256SUMS.sig"], stdin=sums, capture_output=True
        )
    return done.returncode == 0


def test_a_release_has_all_that_is_promised(released):
    assert {path.name for path in released.iterdir()} == {
        f"guildhall_server-{VERSION}-py3-none-any.whl",
        f"guildhall_server-{VERSION}.tar.gz",
        f"guildhall_sdk-{VERSION}-py3-none-any.whl",
        f"guildhall_client-{VERSION}-py3-none-any.whl",
        f"guildhall_testing-{VERSION}-py3-none-any.whl",
        f"guildhall-{VERSION}.cdx.json",
        "NOTES.md",
        "SHA256SUMS",
        "SHA256SUMS.sig",
    }
    (wheel,) = released.glob("guildhall_server*.whl")
    assert {*BUILT} <= {*ZipFile(wheel).namelist()}
    with tarfile.open(released / f"guildhall_server-{VERSION}.tar.gz") as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {*BUILT, "sdk/pyproject.toml", "CHANGELOG.md"} <= names


def test_the_same_sources_give_the_same_bytes(released, sources, key, tmp_path):
    for path in sources.rglob("*"):
        if path.is_file():
            os.utime(path, (1, 1_600_000_000))
    done = make_release(sources, tmp_path / "again", "--key", key)
    assert done.returncode == 0, done.stderr
    for path in released.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


def test_the_checksums_are_of_every_file_and_signed_by_the_key_alone(released, key, tmp_path):
    sums = dict(reversed(line.split()) for line in (released / "SHA256SUMS").read_text().splitlines())
    assert {*sums} == {path.name for path in released.iterdir()} - {"SHA256SUMS", "SHA256SUMS.sig"}
    for name, digest in sums.items():
        assert hashlib.sha256((released / name).read_bytes()).hexdigest() == digest
    assert verified(released, key)
    changed = tmp_path / "changed"
    shutil.copytree(released, changed)
    (changed / "SHA256SUMS").write_text((released / "SHA256SUMS").read_text().replace("a", "b", 1))
    assert not verified(changed, key)


def test_the_notes_are_the_section_of_the_changelog():
    notes = read_release(ROOT).notes
    section = (ROOT / "CHANGELOG.md").read_text().partition(f"\n## {VERSION} (")[2]
    assert section, f"CHANGELOG.md has no section for {VERSION}"
    assert notes.startswith(f"# Guildhall {VERSION}\n\n### ")
    assert notes.split("\n", 2)[2].strip() in section and "\n## " not in notes


def test_every_place_names_one_version():
    stated = stated_versions(ROOT)
    assert len(stated) >= 12
    assert {*stated.values()} == {VERSION}, stated


def test_the_bill_of_materials_fits_its_schema_and_names_every_part_with_its_licence():
    text = bill_of_materials(ROOT, VERSION, 1_700_000_000)
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, str(error)[:500]
    document = json.loads(text)
    parts = {part["purl"].rpartition("@")[0]: part for part in document["components"]}
    for name in ("pkg:pypi/quart", "pkg:pypi/asyncpg", "pkg:npm/react", "pkg:npm/%40codemirror/view"):
        assert parts[name]["licenses"] and parts[name]["version"], name
    assert parts["pkg:npm/react"]["hashes"][0]["alg"] == "SHA-512"
    assert parts["pkg:pypi/mcp"]["scope"] == "optional"
    assert not {"pkg:pypi/pytest", "pkg:npm/vite", "pkg:npm/typescript"} & {*parts}
    assert [name for name, part in parts.items() if not part["licenses"]] == []
    graph = {entry["ref"]: entry["dependsOn"] for entry in document["dependencies"]}
    known = {part["bom-ref"] for part in document["components"]} | {
        document["metadata"]["component"]["bom-ref"]
    }
    assert {*graph} <= known and {ref for needs in graph.values() for ref in needs} <= known
    server = graph[f"pkg:pypi/guildhall-server@{VERSION}"]
    assert any(ref.startswith("pkg:pypi/quart@") for ref in server)
    assert bill_of_materials(ROOT, VERSION, 1_700_000_000) == text


def test_sources_that_do_not_agree_are_not_released(sources, tmp_path):
    copy = tmp_path / "sources"
    shutil.copytree(sources, copy)
    chart = copy / "deploy/helm/guildhall/Chart.yaml"
    chart.write_text(chart.read_text().replace(VERSION, "9.9.9", 1))
    done = make_release(copy, tmp_path / "dist")
    assert done.returncode == 1 and "9.9.9  deploy/helm/guildhall/Chart.yaml" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "dist").exists()


def test_a_version_without_notes_is_not_released(sources, tmp_path):
    copy = tmp_path / "sources"
    shutil.copytree(sources, copy)
    changelog = copy / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace(f"## {VERSION} (", "## 0.0.1 ("))
    with pytest.raises(ReleaseError, match="no section for"):
        read_release(copy)


@pytest.mark.parametrize(
    ("gone", "words", "said"),
    [
        ("builtin_plugins/docs_site/site/index.html", (), "`make console docs` builds it"),
        (None, ("--key", "/no/such/key"), "There is no key at /no/such/key"),
    ],
)
def test_what_is_missing_is_named_and_the_release_before_stays(sources, tmp_path, gone, words, said):
    copy = tmp_path / "sources"
    shutil.copytree(sources, copy)
    if gone:
        (copy / gone).unlink()
    before = tmp_path / "dist"
    before.mkdir()
    (before / "NOTES.md").write_text("Those of before.")
    done = make_release(copy, before, *words)
    assert done.returncode == 1 and said in done.stderr
    assert (before / "NOTES.md").read_text() == "Those of before."
